using Cinnabar.Keyspace.Loading;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Ziplists;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>Reads lists of every encoding.</summary>
// SAFETY: listpacks are pinned and sound when they are handed on.
internal static unsafe class RdbListReader
{
    private const ulong PlainNode = 1;
    private const ulong PackedNode = 2;

    public static void Read(RdbType type, ref RdbCursor cursor, LoadedValue value, RdbBuffer buffer)
    {
        long at = cursor.Offset;
        var list = new ListLoad(value);
        switch (type)
        {
            case RdbType.List:
                for (long left = cursor.ReadCount(1); left > 0; left--)
                    list.Add(new ListpackElement(buffer.Text(ref cursor)));
                break;
            case RdbType.ListZiplist:
                AddZiplist(list, at, buffer.Text(ref cursor));
                break;
            case RdbType.ListQuicklist:
                for (long left = cursor.ReadCount(1); left > 0; left--)
                    AddZiplist(list, cursor.Offset, buffer.Text(ref cursor));
                break;
            default:
                for (long left = cursor.ReadCount(2); left > 0; left--)
                    AddNode(list, ref cursor, buffer);
                break;
        }

        // Redis has written nodes without elements, and leaves them out.
        if (list.Count == 0)
            throw new RdbEmptyValueException(at);
    }

    private static void AddNode(ListLoad list, ref RdbCursor cursor, RdbBuffer buffer)
    {
        long at = cursor.Offset;
        ulong container = cursor.ReadLength();
        if (container is not (PlainNode or PackedNode))
            throw new RdbFormatException(at, "Quicklist integrity check failed.");
        ReadOnlySpan<byte> node = buffer.Text(ref cursor);
        if (container == PlainNode)
        {
            if (node.IsEmpty)
                throw new RdbFormatException(at, "Quicklist integrity check failed.");
            list.Add(new ListpackElement(node));
            return;
        }

        if (!ListpackValidator.IsSound(node))
            throw new RdbFormatException(at, "Listpack integrity check failed.");
        fixed (byte* listpack = node)
            list.AddListpack(listpack);
    }

    private static void AddZiplist(ListLoad list, long offset, ReadOnlySpan<byte> bytes)
    {
        var ziplist = new Ziplist(bytes);
        while (ziplist.MoveNext())
            list.Add(ListpackElement.Of(ziplist.Current));
        if (!ziplist.IsSound)
            throw new RdbFormatException(offset, "Ziplist integrity check failed.");
    }
}
