namespace Cinnabar.Keyspace.Entries;

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

    /// <summary>A listpack inside the entry: a small collection.</summary>
    Listpack = 4,

    /// <summary>An intset inside the entry: a small set of integers.</summary>
    Intset = 5,

    /// <summary>A tree of listpacks: a list.</summary>
    Quicklist = 6,

    /// <summary>A tree of members by their hash: a set or a hash.</summary>
    HashTable = 7,

    /// <summary>A tree by score and one by member; Redis's name is skiplist.</summary>
    SkipList = 8,

    /// <summary>A stream's root.</summary>
    Stream = 9,

    /// <summary>A listpack of fields, values and deadlines inside the entry: a small hash.</summary>
    ListpackEx = 10,
}
