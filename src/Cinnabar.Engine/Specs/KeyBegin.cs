namespace Cinnabar.Engine.Specs;

/// <summary>How the first key of a key spec is found.</summary>
public enum KeyBegin : byte
{
    /// <summary>It stands at a fixed index.</summary>
    Index,

    /// <summary>It stands behind a keyword.</summary>
    Keyword,

    /// <summary>No rule tells.</summary>
    Unknown,
}
