using System.Buffers;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Hashes;

// SAFETY: the slot's stripe is locked and the change announced. The payload is never smaller than what its
// listpack needs, and may be larger until the change is completed.
/// <summary>The changing side of a small hash. What does not fit into an entry is refused.</summary>
internal readonly unsafe ref struct PackedHashEditor(ValueSlot slot)
{
    private readonly ValueSlot _slot = slot;

    private PackedHash Hash => new(_slot.Entry);

    /// <summary>Gives the field at a position another value.</summary>
    internal bool TryReplaceValue(int position, ReadOnlySpan<byte> value)
    {
        ListpackReader reader = Hash.Reader;
        return TryReplace(reader.Next(position), new ListpackElement(value));
    }

    /// <summary>Adds a field that is not there yet; with a deadline only where there is room for
    /// those.</summary>
    internal bool TryAdd(ReadOnlySpan<byte> field, ReadOnlySpan<byte> value, long deadlineMs)
    {
        var name = new ListpackElement(field);
        var text = new ListpackElement(value);
        PackedHash hash = Hash;
        if (!hash.HasDeadlines)
        {
            if (!TryGrow(name.Size + text.Size))
                return false;
            Editor().Append(in name, in text);
            return true;
        }

        var deadline = new ListpackElement(Math.Max(deadlineMs, 0));
        int position = deadlineMs < 0 ? hash.Reader.End : hash.PlaceFor(deadlineMs);
        long size = name.Size + text.Size + deadline.Size;
        if (!TryGrow(size))
            return false;
        ListpackGap gap = Editor().Open(position, size, PackedHash.TripletStride);
        gap.Write(in name);
        gap.Write(in text);
        gap.Write(in deadline);
        gap.Complete();
        return true;
    }

    /// <summary>Removes the field at a position.</summary>
    internal void Remove(int position) => Editor().Delete(position, Hash.Stride);

    /// <summary>Gives the field at a position another deadline, or takes it away; there is room for
    /// those.</summary>
    internal bool TrySetDeadline(int position, long deadlineMs)
    {
        ListpackReader reader = Hash.Reader;
        int place = reader.Behind(position, PackedHash.PairStride);
        if (!TryReplace(place, new ListpackElement(Math.Max(deadlineMs, 0))))
            return false;
        MoveToPlace(position, deadlineMs);
        return true;
    }

    /// <summary>Makes room for deadlines in a hash that has none.</summary>
    internal bool TryAddDeadlines()
    {
        PackedHash hash = Hash;
        ListpackReader old = hash.Reader;
        var none = new ListpackElement(0);
        int count = hash.Count;
        long size = PackedHash.NoteSize + Listpack.EmptySize + (count * none.Size);
        foreach (ListpackValue value in old)
            size += ListpackElement.Of(in value).Size;
        if (size > KeyEntry.InlineValueLengthMax)
            return false;
        byte[] copy = ArrayPool<byte>.Shared.Rent(old.Size);
        old.Bytes.CopyTo(copy);
        byte* payload = _slot.Resize((int)size, KeyEncoding.ListpackEx);
        FieldNote.Set(payload, FieldNote.None);
        Listpack.Initialize(payload + PackedHash.NoteSize);
        fixed (byte* data = copy)
        {
            ListpackGap gap = Editor().Open(Listpack.HeaderSize,
                size - PackedHash.NoteSize - Listpack.EmptySize, count * PackedHash.TripletStride);
            bool isValue = false;
            foreach (ListpackValue value in new ListpackReader(data))
            {
                gap.Write(ListpackElement.Of(in value));
                if (isValue)
                    gap.Write(in none);
                isValue = !isValue;
            }

            gap.Complete();
        }

        ArrayPool<byte>.Shared.Return(copy);
        return true;
    }

    /// <summary>Gives back what the listpack does not need any more.</summary>
    internal void Trim()
    {
        PackedHash hash = Hash;
        int size = hash.Offset + hash.Reader.Size;
        if (size != _slot.PayloadSize)
            _slot.Resize(size);
    }

    private bool TryReplace(int position, in ListpackElement element)
    {
        if (!TryGrow(element.Size - Hash.Reader.SizeAt(position)))
            return false;
        Editor().Replace(position, in element);
        return true;
    }

    private ListpackEditor Editor()
    {
        PackedHash hash = Hash;
        return new ListpackEditor(hash.Data, _slot.PayloadSize - hash.Offset);
    }

    private bool TryGrow(long bytes)
    {
        PackedHash hash = Hash;
        long size = hash.Offset + hash.Reader.Size + bytes;
        if (size <= _slot.PayloadSize)
            return true;
        if (size > KeyEntry.InlineValueLengthMax)
            return false;
        _slot.Resize((int)size);
        return true;
    }

    // Takes a field whose deadline has changed out of the order and puts it where it belongs.
    private void MoveToPlace(int position, long deadlineMs)
    {
        PackedHash hash = Hash;
        ReadOnlySpan<byte> bytes = hash.Reader.Entries(
            position, hash.Reader.Behind(position, PackedHash.TripletStride));
        byte[] copy = ArrayPool<byte>.Shared.Rent(bytes.Length);
        Span<byte> field = copy.AsSpan(0, bytes.Length);
        bytes.CopyTo(field);
        ListpackEditor editor = Editor();
        editor.Delete(position, PackedHash.TripletStride);
        int place = deadlineMs < 0 ? hash.Reader.End : hash.PlaceFor(deadlineMs);
        editor.InsertEntries(place, field, PackedHash.TripletStride);
        ArrayPool<byte>.Shared.Return(copy);
    }
}
