using Cinnabar.Memory;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Engine.Sessions;

/// <summary>
/// Bytes that a session's peer has not taken yet, in order. A big string is one item, however many blocks it
/// has.
/// </summary>
/// <param name="blocks">The source of big strings.</param>
/// <param name="counted">Counts the items: of a message to many clients each has no more.</param>
internal sealed unsafe class OutputQueue(BlockSource blocks, CountedMemory counted)
{
    private const int CompactionThreshold = 64;

    // Most queues have a few items, which are not worth a count that all loops share.
    private const int UncountedItemsMax = 64;

    private readonly BlockSource _blocks = blocks;
    private readonly CountedMemory _counted = counted;
    private readonly List<OutputSegment> _items = [];
    private readonly Queue<OutputHold> _holds = new();
    private int _first;
    private long _appended;
    private long _checked;

    /// <summary>Number of bytes.</summary>
    public long ByteCount { get; private set; }

    /// <summary>Bytes of the items where there are many. Any thread may look.</summary>
    public long ItemBytes { get; private set; }

    /// <summary>Number of items.</summary>
    public int ItemCount => _items.Count - _first;

    /// <summary>Whether a transport holds the first segments until it reports completion.</summary>
    public bool IsPending { get; set; }

    /// <summary>Whether the loop's list of sessions that wait for the journal has it.</summary>
    public bool IsListed { get; set; }

    /// <summary>The bytes that wait for the peer: those that wait for the journal count against no
    /// limit.</summary>
    public long PeerBytes => _holds.TryPeek(out OutputHold hold)
        ? Math.Max(0, hold.Start - (_appended - ByteCount)) : ByteCount;

    /// <summary>Whether bytes have come that <see cref="Check"/> does not know.</summary>
    public bool HasUnchecked => _checked < _appended;

    /// <summary>Whether some of the bytes may not leave yet.</summary>
    public bool IsHeld => _holds.Count > 0;

    /// <summary>Notes of all bytes that came since the last time when they may leave.</summary>
    /// <param name="position">The position of the journal that must be durable first; 0: at once, or with the
    /// bytes before them.</param>
    public void Check(long position)
    {
        if (position > 0)
            _holds.Enqueue(new OutputHold(_checked, position));
        _checked = _appended;
    }

    /// <summary>Whether bytes that waited may leave by now.</summary>
    /// <param name="durable">The position up to which the journal is durable.</param>
    public bool IsDue(long durable) => _holds.TryPeek(out OutputHold hold) && hold.Position <= durable;

    /// <summary>How many bytes may leave; they count as held no more.</summary>
    /// <param name="durable">The position up to which the journal is durable.</param>
    public long FreeBytes(long durable)
    {
        while (IsDue(durable))
            _holds.Dequeue();
        return _holds.TryPeek(out OutputHold next) ? next.Start - (_appended - ByteCount) : ByteCount;
    }

    /// <summary>The first runs of bytes, at most <paramref name="countMax"/> of them.</summary>
    /// <param name="target">Where they go.</param>
    /// <param name="countMax">How many runs.</param>
    /// <param name="bytesMax">How many bytes.</param>
    public int CopyFirst(OutputSegment* target, int countMax, long bytesMax = long.MaxValue)
    {
        int count = CopyRuns(target, countMax);
        for (int index = 0; index < count; index++)
        {
            if (target[index].Length >= bytesMax)
            {
                target[index].Length = bytesMax;
                return index + (bytesMax > 0 ? 1 : 0);
            }

            bytesMax -= target[index].Length;
        }

        return count;
    }

    private int CopyRuns(OutputSegment* target, int countMax)
    {
        int count = 0;
        foreach (OutputSegment item in CollectionsMarshal.AsSpan(_items)[_first..])
        {
            if (item.Block != null)
            {
                target[count++] = item;
            }
            else
            {
                for (long done = 0; done < item.Length && count < countMax;)
                {
                    ReadOnlySpan<byte> run = item.Value.SpanAt(item.ValueOffset + done);
                    long length = Math.Min(run.Length, item.Length - done);
                    // SAFETY: the item holds a reference of the string, whose blocks do not move while it
                    // does.
                    byte* data = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(run));
                    target[count++] = new OutputSegment { Data = data, Length = length };
                    done += length;
                }
            }

            if (count == countMax)
                break;
        }

        return count;
    }

    /// <summary>Appends an item; its reference comes along.</summary>
    public void Append(in OutputSegment item)
    {
        bool isGrowing = _items.Count == _items.Capacity;
        _items.Add(item);
        if (isGrowing)
            CountItems();
        ByteCount += item.Length;
        _appended += item.Length;
    }

    /// <summary>Drops sent bytes from the front.</summary>
    public void Advance(long byteCount)
    {
        ByteCount -= byteCount;
        Span<OutputSegment> items = CollectionsMarshal.AsSpan(_items);
        while (byteCount > 0)
        {
            ref OutputSegment item = ref items[_first];
            long step = Math.Min(byteCount, item.Length);
            item.Length -= step;
            byteCount -= step;
            if (item.Block != null)
                item.Data += step;
            else
                item.ValueOffset += step;
            if (item.Length > 0)
                break;
            Release(ref item);
            _first++;
        }

        if (_first > CompactionThreshold && _first * 2 > _items.Count)
        {
            _items.RemoveRange(0, _first);
            _first = 0;
        }
    }

    /// <summary>Drops everything.</summary>
    public void Clear()
    {
        foreach (ref OutputSegment item in CollectionsMarshal.AsSpan(_items)[_first..])
            Release(ref item);
        _items.Clear();
        if (_items.Capacity > UncountedItemsMax)
            _items.Capacity = 0;
        CountItems();
        _holds.Clear();
        _first = 0;
        ByteCount = 0;
        _checked = _appended;
    }

    private void CountItems()
    {
        long bytes = _items.Capacity > UncountedItemsMax
            ? (long)_items.Capacity * sizeof(OutputSegment) : 0;
        _counted.Add(bytes - ItemBytes);
        ItemBytes = bytes;
    }

    private void Release(ref OutputSegment item)
    {
        if (item.Block != null)
            item.Block->Release();
        else
            item.Value.Release(_blocks);
    }
}
