using Cinnabar.Keyspace.Loading;
using Cinnabar.Resp;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Ziplists;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Reads sorted sets of every encoding.</summary>
// SAFETY: listpacks are pinned and sound when they are read.
internal static unsafe class RdbSortedSetReader
{
    private const int PairStride = 2;

    public static void Read(RdbType type, ref RdbCursor cursor, LoadedValue value, RdbBuffer buffer)
    {
        long at = cursor.Offset;
        if (type == RdbType.SortedSetListpack)
        {
            ReadListpack(at, buffer.Text(ref cursor), value);
            return;
        }

        var set = new SortedSetLoad(value);
        try
        {
            if (type == RdbType.SortedSetZiplist)
                AddZiplist(ref set, at, buffer.Text(ref cursor));
            else
                AddMembers(ref set, ref cursor, buffer, isText: type == RdbType.SortedSet);
            set.Complete();
        }
        finally
        {
            set.Dispose();
        }
    }

    private static void AddMembers(
        ref SortedSetLoad set, ref RdbCursor cursor, RdbBuffer buffer, bool isText)
    {
        int bytesMin = isText ? 2 : 1 + sizeof(double);
        for (long left = cursor.ReadCount(bytesMin); left > 0; left--)
        {
            long at = cursor.Offset;
            ReadOnlySpan<byte> member = buffer.Text(ref cursor);
            double score = isText ? cursor.ReadTextDouble() : cursor.ReadBinaryDouble();
            Add(ref set, at, member, score);
        }
    }

    private static void AddZiplist(ref SortedSetLoad set, long offset, scoped ReadOnlySpan<byte> bytes)
    {
        const string Unsound = "Zset ziplist integrity check failed.";
        var ziplist = new Ziplist(bytes);
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        bool isEmpty = true;
        while (ziplist.MoveNext())
        {
            ReadOnlySpan<byte> member = ziplist.Current.AsText(scratch);
            if (!ziplist.MoveNext() || !TryScore(ziplist.Current, out double score))
                throw new RdbFormatException(offset, Unsound);
            Add(ref set, offset, member, score);
            isEmpty = false;
        }

        if (!ziplist.IsSound)
            throw new RdbFormatException(offset, Unsound);
        if (isEmpty)
            throw new RdbEmptyValueException(offset);
    }

    private static void ReadListpack(long offset, ReadOnlySpan<byte> bytes, LoadedValue value)
    {
        const string Unsound = "Zset listpack integrity check failed.";
        if (!ListpackValidator.IsSound(bytes, PairStride))
            throw new RdbFormatException(offset, Unsound);
        fixed (byte* data = bytes)
        {
            var listpack = new ListpackReader(data);
            if (listpack.IsEmpty)
                throw new RdbEmptyValueException(offset);
            bool isInOrder = SortedSetLoad.IsInOrder(data, out bool areScores);
            if (!areScores)
                throw new RdbFormatException(offset, Unsound);
            if (ListpackDuplicates.Has(data, PairStride, value.Seed))
                throw new RdbFormatException(offset, "Duplicate zset fields detected");
            if (isInOrder && SortedSetLoad.TryTake(value, data))
                return;
            AddPairs(listpack, offset, value);
        }
    }

    private static void AddPairs(ListpackReader listpack, long offset, LoadedValue value)
    {
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        var set = new SortedSetLoad(value);
        try
        {
            for (int position = Listpack.HeaderSize; position < listpack.End;
                 position = listpack.Behind(position, PairStride))
            {
                double score = SortedSetLoad.ScoreAt(listpack, listpack.Behind(position));
                Add(ref set, offset, listpack[position].AsText(scratch), score);
            }

            set.Complete();
        }
        finally
        {
            set.Dispose();
        }
    }

    private static void Add(
        ref SortedSetLoad set, long offset, scoped ReadOnlySpan<byte> member, double score)
    {
        if (double.IsNaN(score))
            throw new RdbFormatException(offset, "Zset with NAN score detected");
        if (!set.Add(member, score))
            throw new RdbFormatException(offset, "Duplicate zset fields detected");
    }

    private static bool TryScore(ListpackValue value, out double score)
    {
        score = value.Integer;
        return value.IsInteger || RedisNumber.TryParseDouble(value.Text, out score);
    }
}
