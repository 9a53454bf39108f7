// Copies of entries on their way to the saver: the block of each entry byte for byte, with its key, behind a
// word of its own.
//
//   0          4        8                                    8 * n
//   +----------+--------+------------------------------------+----------+-- ...
//   | database | size   | entry: header, deadline, key, value | database |
//   +----------+--------+------------------------------------+----------+-- ...
//
// A value that lies outside of its entry (a tree) is not copied: the copy holds a reference of its own, and
// writers copy the pages that they change (PageTree). So a copy costs as much as the entry's block, whatever
// its value.
//
// One writer at a time adds, under the stripe's lock; then one reader takes, without a lock, on any thread:
// references to trees are counted atomically and their memory is returned under locks of its own
// (TreeSource, BlockSource), which the slow lane relies on too (KeptValues).

using Cinnabar.Keyspace.Entries;
using Cinnabar.Memory;

namespace Cinnabar.Keyspace.Snapshots;

// SAFETY: the block is this object's until it is emptied; what was added lies within `_used`.
/// <summary>A chunk of copied entries. Filled under one stripe's lock, then read by one thread.</summary>
public sealed unsafe class EntryCopies
{
    private const int HeaderSize = 8;

    private readonly Keyspace _keyspace;
    private SharedBlock* _block;
    private int _used;
    private int _read;
    private byte* _taken;

    internal EntryCopies(Keyspace keyspace) => _keyspace = keyspace;

    /// <summary>Entries in it that have not been taken.</summary>
    public int Count { get; private set; }

    /// <summary>Bytes by which changes of unsaved entries have made it larger, with what only they still
    /// refer to.</summary>
    public long PreImageBytes { get; internal set; }

    /// <summary>Bytes by which the walk has made it larger, with what its copies refer to.</summary>
    internal long WalkBytes { get; set; }

    /// <summary>The next in a list of the snapshot's.</summary>
    internal EntryCopies? Next { get; set; }

    /// <summary>Takes the next entry out. It is valid until the next call.</summary>
    /// <param name="database">The number of its database at the snapshot's moment.</param>
    /// <param name="entry">The entry as it was at that moment.</param>
    /// <returns>False when there are no more; then the memory has been given back.</returns>
    public bool TryTake(out int database, out EntryView entry)
    {
        ReleaseTaken();
        if (Count == 0)
        {
            database = 0;
            entry = default;
            Free();
            return false;
        }

        byte* record = _block->Data + _read;
        database = *(int*)record;
        _read += *(int*)(record + sizeof(int));
        Debug.Assert(_read <= _used, "a copy ends behind its chunk");
        Count--;
        _taken = record + HeaderSize;
        entry = new EntryView(_taken);
        return true;
    }

    /// <summary>Gives up all that has not been taken.</summary>
    public void Discard()
    {
        while (TryTake(out _, out _))
        {
        }
    }

    /// <summary>Bytes that an entry takes in a chunk.</summary>
    internal static nuint SizeFor(byte* entry) => (HeaderSize + KeyEntry.Size(entry) + 7) & ~(nuint)7;

    /// <summary>Whether there is room for so many bytes more.</summary>
    internal bool HasRoomFor(nuint size) => _block != null && size <= (nuint)(_block->Capacity - _used);

    /// <summary>Makes room for at least so many bytes.</summary>
    internal void Open(SharedBlockPool pool, nuint size)
    {
        Debug.Assert(_block == null && Count == 0, "a chunk is opened that is in use");
        _block = SharedBlock.Create(pool, checked((int)size));
        (_used, _read, PreImageBytes, WalkBytes) = (0, 0, 0, 0);
    }

    /// <summary>Adds a copy of an entry, with a reference to what lies outside of it. There must be
    /// room.</summary>
    internal void Add(int database, byte* entry, nuint size)
    {
        Debug.Assert(HasRoomFor(size) && size == SizeFor(entry), "the copy does not fit");
        byte* record = _block->Data + _used;
        *(int*)record = database;
        *(int*)(record + sizeof(int)) = (int)size;
        Unsafe.CopyBlockUnaligned(record + HeaderSize, entry, (uint)KeyEntry.Size(entry));
        if (EntryValue.IsOutside(entry))
            EntryValue.Retain(entry);
        _used += (int)size;
        Count++;
    }

    private void ReleaseTaken()
    {
        if (_taken != null && EntryValue.IsOutside(_taken))
            EntryValue.Release(_taken, _keyspace.Blocks, _keyspace.Trees);
        _taken = null;
    }

    private void Free()
    {
        if (_block != null)
            _block->Release();
        _block = null;
    }
}
