namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>How a string is written.</summary>
public enum RdbStringKind
{
    /// <summary>Its bytes.</summary>
    Raw,

    /// <summary>An integer of one, two or four bytes, whose digits it is.</summary>
    Integer,

    /// <summary>LZF.</summary>
    Compressed,
}
