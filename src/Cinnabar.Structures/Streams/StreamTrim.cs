namespace Cinnabar.Structures.Streams;

/// <summary>What is to be cut off a stream's beginning.</summary>
public struct StreamTrim
{
    /// <summary>Whether entries below <see cref="IdMin"/> go; else those beyond
    /// <see cref="LengthMax"/>.</summary>
    public bool IsById;

    /// <summary>How many entries may stay.</summary>
    public long LengthMax;

    /// <summary>The lowest ID that may stay.</summary>
    public StreamId IdMin;

    /// <summary>Whether only whole pages go.</summary>
    public bool IsApproximate;

    /// <summary>How many entries may go at most; 0: any number.</summary>
    public long CountMax;
}
