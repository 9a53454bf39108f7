using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

/// <summary>The keys of one database in one stripe.</summary>
public sealed class DatabaseTable
{
    // Two halves, since no method that is handed an object with an Int128 in it can be compiled ahead of
    // time: in the midst of the first DEL the runtime would have ten to compile.
    private long _deadlineHighSum;
    private long _deadlineLowSum;

    internal DatabaseTable(SegmentPool pool, in HashSeed seed, int identity)
    {
        Entries = new SegmentTable<KeyEntry>(pool, in seed);
        Identity = identity;
    }

    /// <summary>The table itself.</summary>
    public SegmentTable<KeyEntry> Entries { get; }

    /// <summary>The number under which deadlines know this table; SWAPDB does not change it.</summary>
    public int Identity { get; }

    /// <summary>The number that its database had at the moment of a snapshot that has not passed it yet;
    /// −1: there is none.</summary>
    internal int SnapshotDatabase { get; set; } = -1;

    /// <summary>Keys that have a deadline.</summary>
    public long VolatileCount { get; private set; }

    /// <summary>Hashes that have fields with deadlines.</summary>
    public long VolatileFieldsCount { get; internal set; }

    /// <summary>Sum of the deadlines of the keys that have one, in milliseconds, for the mean time to
    /// live.</summary>
    internal System.Int128 DeadlineSumMs => ((System.Int128)_deadlineHighSum << 32) + _deadlineLowSum;

    /// <summary>Counts a key with a deadline.</summary>
    internal void AddDeadline(long deadlineMs)
    {
        Debug.Assert(deadlineMs >= 0, "no deadline");
        VolatileCount++;
        _deadlineHighSum += deadlineMs >> 32;
        _deadlineLowSum += (uint)deadlineMs;
    }

    /// <summary>Stops counting such a key.</summary>
    internal void RemoveDeadline(long deadlineMs)
    {
        Debug.Assert(VolatileCount > 0, "more keys have lost their deadline than had one");
        VolatileCount--;
        _deadlineHighSum -= deadlineMs >> 32;
        _deadlineLowSum -= (uint)deadlineMs;
    }
}
