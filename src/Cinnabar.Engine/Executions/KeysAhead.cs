// The lines that an execution of many keys will read, loaded before it takes its stripes: the buckets of some
// keys, then the entries that these buckets name. One after the other, each key would cost the time of memory
// twice, and the stripes would be held all the while. A batch does the same for the first key of each command
// (Loops/BatchPrefetch).

using Cinnabar.Structures;

namespace Cinnabar.Engine.Executions;

/// <summary>Begins to load the entries of keys. On a loop within a turn: what it reads without a lock is used
/// within this turn only.</summary>
// SAFETY: what is prefetched may lie anywhere; the caller's arrays hold CountMax items and outlive this.
internal unsafe ref struct KeysAhead(
    Keyspace.Keyspace keyspace, int database, ulong* hashes, byte** places)
{
    /// <summary>How many keys are looked for together: so many loads a core has under way.</summary>
    public const int CountMax = 32;

    private const int EntryLineCount = 3;

    private readonly Keyspace.Keyspace _keyspace = keyspace;
    private readonly int _database = database;
    private readonly ulong* _hashes = hashes;
    private readonly byte** _places = places;
    private int _count;

    /// <summary>Whether anything is loaded.</summary>
    public required bool IsOn { get; init; }

    /// <summary>Begins to load the bucket of a key.</summary>
    public void Add(ulong hash)
    {
        if (!IsOn)
            return;
        if (_count == CountMax)
            LoadEntries();
        _hashes[_count] = hash;
        _places[_count++] = _keyspace.Prefetch(hash, _database, out _);
    }

    /// <summary>Begins to load the entries of the keys that were added.</summary>
    public void LoadEntries()
    {
        for (int index = 0; index < _count; index++)
        {
            byte* slot = Keyspace.Keyspace.GuessSlot(_places[index], _hashes[index]);
            if (slot == null)
                continue;
            byte* entry = Keyspace.Keyspace.EntryIn(slot);
            CacheLine.Prefetch(entry);
            Keyspace.Keyspace.PrefetchRest(entry, EntryLineCount);
        }

        _count = 0;
    }
}
