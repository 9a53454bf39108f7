namespace Cinnabar.Keyspace;

/// <summary>How a value is stored; OBJECT ENCODING reports Redis's name for it.</summary>
public enum KeyEncoding : byte
{
    /// <summary>Bytes inside the entry that were written to in place (APPEND, SETRANGE) or exceed 44
    /// bytes.</summary>
    Raw = 0,

    /// <summary>Bytes inside the entry, at most 44 and as a client sent them.</summary>
    Embstr = 1,

    /// <summary>A 64-bit integer inside the entry.</summary>
    Int = 2,

    /// <summary>A reference-counted block tree beside the entry; Redis's name is raw.</summary>
    Blocks = 3,
}
