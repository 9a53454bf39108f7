using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Commands that read and delete by ID: XLEN, XRANGE, XREVRANGE, XDEL.</summary>
public static class StreamRangeCommands
{
    private const long NsPerEntry = 150;
    private const long CountUnestimated = 1000;

    /// <summary>XLEN key.</summary>
    public static void XLen(Execution execution)
    {
        if (execution.TryFind(1, KeyType.Stream, out EntryView entry))
            execution.Reply.Integer(entry.IsMissing ? 0 : StreamStore.Of(entry).Length);
    }

    /// <summary>XRANGE key start end [COUNT count].</summary>
    public static Outcome XRange(Execution execution) => Range(execution, isReverse: false);

    /// <summary>XREVRANGE key end start [COUNT count].</summary>
    public static Outcome XRevRange(Execution execution) => Range(execution, isReverse: true);

    /// <summary>XDEL key id [id ...].</summary>
    public static void XDel(Execution execution)
    {
        if (!execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot)) return;
        if (slot.IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (!StreamIdText.TryStrict(execution, index, out _)) return;
        }
        StreamEditor editor = StreamStore.Edit(slot);
        long count = 0;
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            bool isId = StreamIdText.TryStrict(execution, index, out StreamId id);
            Debug.Assert(isId, "the IDs were read before");
            if (editor.Stream.Delete(editor.Trees, id)) count++;
        }
        if (count != 0)
        {
            execution.Keys.Changed(execution.Key(1), KeyEvent.StreamDeleted);
            execution.Keys.CountChanges(count - 1);
        }
        execution.Reply.Integer(count);
    }

    /// <summary>Estimate of the work of reading so many entries of a range (0: all), in
    /// nanoseconds.</summary>
    internal static long CostNs(StreamTree stream, StreamId from, StreamId to, long countMax)
    {
        Debug.Assert(countMax >= 0, "0 stands for all");
        long count = countMax == 0 ? stream.Length : Math.Min(countMax, stream.Length);
        if (count > CountUnestimated) count = Math.Min(count, stream.CountAbout(from, to));
        return count * NsPerEntry;
    }

    private static Outcome Range(Execution execution, bool isReverse)
    {
        if (!StreamIdText.TryStart(execution, isReverse ? 3 : 2, out StreamId from)) return Outcome.Done;
        if (!StreamIdText.TryEnd(execution, isReverse ? 2 : 3, out StreamId to)) return Outcome.Done;
        long countMax = -1;
        for (int index = 4; index < execution.ArgumentCount; index += 2)
        {
            if (index + 1 == execution.ArgumentCount || !execution.Is(index, "count"u8))
            {
                execution.Reply.Error(Errors.Syntax);
                return Outcome.Done;
            }
            if (!execution.TryInteger(index + 1, out countMax)) return Outcome.Done;
            countMax = Math.Max(countMax, 0);
        }
        if (!execution.TryFindKept(1, KeyType.Stream, out EntryView entry)) return Outcome.Done;
        if (entry.IsMissing)
        {
            execution.Reply.ArrayHeader(0);
            return Outcome.Done;
        }
        if (countMax == 0)
        {
            execution.Reply.NullArray();
            return Outcome.Done;
        }
        countMax = Math.Max(countMax, 0);
        StreamTree stream = StreamStore.Of(entry);
        if (execution.MustLeaveKeys(CostNs(stream, from, to, countMax))) return Outcome.OffLoopWithoutKeys;
        StreamCursor cursor = stream.Range(from, to, isReverse);
        StreamReply.Entries(execution, ref cursor, countMax);
        return Outcome.Done;
    }
}
