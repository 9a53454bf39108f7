using Cinnabar.Keyspace.Loading;
using Cinnabar.Structures.Intsets;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Reads sets of every encoding.</summary>
// SAFETY: intsets and listpacks are pinned and sound when they are read.
internal static unsafe class RdbSetReader
{
    public static void Read(RdbType type, ref RdbCursor cursor, LoadedValue value, RdbBuffer buffer)
    {
        switch (type)
        {
            case RdbType.Set:
                ReadMembers(ref cursor, value, buffer);
                break;
            case RdbType.SetIntset:
                ReadIntset(ref cursor, value, buffer);
                break;
            default:
                ReadListpack(ref cursor, value, buffer);
                break;
        }
    }

    private static void ReadMembers(ref RdbCursor cursor, LoadedValue value, RdbBuffer buffer)
    {
        long start = cursor.Offset;
        long count = cursor.ReadCount(1);
        var set = new SetLoad(value, count);
        for (long left = count; left > 0; left--)
        {
            long at = cursor.Offset;
            Require(set.Add(buffer.Text(ref cursor)), at);
        }

        Require(set.IsComplete(count), start);
    }

    private static void ReadIntset(ref RdbCursor cursor, LoadedValue value, RdbBuffer buffer)
    {
        long at = cursor.Offset;
        ReadOnlySpan<byte> bytes = buffer.Text(ref cursor);
        if (!IntsetReader.IsSound(bytes))
            throw new RdbFormatException(at, "Intset integrity check failed.");
        fixed (byte* data = bytes)
        {
            var intset = new IntsetReader(data);
            if (intset.Count == 0)
                throw new RdbEmptyValueException(at);
            if (SetLoad.TryTakeIntset(value, bytes, intset.Count))
                return;
            var set = new SetLoad(value, intset.Count);
            for (int index = 0; index < intset.Count; index++)
                set.Add(intset[index]);
        }
    }

    private static void ReadListpack(ref RdbCursor cursor, LoadedValue value, RdbBuffer buffer)
    {
        long at = cursor.Offset;
        ReadOnlySpan<byte> bytes = buffer.Text(ref cursor);
        if (!ListpackValidator.IsSound(bytes))
            throw new RdbFormatException(at, "Set listpack integrity check failed.");
        fixed (byte* data = bytes)
        {
            var listpack = new ListpackReader(data);
            if (listpack.IsEmpty)
                throw new RdbEmptyValueException(at);
            Require(!ListpackDuplicates.Has(data, 1, value.Seed), at);
            int count = listpack.Count;
            if (SetLoad.TryTakeListpack(value, bytes, count))
                return;
            var set = new SetLoad(value, count);
            Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
            foreach (ListpackValue member in listpack)
                Require(set.Add(member.AsText(scratch)), at);
            Require(set.IsComplete(count), at);
        }
    }

    private static void Require(bool isNew, long offset)
    {
        if (!isNew)
            throw new RdbFormatException(offset, "Duplicate set members detected");
    }
}
