using Cinnabar.Keyspace.Hashes;
using Cinnabar.Keyspace.Loading;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Ziplists;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Reads hashes of every encoding, with and without deadlines of fields.</summary>
// SAFETY: listpacks are pinned and sound when they are read.
internal static unsafe class RdbHashReader
{
    private const int PairStride = 2;
    private const int TripletStride = 3;
    private const string Duplicate = "Hash with dup elements";
    private const string DuplicateInZipmap = "Hash zipmap with dup elements";

    public static void Read(
        RdbType type, ref RdbCursor cursor, LoadedValue value, RdbBuffer first, RdbBuffer second)
    {
        long at = cursor.Offset;
        switch (type)
        {
            case RdbType.Hash or RdbType.HashMetadata or RdbType.HashMetadataPreGa or RdbType.ValkeyHash2:
                ReadFields(type, ref cursor, value, first, second);
                break;
            case RdbType.HashZipmap:
                ReadZipmap(at, first.Text(ref cursor), value);
                break;
            case RdbType.HashZiplist:
                ReadZiplist(at, first.Text(ref cursor), value);
                break;
            case RdbType.HashListpack:
                ReadListpack(at, first.Text(ref cursor), value, hasDeadlines: false);
                break;
            case RdbType.HashListpackEx or RdbType.HashListpackExPreGa:
                // The earliest deadline stands in front of the listpack, and is in it, too.
                if (type == RdbType.HashListpackEx)
                    cursor.ReadInt64();
                ReadListpack(at, first.Text(ref cursor), value, hasDeadlines: true);
                break;
            default:
                throw new RdbFormatException(at, $"Unknown RDB encoding type {(int)type}");
        }
    }

    private static void ReadFields(
        RdbType type, ref RdbCursor cursor, LoadedValue value, RdbBuffer first, RdbBuffer second)
    {
        bool isBefore = type is RdbType.HashMetadata or RdbType.HashMetadataPreGa;
        long baseMs = 0;
        if (type == RdbType.HashMetadata)
        {
            // Deadlines are counted from one before the earliest, so that 0 is none.
            long at = cursor.Offset;
            baseMs = cursor.ReadInt64() - 1;
            if (baseMs is < -1 or > HashStore.DeadlineMsMax + 1)
                throw new RdbFormatException(at, "Hash read invalid minExpire value");
        }

        long count = cursor.ReadCount(PairStride);
        var hash = new HashLoad(value, count, hasDeadlines: type != RdbType.Hash);
        for (; count > 0; count--)
        {
            long at = cursor.Offset;
            long deadlineMs = isBefore ? DeadlineOf(at, cursor.ReadLength(), baseMs) : -1;
            ReadOnlySpan<byte> field = first.Text(ref cursor);
            ReadOnlySpan<byte> text = second.Text(ref cursor);
            if (type == RdbType.ValkeyHash2)
                deadlineMs = Checked(at, cursor.ReadInt64());
            if (!hash.Add(field, text, deadlineMs))
                throw new RdbFormatException(at, Duplicate);
        }

        Complete(hash, cursor.Offset);
    }

    private static long DeadlineOf(long offset, ulong number, long baseMs)
    {
        if (number == 0)
            return HashStore.NoDeadline;
        if (number > HashStore.DeadlineMsMax)
            throw new RdbFormatException(offset, "Hash read invalid TTL value");
        return Checked(offset, (long)number + baseMs);
    }

    private static long Checked(long offset, long deadlineMs) =>
        deadlineMs is >= -1 and <= HashStore.DeadlineMsMax
            ? deadlineMs
            : throw new RdbFormatException(offset, "Hash read invalid TTL value");

    private static void ReadZipmap(long offset, ReadOnlySpan<byte> bytes, LoadedValue value)
    {
        var zipmap = new Zipmap(bytes);
        var hash = new HashLoad(value, 0, hasDeadlines: false);
        bool isEmpty = true;
        while (zipmap.MoveNext())
        {
            isEmpty = false;
            if (!hash.Add(zipmap.Field, zipmap.Value, -1))
                throw new RdbFormatException(offset, DuplicateInZipmap);
        }

        // No Redis has written an empty one, so unlike other empty collections it is damage.
        if (!zipmap.IsSound || isEmpty)
            throw new RdbFormatException(offset, "Zipmap integrity check failed.");
        Complete(hash, offset, DuplicateInZipmap);
    }

    private static void ReadZiplist(long offset, ReadOnlySpan<byte> bytes, LoadedValue value)
    {
        const string Unsound = "Hash ziplist integrity check failed.";
        var ziplist = new Ziplist(bytes);
        var hash = new HashLoad(value, ziplist.HeaderCount / PairStride, hasDeadlines: false);
        Span<byte> fieldScratch = stackalloc byte[ListpackValue.ScratchSize];
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        bool isEmpty = true;
        while (ziplist.MoveNext())
        {
            isEmpty = false;
            ReadOnlySpan<byte> field = ziplist.Current.AsText(fieldScratch);
            if (!ziplist.MoveNext())
                throw new RdbFormatException(offset, Unsound);
            if (!hash.Add(field, ziplist.Current.AsText(scratch), -1))
                throw new RdbFormatException(offset, Unsound);
        }

        if (!ziplist.IsSound)
            throw new RdbFormatException(offset, Unsound);
        if (isEmpty)
            throw new RdbEmptyValueException(offset);
        Complete(hash, offset, Unsound);
    }

    private static void ReadListpack(
        long offset, ReadOnlySpan<byte> bytes, LoadedValue value, bool hasDeadlines)
    {
        const string Unsound = "Hash listpack integrity check failed.";
        int stride = hasDeadlines ? TripletStride : PairStride;
        if (!ListpackValidator.IsSound(bytes, stride))
            throw new RdbFormatException(offset, Unsound);
        fixed (byte* data = bytes)
        {
            var listpack = new ListpackReader(data);
            if (listpack.IsEmpty)
                throw new RdbEmptyValueException(offset);
            long firstMs = -1;
            bool isInOrder = true;
            if (hasDeadlines && !HashLoad.AreDeadlines(data, out firstMs, out isInOrder))
                throw new RdbFormatException(offset, Unsound);
            if (ListpackDuplicates.Has(data, stride, value.Seed))
                throw new RdbFormatException(offset, Unsound);
            var hash = new HashLoad(value, listpack.Count / stride, hasDeadlines);
            if (!isInOrder || !hash.TryTake(data, firstMs))
                AddEntries(hash, listpack, offset, stride);
        }
    }

    private static void AddEntries(HashLoad hash, ListpackReader listpack, long offset, int stride)
    {
        Span<byte> fieldScratch = stackalloc byte[ListpackValue.ScratchSize];
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        for (int position = Listpack.HeaderSize; position < listpack.End;
             position = listpack.Behind(position, stride))
        {
            int second = listpack.Behind(position);
            long deadlineMs = stride == TripletStride ? listpack[listpack.Behind(second)].Integer : 0;
            bool isNew = hash.Add(listpack[position].AsText(fieldScratch), listpack[second].AsText(scratch),
                deadlineMs == 0 ? HashStore.NoDeadline : deadlineMs);
            if (!isNew)
                throw new RdbFormatException(offset, Duplicate);
        }

        Complete(hash, offset);
    }

    private static void Complete(HashLoad hash, long offset, string duplicate = Duplicate)
    {
        if (!hash.TryComplete())
            throw new RdbFormatException(offset, duplicate);
    }
}
