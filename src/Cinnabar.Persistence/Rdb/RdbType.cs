namespace Cinnabar.Persistence.Rdb;

/// <summary>
/// How a value is written: the numbers are the type bytes of the format. The byte 22 means two things; the
/// dialect of the file says which (<see cref="RdbVersion.TryTypeOf"/>), and Valkey's meaning has a number
/// here that no byte has.
/// </summary>
public enum RdbType
{
    /// <summary>A string.</summary>
    String = 0,

    /// <summary>A list: count, strings.</summary>
    List = 1,

    /// <summary>A set: count, strings.</summary>
    Set = 2,

    /// <summary>A sorted set: count, then members with scores as text.</summary>
    SortedSet = 3,

    /// <summary>A hash: count, then fields and values.</summary>
    Hash = 4,

    /// <summary>A sorted set: count, then members with scores of eight bytes.</summary>
    SortedSet2 = 5,

    /// <summary>A module's value of Redis 4.0's release candidates, which nothing can skip.</summary>
    ModulePreGa = 6,

    /// <summary>A module's value: its ID, then parts that name their types.</summary>
    Module2 = 7,

    /// <summary>A hash as a zipmap (up to Redis 2.4).</summary>
    HashZipmap = 9,

    /// <summary>A list as a ziplist.</summary>
    ListZiplist = 10,

    /// <summary>A set as an intset.</summary>
    SetIntset = 11,

    /// <summary>A sorted set as a ziplist.</summary>
    SortedSetZiplist = 12,

    /// <summary>A hash as a ziplist.</summary>
    HashZiplist = 13,

    /// <summary>A list as ziplists (Redis 3.2 to 6.2).</summary>
    ListQuicklist = 14,

    /// <summary>A stream (Redis 5 to 6.2).</summary>
    StreamListpacks = 15,

    /// <summary>A hash as a listpack.</summary>
    HashListpack = 16,

    /// <summary>A sorted set as a listpack.</summary>
    SortedSetListpack = 17,

    /// <summary>A list as listpacks and plain elements (Redis 7.0).</summary>
    ListQuicklist2 = 18,

    /// <summary>A stream with its first ID, counts and groups' entries read (Redis 7.0).</summary>
    StreamListpacks2 = 19,

    /// <summary>A set as a listpack (Redis 7.2).</summary>
    SetListpack = 20,

    /// <summary>A stream with consumers' times of activity (Redis 7.2).</summary>
    StreamListpacks3 = 21,

    /// <summary>A hash with deadlines of fields, of Redis 7.4's release candidates.</summary>
    HashMetadataPreGa = 22,

    /// <summary>A hash with deadlines of fields as a listpack, of Redis 7.4's release candidates.</summary>
    HashListpackExPreGa = 23,

    /// <summary>A hash with deadlines of fields (Redis 7.4).</summary>
    HashMetadata = 24,

    /// <summary>A hash with deadlines of fields as a listpack (Redis 7.4).</summary>
    HashListpackEx = 25,

    /// <summary>A stream with idempotent producers (Redis 8.6).</summary>
    StreamListpacks4 = 26,

    /// <summary>A hash with deadlines of fields as Valkey 9 writes it: the byte 22 of its dialect.</summary>
    ValkeyHash2 = 0x100 + 22,
}
