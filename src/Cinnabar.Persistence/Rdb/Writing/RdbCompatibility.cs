namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>The oldest Redis that is to read what is written (<c>rdb-compatibility</c>), as the version of
/// the format that it knows.</summary>
public enum RdbCompatibility
{
    /// <summary>Redis 6.2: no listpacks but those of streams.</summary>
    Redis62 = 9,

    /// <summary>Redis 7.0: no listpacks of sets.</summary>
    Redis70 = 10,

    /// <summary>Redis 7.2, Valkey 7.2 to 8.1: no deadlines of fields.</summary>
    Redis72 = 11,

    /// <summary>Redis 7.4 and later; Redis 8.6 where a stream has idempotent producers.</summary>
    Redis74 = 12,
}
