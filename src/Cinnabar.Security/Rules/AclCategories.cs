namespace Cinnabar.Security.Rules;

/// <summary>The categories of commands that ACL rules name ("@read"), in Redis's order.</summary>
[Flags]
public enum AclCategories : uint
{
    /// <summary>No category.</summary>
    None = 0,

    /// <summary>Works on keys whatever their type.</summary>
    Keyspace = 1u << 0,

    /// <summary>Reads keys.</summary>
    Read = 1u << 1,

    /// <summary>Writes keys.</summary>
    Write = 1u << 2,

    /// <summary>Works on sets.</summary>
    Set = 1u << 3,

    /// <summary>Works on sorted sets.</summary>
    SortedSet = 1u << 4,

    /// <summary>Works on lists.</summary>
    List = 1u << 5,

    /// <summary>Works on hashes.</summary>
    Hash = 1u << 6,

    /// <summary>Works on strings.</summary>
    String = 1u << 7,

    /// <summary>Works on bitmaps.</summary>
    Bitmap = 1u << 8,

    /// <summary>Works on HyperLogLogs.</summary>
    HyperLogLog = 1u << 9,

    /// <summary>Works on geographical indexes.</summary>
    Geo = 1u << 10,

    /// <summary>Works on streams.</summary>
    Stream = 1u << 11,

    /// <summary>Belongs to pub/sub.</summary>
    PubSub = 1u << 12,

    /// <summary>For administrators.</summary>
    Admin = 1u << 13,

    /// <summary>Its time does not grow with the data.</summary>
    Fast = 1u << 14,

    /// <summary>Everything that is not fast.</summary>
    Slow = 1u << 15,

    /// <summary>May block the client.</summary>
    Blocking = 1u << 16,

    /// <summary>Can do harm in the wrong hands.</summary>
    Dangerous = 1u << 17,

    /// <summary>Concerns the connection.</summary>
    Connection = 1u << 18,

    /// <summary>Belongs to transactions.</summary>
    Transaction = 1u << 19,

    /// <summary>Belongs to scripts.</summary>
    Scripting = 1u << 20,
}
