using Cinnabar.Structures.Blocks;

namespace Cinnabar.Engine.Sessions;

/// <summary>
/// Bytes that a session's peer has not taken yet, in order. A big string is one item, however many blocks it
/// has.
/// </summary>
internal sealed unsafe class OutputQueue(BlockSource blocks)
{
    private const int CompactionThreshold = 64;

    private readonly BlockSource _blocks = blocks;
    private readonly List<OutputSegment> _items = [];
    private int _first;

    /// <summary>Number of bytes.</summary>
    public long ByteCount { get; private set; }

    /// <summary>Number of items.</summary>
    public int ItemCount => _items.Count - _first;

    /// <summary>Whether a transport holds the first segments until it reports completion.</summary>
    public bool IsPending { get; set; }

    /// <summary>The first runs of bytes, at most <paramref name="countMax"/> of them.</summary>
    public int CopyFirst(OutputSegment* target, int countMax)
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
        _items.Add(item);
        ByteCount += item.Length;
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
        _first = 0;
        ByteCount = 0;
    }

    private void Release(ref OutputSegment item)
    {
        if (item.Block != null)
            item.Block->Release();
        else
            item.Value.Release(_blocks);
    }
}
