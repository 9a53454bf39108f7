namespace Cinnabar.Engine.Specs;

/// <summary>How the keys of a key spec go on from the first one.</summary>
public enum KeyFind : byte
{
    /// <summary>Up to a last argument, in steps.</summary>
    Range,

    /// <summary>As many as an argument says.</summary>
    KeyNum,

    /// <summary>No rule tells.</summary>
    Unknown,
}
