// Streams of all four versions; RdbValueSkipper has the layout. A group's pending entries come first, without
// their consumers, then the consumers with the IDs that are theirs: so the pending entries wait in scratch
// memory, sorted by ID as they are written, until each has found its consumer.

using System.Buffers.Binary;
using Cinnabar.Keyspace.Loading;
using Cinnabar.Memory;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Reads a stream.</summary>
internal readonly ref struct RdbStreamReader
{
    private const int IdSize = 16;
    private const int PendingBytesMin = IdSize + sizeof(long) + 1;
    private const long ProducerSecondsMax = 86_400;
    private const long ProducerCountMax = 10_000;

    private readonly RdbType _type;
    private readonly LoadedValue _value;
    private readonly RdbBuffer _first;
    private readonly RdbBuffer _second;
    private readonly StreamLoad _load;

    public RdbStreamReader(RdbType type, LoadedValue value, RdbBuffer first, RdbBuffer second)
    {
        _type = type;
        _value = value;
        _first = first;
        _second = second;
        _load = new StreamLoad(value);
    }

    private bool HasFigures => _type != RdbType.StreamListpacks;

    private bool HasActivity => _type is RdbType.StreamListpacks3 or RdbType.StreamListpacks4;

    public void Read(ref RdbCursor cursor)
    {
        for (long left = cursor.ReadCountOrZero(2); left > 0; left--)
            ReadPage(ref cursor);
        ReadFigures(ref cursor);
        for (long left = cursor.ReadCountOrZero(5); left > 0; left--)
            ReadGroup(ref cursor);
        if (_type == RdbType.StreamListpacks4)
            ReadProducers(ref cursor);
    }

    private void ReadPage(ref RdbCursor cursor)
    {
        long at = cursor.Offset;
        ReadOnlySpan<byte> key = _first.Text(ref cursor);
        if (key.Length != IdSize)
            throw new RdbFormatException(at, "Stream node key entry is not the size of a stream ID");
        var id = new StreamId(BinaryPrimitives.ReadUInt64BigEndian(key),
            BinaryPrimitives.ReadUInt64BigEndian(key[sizeof(ulong)..]));
        if (!StreamPages.TryAppend(ref _load.Stream, _load.Trees, id, _first.Text(ref cursor)))
            throw new RdbFormatException(at, "Stream listpack integrity check failed.");
    }

    private void ReadFigures(ref RdbCursor cursor)
    {
        long at = cursor.Offset;
        ulong length = cursor.ReadLength();
        StreamId last = ReadId(ref cursor);
        if (length != (ulong)_load.Stream.Length)
            throw new RdbFormatException(at, "Stream length inconsistent with its entries");
        if (last < _load.Stream.LastId)
            throw new RdbFormatException(at, "Stream with an entry above its last ID");
        StreamId maxDeleted = default;
        long added = (long)length;
        if (HasFigures)
        {
            // The first ID is that of the first entry, which is known.
            ReadId(ref cursor);
            maxDeleted = ReadId(ref cursor);
            ulong told = cursor.ReadLength();
            if (told > long.MaxValue)
                throw new RdbFormatException(at, "Stream with a negative number of entries");
            added = (long)told;
        }

        _load.Stream.SetLastId(_load.Trees, last, added, maxDeleted);
    }

    private void ReadGroup(ref RdbCursor cursor)
    {
        long at = cursor.Offset;
        ReadOnlySpan<byte> name = _first.Text(ref cursor);
        StreamId last = ReadId(ref cursor);
        long read = HasFigures ? (long)cursor.ReadLength() : StreamNumber.Of(_load.Stream, last);
        if (read < StreamGroup.Unknown)
            throw new RdbFormatException(at, "Consumer group with a negative number of entries");
        if (StreamGroups.TryFind(_load.Stream, name, out _))
            throw new RdbFormatException(at, "Duplicated consumer group name");
        StreamGroup group = StreamGroups.Create(ref _load.Stream, _load.Trees, name, last, read);
        int count = (int)cursor.ReadCountOrZero(PendingBytesMin);
        using var pending = new Scratch<Pending>(_value.Scratch, Math.Max(count, 1));
        ReadPending(ref cursor, pending.Span[..count]);
        int owned = 0;
        for (long left = cursor.ReadCountOrZero(1 + sizeof(long) + 1); left > 0; left--)
            owned += ReadConsumer(ref cursor, in group, pending.Span[..count]);
        if (owned != count)
            throw new RdbFormatException(at, "Stream CG PEL entry without consumer");
    }

    private static void ReadPending(ref RdbCursor cursor, Span<Pending> pending)
    {
        StreamId last = default;
        for (int index = 0; index < pending.Length; index++)
        {
            long at = cursor.Offset;
            StreamId id = ReadRawId(ref cursor);
            if (index > 0 && id <= last)
                throw new RdbFormatException(at, "Duplicated global PEL entry, or one out of order");
            long deliveredMs = cursor.ReadInt64();
            if (deliveredMs < 0)
                throw new RdbFormatException(at, "PEL entry of before 1970");
            pending[index] = new Pending(id, deliveredMs, cursor.ReadLength(), IsOwned: false);
            last = id;
        }
    }

    // Returns how many entries are the consumer's.
    private int ReadConsumer(ref RdbCursor cursor, in StreamGroup group, Span<Pending> pending)
    {
        long at = cursor.Offset;
        ReadOnlySpan<byte> name = _first.Text(ref cursor);
        long seenMs = cursor.ReadInt64();
        long activeMs = HasActivity ? cursor.ReadInt64() : seenMs;
        if (StreamGroups.TryFindConsumer(_load.Stream, in group, name, out _))
            throw new RdbFormatException(at, "Duplicate stream consumer detected");
        StreamConsumer consumer = StreamGroups.CreateConsumer(
            ref _load.Stream, _load.Trees, in group, name, seenMs);
        consumer = consumer with { ActiveMs = activeMs };
        StreamGroups.SaveConsumer(ref _load.Stream, _load.Trees, in group, name, in consumer);
        int count = (int)cursor.ReadCountOrZero(IdSize);
        for (int left = count; left > 0; left--)
        {
            at = cursor.Offset;
            StreamId id = ReadRawId(ref cursor);
            int index = Find(pending, id);
            if (index < 0)
                throw new RdbFormatException(at, "Consumer entry not found in group global PEL");
            if (pending[index].IsOwned)
                throw new RdbFormatException(at, "Stream consumer PEL entry already has a consumer assigned");
            Pending found = pending[index];
            pending[index] = found with { IsOwned = true };
            var added = new StreamPending(id, consumer.Number, found.DeliveredMs, found.DeliveryCount);
            StreamPendings.Add(ref _load.Stream, _load.Trees, in group, in added);
        }

        return count;
    }

    private void ReadProducers(ref RdbCursor cursor)
    {
        long at = cursor.Offset;
        ulong seconds = cursor.ReadLength();
        ulong countMax = cursor.ReadLength();
        if (seconds is 0 or > (ulong)ProducerSecondsMax || countMax is 0 or > (ulong)ProducerCountMax)
            throw new RdbFormatException(at, "Stream with invalid IDMP limits");
        _load.ConfigureProducers((int)seconds, (int)countMax);
        for (long left = cursor.ReadCountOrZero(2); left > 0; left--)
            ReadProducer(ref cursor);
        at = cursor.Offset;
        ulong added = cursor.ReadLength();
        ulong duplicates = cursor.ReadLength();
        if (added > long.MaxValue || duplicates > long.MaxValue)
            throw new RdbFormatException(at, "Stream with a negative number of IIDs");
        StreamProducers.SetFigures(ref _load.Stream, _load.Trees, (long)added, (long)duplicates);
    }

    private void ReadProducer(ref RdbCursor cursor)
    {
        ReadOnlySpan<byte> name = _first.Text(ref cursor);
        for (long left = cursor.ReadCountOrZero(3); left > 0; left--)
        {
            long at = cursor.Offset;
            ReadOnlySpan<byte> id = _second.Text(ref cursor);
            StreamId entry = ReadId(ref cursor);
            if (!StreamProducers.TryRestore(ref _load.Stream, _load.Trees, name, id, entry))
                throw new RdbFormatException(at, "Duplicate IID of a producer");
        }
    }

    private static int Find(ReadOnlySpan<Pending> pending, StreamId id)
    {
        int from = 0;
        int to = pending.Length;
        while (from < to)
        {
            int middle = from + (to - from) / 2;
            int order = pending[middle].Id.CompareTo(id);
            if (order == 0)
                return middle;
            if (order < 0)
                from = middle + 1;
            else
                to = middle;
        }

        return -1;
    }

    private static StreamId ReadId(ref RdbCursor cursor)
    {
        ulong ms = cursor.ReadLength();
        return new StreamId(ms, cursor.ReadLength());
    }

    private static StreamId ReadRawId(ref RdbCursor cursor)
    {
        ReadOnlySpan<byte> bytes = cursor.ReadBytes(IdSize);
        return new StreamId(BinaryPrimitives.ReadUInt64BigEndian(bytes),
            BinaryPrimitives.ReadUInt64BigEndian(bytes[sizeof(ulong)..]));
    }

    private record struct Pending(StreamId Id, long DeliveredMs, ulong DeliveryCount, bool IsOwned);
}
