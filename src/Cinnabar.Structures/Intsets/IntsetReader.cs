using Cinnabar.Platform;

namespace Cinnabar.Structures.Intsets;

/// <summary>A view of an intset; valid until that is changed or moved.</summary>
/// <param name="data">A sound intset: one that an editor wrote, or that was validated.</param>
public readonly unsafe ref struct IntsetReader(byte* data)
{
    private readonly byte* _data = data;

    /// <summary>Bytes of a member: 2, 4 or 8.</summary>
    public int Width => *(int*)_data;

    /// <summary>How many members there are.</summary>
    public int Count => *(int*)(_data + 4);

    /// <summary>Bytes of the whole intset.</summary>
    public int Size => Intset.HeaderSize + Width * Count;

    /// <summary>All bytes, as they are dumped.</summary>
    public ReadOnlySpan<byte> Bytes => new(_data, Size);

    /// <summary>The smallest member; there must be one.</summary>
    public long Min => this[0];

    /// <summary>The largest member; there must be one.</summary>
    public long Max => this[Count - 1];

    /// <summary>The member with an index, in ascending order from 0.</summary>
    public long this[int index]
    {
        get
        {
            Debug.Assert((uint)index < (uint)Count, "an index outside of the intset");
            byte* members = _data + Intset.HeaderSize;
            return Width switch
            {
                sizeof(short) => ((short*)members)[index],
                sizeof(int) => ((int*)members)[index],
                _ => ((long*)members)[index],
            };
        }
    }

    /// <summary>Whether the bytes are a sound intset and nothing else.</summary>
    /// <param name="bytes">Any bytes.</param>
    public static bool IsSound(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < Intset.HeaderSize) return false;
        uint width = MemoryMarshal.Read<uint>(bytes);
        long size = Intset.HeaderSize + (long)width * MemoryMarshal.Read<uint>(bytes[4..]);
        if (width is not (sizeof(short) or sizeof(int) or sizeof(long)) || size != bytes.Length) return false;
        ReadOnlySpan<byte> members = bytes[Intset.HeaderSize..];
        return width switch
        {
            sizeof(short) => IsAscending(MemoryMarshal.Cast<byte, short>(members)),
            sizeof(int) => IsAscending(MemoryMarshal.Cast<byte, int>(members)),
            _ => IsAscending(MemoryMarshal.Cast<byte, long>(members)),
        };
    }

    /// <summary>Whether a value is a member.</summary>
    public bool Contains(long value) => Find(value) >= 0;

    /// <summary>The index of a value; if it is no member, the complement (~) of the index it would
    /// have.</summary>
    public int Find(long value)
    {
        int count = Count;
        if (count == 0) return ~0;
        if (value > Max) return ~count;
        if (value < Min) return ~0;
        // Between two members, it fits into their width.
        byte* members = _data + Intset.HeaderSize;
        int index = Width switch
        {
            sizeof(short) => LowerBound((short*)members, count, (short)value),
            sizeof(int) => LowerBound((int*)members, count, (int)value),
            _ => LowerBound((long*)members, count, value),
        };
        return this[index] == value ? index : ~index;
    }

    /// <summary>A member, each equally likely; there must be one.</summary>
    public long Pick(ref RandomSource random) => this[(int)random.NextBelow((ulong)Count)];

    // The first member that is not less than a value, which is at most the last one.
    private static int LowerBound<T>(T* members, int count, T value)
        where T : unmanaged, IBinaryInteger<T>
    {
        // SAFETY: first + count is never above the number of members, and half is below count.
        T* first = members;
        while (count > 1)
        {
            int half = count / 2;
            bool isLess = first[half - 1] < value;
            first += half & -(isLess ? 1 : 0);
            count -= half;
        }
        return (int)(first - members);
    }

    private static bool IsAscending<T>(ReadOnlySpan<T> members)
        where T : unmanaged, IBinaryInteger<T>
    {
        for (int index = 1; index < members.Length; index++)
        {
            if (members[index - 1] >= members[index]) return false;
        }
        return true;
    }
}
