namespace Cinnabar.Commands.Strings;

/// <summary>What a command demands of a key's present value before it changes it.</summary>
internal enum ConditionKind : byte
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>No such key (NX).</summary>
    Missing,

    /// <summary>Such a key, of any type (XX).</summary>
    Exists,

    /// <summary>A string with these bytes (IFEQ).</summary>
    Equal,

    /// <summary>Not a string with these bytes (IFNE).</summary>
    NotEqual,

    /// <summary>A string with this digest (IFDEQ).</summary>
    DigestEqual,

    /// <summary>Not a string with this digest (IFDNE).</summary>
    DigestNotEqual,
}
