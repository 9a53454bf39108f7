// A worker puts the keys of a block into the key space. It takes a few hundred at a time, sorts them by
// stripe, and then takes each stripe once: it prefetches the buckets of all its keys, and loads these. So a
// stripe costs one lock for many keys, and the misses of the processor's cache overlap.

using Cinnabar.Persistence.Rdb.Reading;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>Loads the keys of blocks. One thread at a time.</summary>
internal sealed unsafe class RdbLoadWorker : IDisposable
{
    private const int ChunkCountMax = 512;
    private const int ScratchSize = 64 * 1024;

    // What takes longer is decoded before its stripe is taken.
    private const int BigSizeMin = 2048;

    private readonly RdbLoad _load;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly RdbReadOptions _options;
    private readonly KeyspaceAccess _access;
    private readonly RdbValueLoader _loader;
    private readonly int[] _heads;
    private byte* _scratch;
    private int _scratchSize;
    private int _scratchUsed;
    private long _loaded;
    private long _expired;
    private long _empty;

    /// <param name="load">The load that it is a part of.</param>
    public RdbLoadWorker(RdbLoad load)
    {
        (_load, _keyspace, _options) = (load, load.Keyspace, load.Options);
        _access = new KeyspaceAccess(_keyspace, new KeyspaceStatistics()) { IsSilent = true };
        _loader = new RdbValueLoader(_access);
        _heads = new int[_keyspace.Stripes.Length];
        Array.Fill(_heads, -1);
        _scratch = (byte*)NativeMemory.Alloc(ScratchSize);
        _scratchSize = ScratchSize;
    }

    /// <summary>Loads all keys of a block.</summary>
    /// <exception cref="RdbFormatException">A value is damaged, or a key is there already.</exception>
    public void Load(RdbBlock block)
    {
        Span<RdbLoadEntry> entries = CollectionsMarshal.AsSpan(block.Entries);
        try
        {
            while (entries.Length > 0)
            {
                int count = Gather(block, entries);
                for (int stripe = 0; stripe < _heads.Length; stripe++)
                {
                    if (_heads[stripe] >= 0)
                        LoadStripe(block, entries, _keyspace.Stripes[stripe]);
                }

                entries = entries[count..];
            }
        }
        finally
        {
            _load.Progress.Add(_loaded, _expired, _empty, 0);
            (_loaded, _expired, _empty) = (0, 0, 0);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _loader.Dispose();
        NativeMemory.Free(_scratch);
        _scratch = null;
    }

    // Reads the names of the next keys and chains the keys of each stripe; gives the number of entries.
    private int Gather(RdbBlock block, Span<RdbLoadEntry> entries)
    {
        _scratchUsed = 0;
        DueKeys due = _options.Due?.Invoke() ?? DueKeys.Dropped;
        int index = 0;
        for (; index < entries.Length && index < ChunkCountMax; index++)
        {
            ref RdbLoadEntry entry = ref entries[index];
            bool isExpired = entry.DeadlineMs >= 0 && entry.DeadlineMs < _options.NowMs
                && due != DueKeys.Kept;
            if (isExpired && due == DueKeys.Dropped)
            {
                _expired++;
                continue;
            }

            var cursor = new RdbCursor(block.Bytes, block.Offset) { Position = entry.NamePosition };
            RdbString name = cursor.ReadString();
            if (name.Kind != RdbStringKind.Raw && !TryReserve(name.Length, isFirst: index == 0))
                break;
            entry.ValuePosition = cursor.Position;
            entry.KeyLength = name.Length;
            entry.Key = PlaceOf(block, cursor.Position, in name);
            entry.Hash = _keyspace.Hash(new ReadOnlySpan<byte>(entry.Key, entry.KeyLength));
            ref int head = ref _heads[_keyspace.StripeIndex(entry.Hash)];
            entry.Next = head;
            head = index;
            _expired += isExpired ? 1 : 0;
        }

        return index;
    }

    // SAFETY: a raw name is a part of the block, the last that was read before the position; another is
    // written to scratch that was reserved for it and stays until the next chunk.
    private byte* PlaceOf(RdbBlock block, int end, scoped in RdbString name)
    {
        if (name.Kind == RdbStringKind.Raw)
            return block.Data + end - name.Length;
        byte* place = _scratch + _scratchUsed;
        name.CopyTo(new Span<byte>(place, name.Length));
        _scratchUsed += name.Length;
        return place;
    }

    // Room for a name; a chunk ends where there is none.
    private bool TryReserve(int length, bool isFirst)
    {
        if (length <= _scratchSize - _scratchUsed)
            return true;
        if (!isFirst && _scratchUsed > 0)
            return false;
        Debug.Assert(_scratchUsed == 0, "no name lies in the scratch");
        _scratch = (byte*)NativeMemory.Realloc(_scratch, (nuint)length);
        _scratchSize = length;
        return true;
    }

    private void LoadStripe(RdbBlock block, Span<RdbLoadEntry> entries, Stripe stripe)
    {
        int head = _heads[stripe.Index];
        _heads[stripe.Index] = -1;
        bool hasBig = false;
        _load.Locks.Enter(stripe);
        try
        {
            for (int index = head; index >= 0; index = entries[index].Next)
                _keyspace.Prefetch(entries[index].Hash, entries[index].Database, out _);
            for (int index = head; index >= 0; index = entries[index].Next)
            {
                ref RdbLoadEntry entry = ref entries[index];
                if (IsBig(in entry))
                    hasBig = true;
                else if (TryRead(block, in entry))
                    Store(in entry, stripe, block.Offset);
            }
        }
        finally
        {
            _load.Locks.Exit(stripe);
        }

        for (int index = hasBig ? head : -1; index >= 0; index = entries[index].Next)
        {
            if (IsBig(in entries[index]) && TryRead(block, in entries[index]))
                StoreAlone(in entries[index], stripe, block.Offset);
        }
    }

    private static bool IsBig(in RdbLoadEntry entry) => entry.EndPosition - entry.ValuePosition > BigSizeMin;

    private void StoreAlone(in RdbLoadEntry entry, Stripe stripe, long blockOffset)
    {
        _load.Locks.Enter(stripe);
        try
        {
            Store(in entry, stripe, blockOffset);
        }
        finally
        {
            _load.Locks.Exit(stripe);
        }
    }

    // False: it is a collection without elements, and there is nothing to store.
    private bool TryRead(RdbBlock block, in RdbLoadEntry entry)
    {
        var cursor = new RdbCursor(block.Bytes[..entry.EndPosition], block.Offset)
        {
            Position = entry.ValuePosition,
        };
        try
        {
            _loader.Read(entry.Type, ref cursor);
            Debug.Assert(cursor.Left == 0, "skipper and loader agree on the end of a value");
            return true;
        }
        catch (RdbEmptyValueException)
        {
            _empty++;
            _load.Observer.EmptyKeySkipped(new ReadOnlySpan<byte>(entry.Key, entry.KeyLength));
            return false;
        }
        catch (RdbEndException end)
        {
            // The scanner has found the end of the value: within it there is another.
            throw new RdbFormatException(end.Offset, end.Message);
        }
    }

    private void Store(in RdbLoadEntry entry, Stripe stripe, long blockOffset)
    {
        stripe.TimeMs = Math.Max(stripe.TimeMs, _options.NowMs);
        _access.Begin(entry.Database, stripe.TimeMs);
        var key = new Key(entry.Key, entry.KeyLength, entry.Hash);
        if (stripe.Table(entry.Database) is { } table && table.Entries.TryFind(key.Hash, key.Span, out _))
        {
            if (!_options.ReplacesKeys)
            {
                _loader.Discard();
                throw new RdbFormatException(blockOffset + entry.NamePosition, "RDB has duplicated key "
                    + $"'{Encoding.Latin1.GetString(key.Span)}' in DB "
                    + $"{entry.Database % _keyspace.DatabaseCount}");
            }

            _access.Remove(in key);
        }

        _loader.Store(_access, in key, new RdbLoadOptions(entry.DeadlineMs, entry.Use));
        _access.Commit();
        _loaded++;
    }
}
