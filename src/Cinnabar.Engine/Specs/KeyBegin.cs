namespace Cinnabar.Engine.Specs;

/// <summary>How the first key of a key spec is found.</summary>
public enum KeyBegin : byte
{
    /// <summary>It is at a fixed index.</summary>
    Index,

    /// <summary>It is behind a keyword.</summary>
    Keyword,

    /// <summary>By no rule.</summary>
    Unknown,
}
