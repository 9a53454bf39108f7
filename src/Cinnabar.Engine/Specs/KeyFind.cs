namespace Cinnabar.Engine.Specs;

/// <summary>How the further keys of a key spec are found.</summary>
public enum KeyFind : byte
{
    /// <summary>Up to a last argument, in steps.</summary>
    Range,

    /// <summary>As many as an argument says.</summary>
    KeyNum,

    /// <summary>By no rule.</summary>
    Unknown,
}
