using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Hashes;

// SAFETY: the entry is a live one of a stripe whose lock the caller holds, of one of the two encodings.
/// <summary>The reading side of a small hash: <see cref="HashStore"/> has the layouts.</summary>
internal readonly unsafe ref struct PackedHash
{
    /// <summary>Bytes before the listpack of a <see cref="KeyEncoding.ListpackEx"/>.</summary>
    internal const int NoteSize = sizeof(long);

    /// <summary>Entries of a field and its value.</summary>
    internal const int PairStride = 2;

    /// <summary>Entries of a field, its value and its deadline.</summary>
    internal const int TripletStride = 3;

    private readonly byte* _data;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PackedHash(byte* entry)
    {
        bool hasDeadlines = KeyEntry.Encoding(entry) == KeyEncoding.ListpackEx;
        Stride = hasDeadlines ? TripletStride : PairStride;
        _data = KeyEntry.Value(entry) + (hasDeadlines ? NoteSize : 0);
    }

    /// <summary>Entries that belong together.</summary>
    internal int Stride { get; }

    /// <summary>Whether fields may have deadlines.</summary>
    internal bool HasDeadlines => Stride == TripletStride;

    /// <summary>Bytes before the listpack.</summary>
    internal int Offset => HasDeadlines ? NoteSize : 0;

    /// <summary>The listpack.</summary>
    internal byte* Data => _data;

    /// <summary>The listpack, to be read.</summary>
    internal ListpackReader Reader => new(_data);

    /// <summary>Fields, those past their deadline included.</summary>
    internal int Count => Reader.Count / Stride;

    /// <summary>The position of a field; 0: there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int Find(System.ReadOnlySpan<byte> field)
    {
        var reader = new ListpackReader(_data);
        return reader.Find(field, reader.First, Stride);
    }

    internal FieldText NameAt(int position) => new(Reader[position]);

    internal FieldText ValueAt(int position)
    {
        var reader = new ListpackReader(_data);
        return new FieldText(reader[reader.Next(position)]);
    }

    internal FieldView FieldAt(int position) =>
        new(NameAt(position), ValueAt(position), DeadlineAt(position));

    /// <summary>The deadline of the field at a position; &#8722;1: none.</summary>
    internal long DeadlineAt(int position)
    {
        if (!HasDeadlines)
            return HashStore.NoDeadline;
        var reader = new ListpackReader(_data);
        long deadlineMs = reader[reader.Behind(position, PairStride)].Integer;
        return deadlineMs == 0 ? HashStore.NoDeadline : deadlineMs;
    }

    /// <summary>The earliest deadline; &#8722;1: none.</summary>
    internal long FirstDeadlineMs
    {
        get
        {
            int first = Reader.First;
            return first == 0 ? HashStore.NoDeadline : DeadlineAt(first);
        }
    }

    /// <summary>Fields whose deadline has passed at an instant: they come first.</summary>
    /// <param name="nowMs">The instant, Unix time in milliseconds.</param>
    /// <param name="position">Behind them: of the first other field, or the end.</param>
    internal int CountDue(long nowMs, out int position)
    {
        position = Listpack.HeaderSize;
        if (!HasDeadlines)
            return 0;
        ListpackReader reader = Reader;
        int count = 0;
        for (; position < reader.End; count++)
        {
            if (!FieldNote.IsDue(DeadlineAt(position), nowMs))
                break;
            position = reader.Behind(position, TripletStride);
        }

        return count;
    }

    /// <summary>Where a field with a deadline belongs: behind those that are not later, before those that
    /// have none.</summary>
    internal int PlaceFor(long deadlineMs)
    {
        ListpackReader reader = Reader;
        int position = Listpack.HeaderSize;
        while (position < reader.End)
        {
            long here = DeadlineAt(position);
            if (here < 0 || here > deadlineMs)
                break;
            position = reader.Behind(position, TripletStride);
        }

        return position;
    }
}
