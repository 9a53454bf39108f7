using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Replies of entries.</summary>
internal static class StreamReply
{
    /// <summary>Replies the entry that a walk has come to: its ID, and its fields and values.</summary>
    internal static void Entry(Execution execution, ref StreamCursor cursor)
    {
        execution.Reply.ArrayHeader(2);
        Body(execution, ref cursor);
    }

    /// <summary>The two elements of an entry, whose header has been written.</summary>
    internal static void Body(Execution execution, ref StreamCursor cursor)
    {
        StreamIdText.Reply(execution, cursor.Id);
        int count = 2 * cursor.FieldCount;
        execution.Reply.ArrayHeader(count);
        for (; count > 0; count--)
        {
            ListpackValue text = cursor.NextText();
            if (text.IsInteger)
                execution.Reply.BulkInteger(text.Integer);
            else
                execution.Reply.Bulk(text.Text);
        }
    }

    /// <summary>Replies the entry with an ID; answers false, and replies nothing, where there is
    /// none.</summary>
    internal static bool TryEntry(Execution execution, StreamTree stream, StreamId id)
    {
        StreamCursor cursor = stream.Range(id, id, isReverse: false);
        if (!cursor.MoveNext()) return false;
        Entry(execution, ref cursor);
        return true;
    }

    /// <summary>Replies an array of the entries of a walk, at most so many; 0: all.</summary>
    internal static void Entries(Execution execution, ref StreamCursor cursor, long countMax)
    {
        Debug.Assert(countMax >= 0, "0 stands for all");
        var header = execution.Reply.BeginDeferred();
        long count = 0;
        while ((countMax == 0 || count < countMax) && cursor.MoveNext())
        {
            Entry(execution, ref cursor);
            count++;
        }
        execution.Reply.EndDeferredArray(in header, count);
    }
}
