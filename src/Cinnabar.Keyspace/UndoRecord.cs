// What a script has changed can be taken back: before the first command that writes to a key the key's entry
// is kept, and rolling back puts it where the key was. Commands declare their keys, so no hook in the stores
// is needed.
//
//   _copies   | entry: header, deadline, key, payload | entry ... |   one growing native buffer
//   _keys     | offset of the entry, hash, database, was it missing, next with the same bucket |
//   _buckets  | number of the newest of _keys with that low part of the hash, plus one; 0: none |
//
// A copy has a reference of its own to what the value holds outside of its entry (trees, big strings): these
// are copied on a writer's path, so a collection of a million members costs a few words here and a writer the
// blocks that it changes. A value inside its entry is copied, up to 64 KiB.
//
// Rolling back: an entry that still has the same bytes stays where it is. Any other is removed without a
// trace and the copy becomes an entry again, with its deadline, its access clock and its fields' deadlines.
// The order does not matter, since each key was kept once, before its first change. Counters and what was to
// be committed are what they were at Begin. A snapshot that is under way has copied what it needs before the
// change, as before any change, so what comes back is an entry that it has passed.
//
// Left behind: stale records in the index of deadlines, tables of databases that had no keys, the access
// clocks of keys that were only read.
//
// Limit: the copies together have at most a given number of bytes; one more key is refused then, and the
// caller goes on without a way back.

using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

// SAFETY: the execution holds the stripes of all kept keys from TryKeep to RollBack or Forget; offsets are of
// entries that TryKeep has laid out.
/// <summary>The values that keys had before an execution changed them.</summary>
/// <param name="byteCountMax">The most bytes that the copies may have.</param>
public sealed unsafe class UndoRecord(int byteCountMax = UndoRecord.ByteCountMaxDefault) : IDisposable
{
    /// <summary>The most bytes of copies where nothing else is said.</summary>
    public const int ByteCountMaxDefault = 1 << 20;

    private const int CapacityMin = 1024;
    private const int KeptCapacityMax = 64 << 10;
    private const int BucketCountMin = 16;
    private const int Alignment = 8;

    private readonly KeyspaceStatistics _statistics = new();
    private KeyspaceAccess _access = null!;
    private KeptKey[] _keys = new KeptKey[BucketCountMin];
    private int[] _buckets = new int[BucketCountMin];
    private int _count;
    private byte* _copies;
    private int _capacity;
    private int _length;
    private long _changeCount;

    /// <summary>Whether changes can be taken back: after <see cref="Begin"/>.</summary>
    public bool IsActive { get; private set; }

    /// <summary>Number of keys that are kept.</summary>
    public int Count => _count;

    /// <summary>Begins: from here on changes can be taken back. The execution has changed nothing and has
    /// nothing to commit.</summary>
    /// <param name="access">The execution's view.</param>
    public void Begin(KeyspaceAccess access)
    {
        Debug.Assert(!IsActive && _count == 0, "it has begun before");
        _access = access;
        Debug.Assert(!_access.HasUncommitted, "what came before could not be told from what follows");
        IsActive = true;
        _changeCount = _access.ChangeCount;
        _statistics.CopyFrom(_access.Statistics);
    }

    /// <summary>Keeps what a key of the selected database has, before a command that may change it.</summary>
    /// <returns>False where that would be too much; what was kept before can still be rolled back.</returns>
    public bool TryKeep(in Key key)
    {
        Debug.Assert(IsActive, "it has not begun");
        Debug.Assert(_access.Keyspace.StripeOf(key.Hash).Lock.IsHeld, "the stripe of a kept key is held");
        if (IsKept(in key))
            return true;
        byte* entry = Find(_access.Database, in key);
        int payloadSize = entry == null ? 0 : KeyEntry.PayloadSize(entry);
        bool hasDeadline = entry != null && KeyEntry.HasDeadline(entry);
        nuint size = KeyEntry.SizeOf(key.Length, payloadSize, hasDeadline);
        if (size > (nuint)(byteCountMax - _length))
            return false;
        Add(in key, isMissing: entry == null);
        byte* copy = Reserve((int)size);
        if (entry == null)
            KeyEntry.Initialize(copy, KeyType.String, KeyEncoding.Raw, key.Span, deadlineMs: -1);
        else
            EntryValue.Copy(entry, copy, key.Span);
        return true;
    }

    /// <summary>Takes all changes back, and everything that was to be committed.</summary>
    public void RollBack()
    {
        Debug.Assert(IsActive, "it has not begun");
        int database = _access.Database;
        for (int index = _count - 1; index >= 0; index--)
            Restore(in _keys[index]);
        _access.Database = database;
        _access.DiscardUncommitted();
        _access.ChangeCount = _changeCount;
        _access.Statistics.CopyFrom(_statistics);
        Clear();
    }

    /// <summary>Lets the changes stand: what was kept is given up.</summary>
    public void Forget()
    {
        for (int index = 0; index < _count; index++)
        {
            if (!_keys[index].IsMissing)
                EntryValue.Release(
                    _copies + _keys[index].Offset, _access.Keyspace.Blocks, _access.Keyspace.Trees);
        }

        Clear();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Forget();
        FreeCopies();
    }

    private void Clear()
    {
        IsActive = false;
        Array.Clear(_buckets);
        (_count, _length) = (0, 0);
        if (_capacity > KeptCapacityMax)
            FreeCopies();
    }

    private void FreeCopies()
    {
        NativeMemory.Free(_copies);
        _copies = null;
        _capacity = 0;
    }

    private bool IsKept(in Key key)
    {
        for (int number = _buckets[key.Hash & (ulong)(_buckets.Length - 1)]; number != 0;
             number = _keys[number - 1].Next)
        {
            ref KeptKey kept = ref _keys[number - 1];
            if (kept.Hash == key.Hash && kept.Database == _access.Database
                && KeyEntry.Matches(_copies + kept.Offset, key.Span))
                return true;
        }

        return false;
    }

    private void Add(in Key key, bool isMissing)
    {
        if (_count == _keys.Length)
            Grow();
        ref int bucket = ref _buckets[key.Hash & (ulong)(_buckets.Length - 1)];
        _keys[_count++] = new KeptKey(key.Hash, _length, _access.Database, bucket, isMissing);
        bucket = _count;
    }

    private void Grow()
    {
        Array.Resize(ref _keys, 2 * _count);
        _buckets = new int[_keys.Length];
        for (int index = 0; index < _count; index++)
        {
            ref int bucket = ref _buckets[_keys[index].Hash & (ulong)(_buckets.Length - 1)];
            _keys[index] = _keys[index] with { Next = bucket };
            bucket = index + 1;
        }
    }

    private byte* Reserve(int size)
    {
        int end = _length + ((size + Alignment - 1) & -Alignment);
        if (end > _capacity)
        {
            _capacity = Math.Max(CapacityMin, Math.Max(end, 2 * _capacity));
            _copies = (byte*)NativeMemory.Realloc(_copies, (nuint)_capacity);
        }

        byte* place = _copies + _length;
        _length = end;
        return place;
    }

    private void Restore(in KeptKey kept)
    {
        byte* copy = _copies + kept.Offset;
        ReadOnlySpan<byte> name = KeyEntry.KeySpan(copy);
        fixed (byte* data = name)
        {
            var key = new Key(data, name.Length, kept.Hash);
            byte* entry = Find(kept.Database, in key);
            if (entry != null && !kept.IsMissing && IsUnchanged(entry, copy))
            {
                KeyEntry.SetAccessClock(entry, KeyEntry.AccessClock(copy));
                EntryValue.Release(copy, _access.Keyspace.Blocks, _access.Keyspace.Trees);
                return;
            }

            Remove(kept.Database, in key);
            if (kept.IsMissing)
                return;
            long deadlineMs = KeyEntry.HasDeadline(copy) ? KeyEntry.Deadline(copy) : -1;
            KeyTransfer.Place(_access, kept.Database, in key, copy, deadlineMs);
        }
    }

    // A changed tree has another address, because the copy retains it.
    private static bool IsUnchanged(byte* entry, byte* copy) =>
        entry[0] == copy[0] && KeyEntry.HasDeadline(entry) == KeyEntry.HasDeadline(copy)
        && (!KeyEntry.HasDeadline(entry) || KeyEntry.Deadline(entry) == KeyEntry.Deadline(copy))
        && new ReadOnlySpan<byte>(KeyEntry.Value(entry), KeyEntry.PayloadSize(entry)).SequenceEqual(
            new ReadOnlySpan<byte>(KeyEntry.Value(copy), KeyEntry.PayloadSize(copy)));

    private byte* Find(int database, in Key key) =>
        _access.Keyspace.StripeOf(key.Hash).Table(database) is { } table
        && table.Entries.TryFind(key.Hash, key.Span, out SlotReference slot)
            ? slot.Entry
            : null;

    private void Remove(int database, in Key key)
    {
        Stripe stripe = _access.Keyspace.StripeOf(key.Hash);
        if (stripe.Table(database) is { } table
            && table.Entries.TryFind(key.Hash, key.Span, out SlotReference slot))
            _access.RemoveAt(stripe, table, in slot);
    }

    private readonly record struct KeptKey(ulong Hash, int Offset, int Database, int Next, bool IsMissing);
}
