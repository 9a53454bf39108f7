// Which clients have read which keys of a stripe, so that they can be told when a key changes: what Redis
// calls the invalidation table. A key is known by its name alone, whatever its database.
//
//   _buckets  | entry | 0 | entry | ...   a power of two, by the low bits of the hash
//                 |
//                 v
//   entry     | next | hash | key length | id count | id capacity | 0 | key, padded to 8 | id | id | ... |
//
// All in the stripe's arena, so that used_memory counts it. The ids of clients are sorted: a key that ten
// thousand clients read is found by bisection whether one of them is new. An entry goes when its key changes.
// Before an entry grows, the ids of clients that have gone are dropped, so that it is bounded by the clients
// that there are; the number of keys is bounded by the owner, which takes one at random (TryTakeAny).
//
// Why not a managed dictionary: one object a key and one a list would be the collector's work for each read.
//
// SAFETY: all methods run under the lock of the stripe, and entries are only reachable through _buckets.

using Cinnabar.Memory;

namespace Cinnabar.Messaging.Tracking;

/// <summary>The tracked keys of a stripe, guarded by its lock.</summary>
/// <param name="arena">The stripe's memory.</param>
public sealed unsafe class TrackedKeys(Arena arena)
{
    private const int BucketCountMin = 16;
    private const int IdCapacityMin = 2;

    private readonly Arena _arena = arena;
    private TrackedKey** _buckets;
    private int _bucketCount;
    private int _count;
    private long _idCount;
    private uint _chance = 2463534242;

    /// <summary>Number of keys. Other threads read it as it is.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Number of clients of all keys. Other threads read it as it is.</summary>
    public long IdCount => Volatile.Read(ref _idCount);

    /// <summary>Notes that a client has read a key.</summary>
    /// <param name="hash">The key's hash.</param>
    /// <param name="key">The key.</param>
    /// <param name="id">The client.</param>
    /// <param name="isAlive">Whether a client of an id is there: those that are not are dropped.</param>
    /// <returns>Whether the key is new.</returns>
    public bool Add(ulong hash, ReadOnlySpan<byte> key, long id, Func<long, bool> isAlive)
    {
        if (_count >= _bucketCount)
            Grow();
        TrackedKey** link = Find(hash, key);
        bool isNew = *link == null;
        if (isNew)
            *link = Make(hash, key);
        TrackedKey* entry = *link;
        int place = entry->PlaceOf(id);
        if (place < entry->IdCount && entry->Ids[place] == id)
            return false;
        if (entry->IdCount == entry->IdCapacity)
        {
            DropDead(entry, isAlive);
            if (entry->IdCount == entry->IdCapacity)
                *link = entry = Widen(entry);
            place = entry->PlaceOf(id);
        }

        Span<long> ids = new(entry->Ids, entry->IdCount + 1);
        ids[place..^1].CopyTo(ids[(place + 1)..]);
        ids[place] = id;
        entry->IdCount++;
        Volatile.Write(ref _idCount, _idCount + 1);
        return isNew;
    }

    /// <summary>Takes a key out; to be freed.</summary>
    public bool TryTake(ulong hash, ReadOnlySpan<byte> key, out TrackedKey* entry)
    {
        entry = null;
        if (_count == 0)
            return false;
        TrackedKey** link = Find(hash, key);
        entry = *link;
        if (entry == null)
            return false;
        Unlink(link);
        return true;
    }

    /// <summary>Takes any key out; to be freed.</summary>
    public bool TryTakeAny(out TrackedKey* entry)
    {
        entry = null;
        if (_count == 0)
            return false;
        // Marsaglia's xorshift.
        _chance ^= _chance << 13;
        _chance ^= _chance >> 17;
        _chance ^= _chance << 5;
        uint mask = (uint)_bucketCount - 1;
        uint bucket = _chance & mask;
        while (_buckets[bucket] == null)
            bucket = (bucket + 1) & mask;
        entry = _buckets[bucket];
        Unlink(&_buckets[bucket]);
        return true;
    }

    /// <summary>Frees an entry that was taken out.</summary>
    public void Free(TrackedKey* entry) => _arena.Free((byte*)entry, entry->Size);

    /// <summary>Forgets all keys.</summary>
    public void Clear()
    {
        while (TryTakeAny(out TrackedKey* entry))
            Free(entry);
        if (_buckets != null)
            _arena.Free((byte*)_buckets, (nuint)_bucketCount * (nuint)sizeof(nint));
        _buckets = null;
        _bucketCount = 0;
    }

    private TrackedKey** Find(ulong hash, ReadOnlySpan<byte> key)
    {
        TrackedKey** link = &_buckets[hash & ((ulong)_bucketCount - 1)];
        while (*link != null && !((*link)->Hash == hash && (*link)->Key.SequenceEqual(key)))
            link = &(*link)->Next;
        return link;
    }

    private TrackedKey* Make(ulong hash, ReadOnlySpan<byte> key)
    {
        var entry = (TrackedKey*)_arena.Allocate(TrackedKey.SizeOf(key.Length, IdCapacityMin));
        *entry = new TrackedKey { Hash = hash, KeyLength = key.Length, IdCapacity = IdCapacityMin };
        key.CopyTo(new Span<byte>(entry->KeyData, key.Length));
        Volatile.Write(ref _count, _count + 1);
        return entry;
    }

    private TrackedKey* Widen(TrackedKey* entry)
    {
        int capacity = checked(2 * entry->IdCapacity);
        nuint used = entry->Size;
        var wider = (TrackedKey*)_arena.Allocate(TrackedKey.SizeOf(entry->KeyLength, capacity));
        Buffer.MemoryCopy(entry, wider, used, used);
        wider->IdCapacity = capacity;
        _arena.Free((byte*)entry, used);
        return wider;
    }

    private void DropDead(TrackedKey* entry, Func<long, bool> isAlive)
    {
        int kept = 0;
        for (int index = 0; index < entry->IdCount; index++)
        {
            if (isAlive(entry->Ids[index]))
                entry->Ids[kept++] = entry->Ids[index];
        }

        Volatile.Write(ref _idCount, _idCount - (entry->IdCount - kept));
        entry->IdCount = kept;
    }

    private void Unlink(TrackedKey** link)
    {
        TrackedKey* entry = *link;
        *link = entry->Next;
        Volatile.Write(ref _count, _count - 1);
        Volatile.Write(ref _idCount, _idCount - entry->IdCount);
    }

    private void Grow()
    {
        int count = Math.Max(BucketCountMin, 2 * _bucketCount);
        nuint size = (nuint)count * (nuint)sizeof(nint);
        var buckets = (TrackedKey**)_arena.Allocate(size);
        new Span<byte>(buckets, (int)size).Clear();
        for (int bucket = 0; bucket < _bucketCount; bucket++)
        {
            for (TrackedKey* entry = _buckets[bucket]; entry != null;)
            {
                TrackedKey* next = entry->Next;
                TrackedKey** place = &buckets[entry->Hash & ((ulong)count - 1)];
                entry->Next = *place;
                *place = entry;
                entry = next;
            }
        }

        if (_buckets != null)
            _arena.Free((byte*)_buckets, (nuint)_bucketCount * (nuint)sizeof(nint));
        _buckets = buckets;
        _bucketCount = count;
    }
}
