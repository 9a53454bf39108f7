using Cinnabar.Keyspace.Loading;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>A key of a block, as the scanner leaves it to a worker.</summary>
internal unsafe struct RdbLoadEntry
{
    /// <summary>Unix milliseconds; &#8722;1: none.</summary>
    public long DeadlineMs;

    /// <summary>What is known of the key's use.</summary>
    public KeyUse Use;

    /// <summary>The worker's: hash of the key.</summary>
    public ulong Hash;

    /// <summary>The worker's: the key's bytes, in the block or in the worker's scratch.</summary>
    public byte* Key;

    /// <summary>The worker's: their number.</summary>
    public int KeyLength;

    /// <summary>Where in the block the key's name begins.</summary>
    public int NamePosition;

    /// <summary>The worker's: where in the block its value begins.</summary>
    public int ValuePosition;

    /// <summary>Where the value ends.</summary>
    public int EndPosition;

    /// <summary>The worker's: the next entry of the same stripe; &#8722;1: none.</summary>
    public int Next;

    /// <summary>How the value is written.</summary>
    public RdbType Type;

    /// <summary>The database.</summary>
    public int Database;
}
