namespace Cinnabar.Load.Requests;

/// <summary>In which order a client visits the keys of a <see cref="KeySpace"/>.</summary>
public enum KeyPattern
{
    /// <summary>Each key equally likely (memtier's <c>R</c>).</summary>
    Random,

    /// <summary>Every client from the first key to the last, again and again (<c>S</c>).</summary>
    Sequential,

    /// <summary>As <see cref="Sequential"/>, but each client has a part of the keys of its own
    /// (<c>P</c>).</summary>
    Parallel,

    /// <summary>Around a median, as a normal distribution cut off at the ends (<c>G</c>).</summary>
    Gaussian,

    /// <summary>The n-th key as likely as 1 / n to the exponent: few keys are hot (<c>Z</c>).</summary>
    Zipfian,
}
