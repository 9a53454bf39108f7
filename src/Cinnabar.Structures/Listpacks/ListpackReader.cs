// The reading side of a listpack. See Listpack for the format and for what a position is.
//
// Find. Fields of one hash tend to have one length and one beginning ("field:17"), so the first byte of an
// entry sorts out other lengths only. The end of the text differs soonest: the last 8 bytes are compared at
// once. They may be read even if the text is shorter, since at least the header's 6 bytes and the first byte
// lie in front of it; a mask takes the text's own bytes out of them. Only texts of more than 8 bytes whose
// last 8 agree are compared in full.
using Cinnabar.Resp;

namespace Cinnabar.Structures.Listpacks;

/// <summary>A view of a listpack; valid until that is changed or moved.</summary>
public readonly unsafe ref struct ListpackReader
{
    private readonly byte* _data;

    /// <param name="data">A sound listpack: one that an editor wrote, or that was validated.</param>
    public ListpackReader(byte* data)
    {
        Debug.Assert(data[Listpack.SizeOf(data) - 1] == Listpack.Terminator, "no listpack");
        _data = data;
    }

    internal byte* Address => _data;

    /// <summary>Bytes of the whole listpack.</summary>
    public int Size => *(int*)_data;

    /// <summary>The position behind the last entry: of the terminator.</summary>
    public int End => Size - 1;

    /// <summary>Whether there is no entry.</summary>
    public bool IsEmpty => Size == Listpack.EmptySize;

    /// <summary>How many entries there are; a walk where the header cannot say (65,535 and more).</summary>
    public int Count
    {
        get
        {
            int count = *(ushort*)(_data + 4);
            return count == Listpack.UnknownCount ? Walk() : count;
        }
    }

    /// <summary>All bytes, as they are dumped.</summary>
    public ReadOnlySpan<byte> Bytes => new(_data, Size);

    /// <summary>The position of the first entry; 0: there is none.</summary>
    public int First => IsEmpty ? 0 : Listpack.HeaderSize;

    /// <summary>The position of the last entry; 0: there is none.</summary>
    public int Last => IsEmpty ? 0 : (int)(ListpackFormat.SkipBack(_data + End) - _data);

    /// <summary>What an entry holds.</summary>
    public ListpackValue this[int position]
    {
        get
        {
            byte* entry = At(position);
            return ListpackFormat.IsInteger(*entry)
                ? new ListpackValue(ListpackFormat.ReadInteger(entry))
                : new ListpackValue(ListpackFormat.ReadText(entry));
        }
    }

    /// <summary>The position of the entry after one; 0: there is none.</summary>
    public int Next(int position)
    {
        byte* next = ListpackFormat.Skip(At(position));
        return *next == Listpack.Terminator ? 0 : (int)(next - _data);
    }

    /// <summary>The position of the entry before one, which may be <see cref="End"/>; 0: none.</summary>
    public int Previous(int position)
    {
        Debug.Assert(position >= Listpack.HeaderSize && position <= End);
        return position == Listpack.HeaderSize ? 0 : (int)(ListpackFormat.SkipBack(_data + position) - _data);
    }

    /// <summary>The position behind an entry: of the next one or <see cref="End"/>.</summary>
    public int Behind(int position) => (int)(ListpackFormat.Skip(At(position)) - _data);

    /// <summary>The position behind a number of entries, or <see cref="End"/> if there are fewer.</summary>
    public int Behind(int position, int count)
    {
        byte* entry = _data + position;
        byte* end = _data + End;
        for (; count > 0 && entry < end; count--) entry = ListpackFormat.Skip(entry);
        return (int)(entry - _data);
    }

    /// <summary>Bytes of an entry.</summary>
    public int SizeAt(int position) => Behind(position) - position;

    /// <summary>The bytes of the entries from one position up to another, to be inserted
    /// elsewhere.</summary>
    public ReadOnlySpan<byte> Entries(int from, int to)
    {
        Debug.Assert(from >= Listpack.HeaderSize && from <= to && to <= End);
        return new ReadOnlySpan<byte>(_data + from, to - from);
    }

    /// <summary>The position of the entry with an index, walking from the nearer end.</summary>
    /// <param name="index">From 0; -1 is the last entry.</param>
    /// <returns>0: there is no such entry.</returns>
    public int Seek(int index)
    {
        int count = Count;
        if (index < 0) index += count;
        if ((uint)index >= (uint)count) return 0;
        if (index <= count / 2) return Behind(Listpack.HeaderSize, index);
        byte* entry = _data + End;
        for (int left = count - index; left > 0; left--) entry = ListpackFormat.SkipBack(entry);
        return (int)(entry - _data);
    }

    /// <summary>Finds a text, or the integer that it is.</summary>
    /// <param name="text">What an entry is compared with.</param>
    /// <param name="position">The first entry to be compared; 0 finds nothing.</param>
    /// <param name="stride">1: every entry is compared; 2: every second one, and so on.</param>
    /// <returns>The entry's position; 0: there is none.</returns>
    public int Find(ReadOnlySpan<byte> text, int position, int stride = 1)
    {
        Debug.Assert(stride > 0, "a stride of nothing");
        if (position == 0) return 0;
        byte* found = null;
        if (RedisNumber.TryParseInt64(text, out long integer))
            found = FindInteger(At(position), text, integer, stride);
        else if (text.Length - 1 < ListpackFormat.Text6LengthMax && text.Length > 0)
            found = FindShort(At(position), text, stride);
        else
            found = FindText(At(position), text, stride);
        return found == null ? 0 : (int)(found - _data);
    }

    /// <summary>For <c>foreach</c> over all entries.</summary>
    public ListpackEnumerator GetEnumerator() => new(_data);

    private byte* At(int position)
    {
        Debug.Assert(position >= Listpack.HeaderSize && position < End);
        return _data + position;
    }

    private int Walk()
    {
        int count = 0;
        byte* end = _data + End;
        byte* entry = _data + Listpack.HeaderSize;
        for (; entry < end; count++) entry = ListpackFormat.Skip(entry);
        return count;
    }

    // 1 to 63 bytes that are no integer: an entry with just this first byte holds them, or one that was not
    // written here and has a longer length than it needs.
    private byte* FindShort(byte* entry, ReadOnlySpan<byte> text, int stride)
    {
        int length = text.Length;
        byte first = (byte)(ListpackFormat.Text6 | length);
        ulong mask = length >= sizeof(ulong) ? ulong.MaxValue : ulong.MaxValue << (64 - 8 * length);
        ulong tail = TailOf(text);
        byte* end = _data + End;
        while (entry < end)
        {
            // SAFETY: the text is length bytes behind the first byte; 7 bytes at least are in front of it.
            if (*entry == first
                && ((*(ulong*)(entry + 1 + length - sizeof(ulong)) ^ tail) & mask) == 0
                && (length <= sizeof(ulong) || new ReadOnlySpan<byte>(entry + 1, length).SequenceEqual(text)))
            {
                return entry;
            }
            bool isLong = *entry is >= ListpackFormat.Text12 and <= ListpackFormat.Text32;
            if (isLong && ListpackFormat.ReadText(entry).SequenceEqual(text)) return entry;
            entry = Stride(entry, stride);
        }
        return null;
    }

    private byte* FindInteger(byte* entry, ReadOnlySpan<byte> text, long integer, int stride)
    {
        byte* end = _data + End;
        while (entry < end)
        {
            bool isEqual = ListpackFormat.IsInteger(*entry)
                ? ListpackFormat.ReadInteger(entry) == integer
                : ListpackFormat.ReadText(entry).SequenceEqual(text);
            if (isEqual) return entry;
            entry = Stride(entry, stride);
        }
        return null;
    }

    private byte* FindText(byte* entry, ReadOnlySpan<byte> text, int stride)
    {
        byte* end = _data + End;
        while (entry < end)
        {
            if (!ListpackFormat.IsInteger(*entry) && ListpackFormat.ReadText(entry).SequenceEqual(text))
                return entry;
            entry = Stride(entry, stride);
        }
        return null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* Stride(byte* entry, int stride)
    {
        entry = SkipGuessed(entry);
        if (stride == 1) return entry;
        entry = SkipGuessed(entry);
        for (int left = stride - 2; left > 0; left--) entry = ListpackFormat.Skip(entry);
        return entry;
    }

    // The entries of one search are usually of one kind. A branch that is guessed right saves the table's
    // load, for which the next entry's address would wait: a third of the time of a search.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* SkipGuessed(byte* entry)
    {
        uint length = (uint)*entry - ListpackFormat.Text6;
        return length <= ListpackFormat.Text6LengthMax ? entry + length + 2 : ListpackFormat.Skip(entry);
    }

    // The last 8 bytes as a number; if there are fewer, they are its high ones, as a load would have them.
    private static ulong TailOf(ReadOnlySpan<byte> text)
    {
        if (text.Length >= sizeof(ulong)) return BitConverter.ToUInt64(text[^sizeof(ulong)..]);
        ulong tail = 0;
        foreach (byte value in text) tail = tail >> 8 | (ulong)value << 56;
        return tail;
    }
}
