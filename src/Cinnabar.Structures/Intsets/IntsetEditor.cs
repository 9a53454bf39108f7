namespace Cinnabar.Structures.Intsets;

/// <summary>Changes an intset in place, within memory that is the caller's.</summary>
public readonly unsafe ref struct IntsetEditor
{
    private readonly byte* _data;
    private readonly int _capacity;

    /// <param name="data">A sound intset: one that an editor wrote, or that was validated.</param>
    /// <param name="capacity">Bytes the intset may grow to.</param>
    public IntsetEditor(byte* data, int capacity)
    {
        _data = data;
        _capacity = capacity;
        Debug.Assert(capacity >= Reader.Size, "an intset larger than its memory");
    }

    /// <summary>The intset as it is now.</summary>
    public IntsetReader Reader => new(_data);

    /// <summary>Bytes of an intset when a value that is no member has been added.</summary>
    public static long SizeWith(IntsetReader intset, long value) =>
        Intset.HeaderSize + (long)Math.Max(intset.Width, Intset.WidthOf(value)) * (intset.Count + 1L);

    /// <summary>Adds a value; false: it was there.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is too small; nothing is
    /// changed.</exception>
    public bool Add(long value)
    {
        IntsetReader reader = Reader;
        int found = reader.Find(value);
        if (found >= 0) return false;
        ArgumentOutOfRangeException.ThrowIfGreaterThan(SizeWith(reader, value), _capacity, nameof(value));
        int index = ~found;
        int count = reader.Count;
        int width = reader.Width;
        int newWidth = Intset.WidthOf(value);
        byte* members = _data + Intset.HeaderSize;
        if (newWidth > width)
        {
            // It is outside of what the others can be, so it is the first or the last.
            Widen(newWidth, value < 0 ? 1 : 0);
            width = newWidth;
        }
        else
        {
            // SAFETY: the size with one more member is within the capacity.
            byte* place = members + (long)index * width;
            long tail = (long)(count - index) * width;
            Buffer.MemoryCopy(place, place + width, tail, tail);
        }
        Store(members, index, width, value);
        *(int*)(_data + 4) = count + 1;
        return true;
    }

    /// <summary>Removes a value; false: it was no member.</summary>
    public bool Remove(long value)
    {
        int index = Reader.Find(value);
        if (index < 0) return false;
        RemoveAt(index);
        return true;
    }

    /// <summary>Removes members, from an index on.</summary>
    /// <param name="index">The first one's.</param>
    /// <param name="count">How many; as many must be there.</param>
    public void RemoveAt(int index, int count = 1)
    {
        int oldCount = Reader.Count;
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        ArgumentOutOfRangeException.ThrowIfGreaterThan((long)index + count, oldCount, nameof(count));
        long width = Reader.Width;
        byte* place = _data + Intset.HeaderSize + index * width;
        long tail = (oldCount - index - count) * width;
        // SAFETY: what is moved ends with the last member.
        Buffer.MemoryCopy(place + count * width, place, tail, tail);
        *(int*)(_data + 4) = oldCount - count;
    }

    // Stores all members with a greater width, a number of places further on, the last one first.
    private void Widen(int width, int places)
    {
        IntsetReader reader = Reader;
        Debug.Assert(width > reader.Width, "an intset does not get narrower");
        for (int index = reader.Count - 1; index >= 0; index--)
        {
            Store(_data + Intset.HeaderSize, index + places, width, reader[index]);
        }
        *(int*)_data = width;
    }

    private static void Store(byte* members, int index, int width, long value)
    {
        // SAFETY: the callers have made sure of the capacity.
        switch (width)
        {
            case sizeof(short):
                ((short*)members)[index] = (short)value;
                break;
            case sizeof(int):
                ((int*)members)[index] = (int)value;
                break;
            default:
                ((long*)members)[index] = value;
                break;
        }
    }
}
