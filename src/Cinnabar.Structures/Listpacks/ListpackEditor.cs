// The writing side of a listpack. It never allocates: the caller computes what a change needs (Size of the
// reader, Size of elements, SizeAt of an entry that is replaced), moves the block if its capacity is less,
// and makes an editor of where it is now. Each change moves the bytes behind it once; for many elements in
// one place there is Open, for many deletions here and there ListpackSieve.

namespace Cinnabar.Structures.Listpacks;

/// <summary>Changes a listpack in place, within memory that is the caller's.</summary>
public readonly unsafe ref struct ListpackEditor
{
    private readonly byte* _data;
    private readonly int _capacity;

    /// <param name="data">A sound listpack: one that an editor wrote, or that was validated.</param>
    /// <param name="capacity">Bytes the listpack may grow to.</param>
    public ListpackEditor(byte* data, int capacity)
    {
        Debug.Assert(capacity >= Listpack.SizeOf(data), "a listpack larger than its memory");
        _data = data;
        _capacity = capacity;
    }

    /// <summary>The listpack as it is now.</summary>
    public ListpackReader Reader => new(_data);

    /// <summary>Puts an element before the entry at a position, or last if that is the end.</summary>
    /// <param name="position">A position or <see cref="ListpackReader.End"/>; the new entry's then.</param>
    /// <param name="element">Must not lie in this listpack.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is too small; nothing is
    /// changed.</exception>
    public void Insert(int position, in ListpackElement element)
    {
        Move(position, 0, element.Size, 1);
        element.Write(_data + position);
    }

    /// <summary>Puts two elements before the entry at a position, or last if that is the end.</summary>
    /// <param name="position">A position or <see cref="ListpackReader.End"/>; the first one's then.</param>
    /// <param name="first">Must not lie in this listpack.</param>
    /// <param name="second">Must not lie in this listpack.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is too small; nothing is
    /// changed.</exception>
    public void Insert(int position, in ListpackElement first, in ListpackElement second)
    {
        Move(position, 0, first.Size + second.Size, 2);
        first.Write(_data + position);
        second.Write(_data + position + first.Size);
    }

    /// <summary>Puts an element behind the last entry.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is too small; nothing is
    /// changed.</exception>
    public void Append(in ListpackElement element) => Insert(Reader.End, element);

    /// <summary>Puts two elements behind the last entry.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is too small; nothing is
    /// changed.</exception>
    public void Append(in ListpackElement first, in ListpackElement second) =>
        Insert(Reader.End, first, second);

    /// <summary>Puts an element in the place of an entry; it has the same position then.</summary>
    /// <param name="position">The entry's.</param>
    /// <param name="element">Must not lie in this listpack.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is too small; nothing is
    /// changed.</exception>
    public void Replace(int position, in ListpackElement element)
    {
        Move(position, Reader.SizeAt(position), element.Size, 0);
        element.Write(_data + position);
    }

    /// <summary>Takes entries out, from a position on; what follows has that position then.</summary>
    /// <param name="position">The first one's.</param>
    /// <param name="count">How many; fewer are taken where fewer are left.</param>
    /// <returns>How many were taken out.</returns>
    public int Delete(int position, int count = 1)
    {
        Debug.Assert(count >= 0, "a negative number of entries is taken out");
        int deleted = 0;
        byte* end = _data + Reader.End;
        byte* behind = _data + position;
        for (; deleted < count && behind < end; deleted++) behind = ListpackFormat.Skip(behind);
        Move(position, behind - (_data + position), 0, -deleted);
        return deleted;
    }

    /// <summary>Takes all entries out.</summary>
    public void Clear() => Listpack.Initialize(_data);

    /// <summary>
    /// Opens a gap for several entries before a position. They must be written before anything else is
    /// done.
    /// </summary>
    /// <param name="position">A position or <see cref="ListpackReader.End"/>; the first entry's then.</param>
    /// <param name="size">The sum of the elements' sizes.</param>
    /// <param name="count">How many there are.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is too small; nothing is
    /// changed.</exception>
    public ListpackGap Open(int position, long size, int count)
    {
        Debug.Assert(size >= 0 && count >= 0, "a gap has a size");
        Move(position, 0, size, count);
        return new ListpackGap(_data + position, (int)size, count);
    }

    /// <summary>Puts entries of another listpack before a position, or last if that is the end.</summary>
    /// <param name="position">A position or <see cref="ListpackReader.End"/>; the first entry's then.</param>
    /// <param name="entries">From <see cref="ListpackReader.Entries"/>.</param>
    /// <param name="count">How many entries these are.</param>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is too small; nothing is
    /// changed.</exception>
    public void InsertEntries(int position, ReadOnlySpan<byte> entries, int count)
    {
        Move(position, 0, entries.Length, count);
        entries.CopyTo(new Span<byte>(_data + position, entries.Length));
    }

    // Moves what is behind a position so that a part of the old size becomes one of the new size there.
    private void Move(int position, long oldSize, long newSize, int countChange)
    {
        int total = Reader.Size;
        Debug.Assert(position >= Listpack.HeaderSize && position + oldSize < total);
        long newTotal = total + newSize - oldSize;
        ArgumentOutOfRangeException.ThrowIfGreaterThan(newTotal, _capacity);
        // SAFETY: position + oldSize is at most the terminator's position, and the new end is in the
        // capacity.
        if (newSize != oldSize)
        {
            byte* source = _data + position + oldSize;
            long tail = total - position - oldSize;
            Buffer.MemoryCopy(source, _data + position + newSize, tail, tail);
            *(int*)_data = (int)newTotal;
        }
        ChangeCount(_data, countChange);
    }

    /// <summary>Adds to the count in the header, if that is known.</summary>
    internal static void ChangeCount(byte* data, int change)
    {
        int count = *(ushort*)(data + 4);
        if (count == Listpack.UnknownCount) return;
        *(ushort*)(data + 4) = (ushort)Math.Min((long)count + change, Listpack.UnknownCount);
    }
}
