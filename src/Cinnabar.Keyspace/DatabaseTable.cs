using Cinnabar.Structures;

namespace Cinnabar.Keyspace;

/// <summary>The keys of one database in one stripe.</summary>
public sealed class DatabaseTable
{
    internal DatabaseTable(SegmentPool pool, in HashSeed seed, int identity)
    {
        Entries = new SegmentTable<KeyEntry>(pool, in seed);
        Identity = identity;
    }

    /// <summary>The table itself.</summary>
    public SegmentTable<KeyEntry> Entries { get; }

    /// <summary>The number under which deadlines know this table; SWAPDB does not change it.</summary>
    public int Identity { get; }

    /// <summary>Keys that have a deadline.</summary>
    public long VolatileCount { get; internal set; }

    /// <summary>Hashes that have fields with deadlines.</summary>
    public long VolatileFieldsCount { get; internal set; }

    /// <summary>Sum of the deadlines of the keys that have one, in milliseconds, for the mean time to
    /// live.</summary>
    internal System.Int128 DeadlineSumMs { get; set; }
}
