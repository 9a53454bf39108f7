namespace Cinnabar.Keyspace.Entries;

/// <summary>The data type of a key's value, in the numbers that an entry's header stores.</summary>
public enum KeyType : byte
{
    /// <summary>A byte string.</summary>
    String = 0,

    /// <summary>Elements in an order of their own.</summary>
    List = 1,

    /// <summary>Members, each once.</summary>
    Set = 2,

    /// <summary>Members with scores, in the order of these.</summary>
    SortedSet = 3,

    /// <summary>Fields with values.</summary>
    Hash = 4,

    /// <summary>Entries with IDs, and groups of their consumers.</summary>
    Stream = 6,
}
