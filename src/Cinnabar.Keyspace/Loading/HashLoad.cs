using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Loading;

/// <summary>Builds a hash: a listpack of pairs, or of triplets where fields may have deadlines, while it is
/// within the limits; else a tree. <see cref="HashStore"/> has the layouts.</summary>
// SAFETY: the payload is what the constructor and the last change have made it.
public readonly unsafe ref struct HashLoad
{
    private readonly LoadedValue _value;
    private readonly bool _hasDeadlines;

    /// <summary>Begins a hash without fields.</summary>
    /// <param name="value">Where it is built.</param>
    /// <param name="count">How many fields will come.</param>
    /// <param name="hasDeadlines">Whether they may have deadlines.</param>
    public HashLoad(LoadedValue value, long count, bool hasDeadlines)
    {
        _value = value;
        _hasDeadlines = hasDeadlines;
        KeyEncoding encoding = hasDeadlines ? KeyEncoding.ListpackEx : KeyEncoding.Listpack;
        Entry.Begin(KeyType.Hash, encoding, Offset + Listpack.EmptySize);
        Listpack.Initialize(Entry.Payload + Offset);
        if (hasDeadlines)
            FieldNote.Set(Entry.Payload, FieldNote.None);
        if (count > value.Limits.HashListpackEntriesMax)
            BecomeTree();
    }

    private DetachedEntry Entry => _value.Entry;

    private TreeSource Trees => _value.Keyspace.Trees;

    private bool IsPacked => Entry.Encoding != KeyEncoding.HashTable;

    private int Offset => _hasDeadlines ? PackedHash.NoteSize : 0;

    private int Stride => _hasDeadlines ? PackedHash.TripletStride : PackedHash.PairStride;

    /// <summary>Adds a field.</summary>
    /// <param name="field">The field.</param>
    /// <param name="text">Its value.</param>
    /// <param name="deadlineMs">Unix milliseconds, at most <see cref="HashStore.DeadlineMsMax"/>; &#8722;1:
    /// none.</param>
    /// <returns>False: the field was there. True may be wrong: <see cref="TryComplete"/> finds that
    /// out.</returns>
    public bool Add(ReadOnlySpan<byte> field, ReadOnlySpan<byte> text, long deadlineMs)
    {
        Debug.Assert(deadlineMs is >= -1 and <= HashStore.DeadlineMsMax, "no deadline");
        Debug.Assert(deadlineMs < 0 || _hasDeadlines, "a field has a deadline after all");
        if (IsPacked)
        {
            if (Math.Max(field.Length, text.Length) <= _value.Limits.HashListpackValueMax
                && TryPack(field, text, deadlineMs))
                return true;
            if (!TryBecomeTree())
                return false;
        }

        return AddToTree(field, text, deadlineMs);
    }

    /// <summary>Takes a listpack as the hash, if one may be so large; nothing was added.</summary>
    /// <param name="listpack">A sound one of pairs, or of triplets in the order of their deadlines; without
    /// duplicates.</param>
    /// <param name="firstDeadlineMs">The first deadline; &#8722;1: none.</param>
    public bool TryTake(byte* listpack, long firstDeadlineMs)
    {
        var reader = new ListpackReader(listpack);
        if (!IsPacked || Offset + reader.Size > KeyEntry.InlineValueLengthMax)
            return false;
        byte* payload = Entry.Resize(Offset + reader.Size, Entry.Encoding);
        reader.Bytes.CopyTo(new Span<byte>(payload + Offset, reader.Size));
        if (_hasDeadlines && firstDeadlineMs >= 0)
            FieldNote.Set(payload, firstDeadlineMs);
        return true;
    }

    /// <summary>Ends the building of a hash to which fields were added; false: two of them are
    /// equal.</summary>
    public bool TryComplete()
    {
        if (!IsPacked)
        {
            if (_hasDeadlines && HashTree.FirstDeadlineMs(Entry.Entry) is >= 0 and long firstMs)
                FieldNote.Set(FieldNote.PlaceOf(Entry.Entry), firstMs);
            return true;
        }

        if (ListpackDuplicates.Has(Entry.Payload + Offset, Stride, _value.Keyspace.Seed))
            return false;
        if (!_hasDeadlines)
            return true;
        SortByDeadline();
        long first = new PackedHash(Entry.Entry).FirstDeadlineMs;
        if (first >= 0)
            FieldNote.Set(Entry.Payload, first);
        return true;
    }

    /// <summary>Whether triplets have deadlines as a hash may have them.</summary>
    /// <param name="listpack">A sound listpack of triplets.</param>
    /// <param name="firstMs">The first of them; &#8722;1: none.</param>
    /// <param name="isInOrder">Whether they are in order, those without deadline last.</param>
    public static bool AreDeadlines(byte* listpack, out long firstMs, out bool isInOrder)
    {
        var reader = new ListpackReader(listpack);
        firstMs = -1;
        isInOrder = true;
        long last = 0;
        bool isEnd = false;
        for (int position = Listpack.HeaderSize; position < reader.End;
             position = reader.Behind(position, PackedHash.TripletStride))
        {
            ListpackValue value = reader[reader.Behind(position, PackedHash.PairStride)];
            if (!value.IsInteger || value.Integer is < 0 or > HashStore.DeadlineMsMax)
                return false;
            long deadlineMs = value.Integer;
            isInOrder &= deadlineMs == 0 || (!isEnd && deadlineMs >= last);
            isEnd |= deadlineMs == 0;
            last = Math.Max(deadlineMs, last);
            if (firstMs < 0 && deadlineMs != 0)
                firstMs = deadlineMs;
        }

        return true;
    }

    private bool TryPack(ReadOnlySpan<byte> field, ReadOnlySpan<byte> text, long deadlineMs)
    {
        var name = new ListpackElement(field);
        var content = new ListpackElement(text);
        var deadline = new ListpackElement(Math.Max(deadlineMs, 0));
        long added = name.Size + content.Size + (_hasDeadlines ? deadline.Size : 0);
        long size = Entry.Size + added;
        var reader = new ListpackReader(Entry.Payload + Offset);
        if (size > KeyEntry.InlineValueLengthMax
            || reader.Count / Stride >= _value.Limits.HashListpackEntriesMax)
            return false;
        byte* payload = Entry.Resize((int)size, Entry.Encoding);
        var editor = new ListpackEditor(payload + Offset, (int)size - Offset);
        ListpackGap gap = editor.Open(editor.Reader.End, added, Stride);
        gap.Write(in name);
        gap.Write(in content);
        if (_hasDeadlines)
            gap.Write(in deadline);
        gap.Complete();
        return true;
    }

    private bool AddToTree(ReadOnlySpan<byte> field, ReadOnlySpan<byte> text, long deadlineMs)
    {
        HashPages pages = HashTree.Pages(Entry.Entry);
        bool isNew = pages.TryAdd(Trees, new HashField(field, text, deadlineMs), out _);
        HashTree.SetPages(Entry.Entry, pages);
        if (!isNew || deadlineMs < 0)
            return isNew;
        FieldDeadlines deadlines = HashTree.Deadlines(Entry.Entry);
        deadlines.Add(Trees, deadlineMs, field);
        HashTree.SetDeadlines(Entry.Entry, deadlines);
        return true;
    }

    // False: fields that were packed are equal.
    private bool TryBecomeTree()
    {
        int size = Entry.Size - Offset;
        byte[] copy = new ReadOnlySpan<byte>(Entry.Payload + Offset, size).ToArray();
        BecomeTree();
        Span<byte> nameScratch = stackalloc byte[ListpackValue.ScratchSize];
        Span<byte> valueScratch = stackalloc byte[ListpackValue.ScratchSize];
        fixed (byte* data = copy)
        {
            var reader = new ListpackReader(data);
            for (int position = Listpack.HeaderSize; position < reader.End;
                 position = reader.Behind(position, Stride))
            {
                int second = reader.Behind(position);
                long deadlineMs = _hasDeadlines ? reader[reader.Behind(second)].Integer : 0;
                if (!AddToTree(reader[position].AsText(nameScratch), reader[second].AsText(valueScratch),
                        deadlineMs == 0 ? HashStore.NoDeadline : deadlineMs))
                    return false;
            }
        }

        return true;
    }

    private void BecomeTree()
    {
        HashPages pages = HashPages.Create(Trees);
        if (!_hasDeadlines)
        {
            Entry.Resize(HashTree.PlainSize, KeyEncoding.HashTable);
            HashTree.SetPages(Entry.Entry, pages);
            return;
        }

        FieldDeadlines deadlines = FieldDeadlines.Create(Trees);
        Entry.Resize(HashTree.DeadlinesSize, KeyEncoding.HashTable);
        HashTree.SetPages(Entry.Entry, pages);
        HashTree.SetDeadlines(Entry.Entry, deadlines);
        FieldNote.Set(FieldNote.PlaceOf(Entry.Entry), FieldNote.None);
    }

    private void SortByDeadline()
    {
        int size = Entry.Size - Offset;
        byte[] copy = new ReadOnlySpan<byte>(Entry.Payload + Offset, size).ToArray();
        var packed = new PackedHash(Entry.Entry);
        var places = new List<(long DeadlineMs, int Position)>(packed.Count);
        for (int position = Listpack.HeaderSize; position < packed.Reader.End;
             position = packed.Reader.Behind(position, Stride))
        {
            long deadlineMs = packed.DeadlineAt(position);
            places.Add((deadlineMs < 0 ? long.MaxValue : deadlineMs, position));
        }

        places.Sort();
        byte* listpack = Entry.Payload + Offset;
        Listpack.Initialize(listpack);
        fixed (byte* data = copy)
        {
            var reader = new ListpackReader(data);
            var editor = new ListpackEditor(listpack, size);
            foreach ((long _, int position) in places)
            {
                editor.InsertEntries(editor.Reader.End,
                    reader.Entries(position, reader.Behind(position, Stride)), Stride);
            }
        }
    }
}
