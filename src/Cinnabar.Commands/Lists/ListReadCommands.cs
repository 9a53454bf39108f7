using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>Commands that read lists: LINDEX, LLEN, LRANGE.</summary>
public static class ListReadCommands
{
    /// <summary>LLEN key.</summary>
    public static void LLen(Execution execution)
    {
        if (execution.TryFind(1, KeyType.List, out EntryView entry))
            execution.Reply.Integer(entry.IsMissing ? 0 : entry.List.Count);
    }

    /// <summary>LINDEX key index.</summary>
    public static void LIndex(Execution execution)
    {
        if (!execution.TryFind(1, KeyType.List, out EntryView entry))
            return;
        if (entry.IsMissing)
        {
            execution.Reply.Null();
            return;
        }

        if (!execution.TryInteger(2, out long index))
            return;
        ListView list = entry.List;
        if (TryResolve(ref index, list.Count))
            ListReplies.ReplyElement(execution, list.CursorAt(index).Current);
        else
            execution.Reply.Null();
    }

    /// <summary>LRANGE key start stop.</summary>
    public static Outcome LRange(Execution execution)
    {
        if (!execution.TryInteger(2, out long start) || !execution.TryInteger(3, out long stop)
            || !execution.TryFindKept(1, KeyType.List, out EntryView entry))
            return Outcome.Done;
        if (entry.IsMissing || !TryClip(ref start, ref stop, entry.List.Count))
        {
            execution.Reply.ArrayHeader(0);
            return Outcome.Done;
        }

        long count = stop - start + 1;
        if (execution.MustLeaveKeys(count * ListReplies.ElementCostNs))
            return Outcome.OffLoopWithoutKeys;
        execution.Reply.ArrayHeader(count);
        ListCursor cursor = entry.List.CursorAt(start);
        ListReplies.ReplyElements(execution, ref cursor, count, isBackward: false);
        return Outcome.Done;
    }

    /// <summary>Turns an index that may count from the end into a rank; false: there is no such
    /// element.</summary>
    internal static bool TryResolve(ref long index, long count)
    {
        Debug.Assert(count > 0, "an empty list has no key");
        if (index < 0)
            index += count;
        return (ulong)index < (ulong)count;
    }

    /// <summary>Turns indexes that may count from the end into ranks of the list; false: none lies
    /// between.</summary>
    internal static bool TryClip(ref long start, ref long stop, long count)
    {
        if (start < 0)
            start = Math.Max(start + count, 0);
        if (stop < 0)
            stop += count;
        stop = Math.Min(stop, count - 1);
        Debug.Assert(start >= 0 && stop < count, "ranks outside the list");
        return start <= stop;
    }
}
