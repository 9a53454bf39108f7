using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>Commands of lists that wait for an element where there is none.</summary>
public static class BlockingListCommands
{
    private const int ShortTimeoutIndex = 3;

    /// <summary>BLPOP key [key ...] timeout</summary>
    public static Outcome BLPop(Execution execution) => Pop(execution, ListEnd.Head);

    /// <summary>BRPOP key [key ...] timeout</summary>
    public static Outcome BRPop(Execution execution) => Pop(execution, ListEnd.Tail);

    /// <summary>BLMOVE source destination LEFT|RIGHT LEFT|RIGHT timeout</summary>
    public static Outcome BLMove(Execution execution)
    {
        if (ListReplies.TryReadEnd(execution, 3, out ListEnd from)
            && ListReplies.TryReadEnd(execution, 4, out ListEnd to))
            return Move(execution, from, to, timeoutIndex: 5);
        return Outcome.Done;
    }

    /// <summary>BRPOPLPUSH source destination timeout</summary>
    public static Outcome BRPopLPush(Execution execution) =>
        Move(execution, ListEnd.Tail, ListEnd.Head, timeoutIndex: ShortTimeoutIndex);

    /// <summary>BLMPOP timeout numkeys key [key ...] LEFT|RIGHT [COUNT count]</summary>
    public static Outcome BLMPop(Execution execution)
    {
        if (!ListMPopOptions.TryRead(execution, 2, out ListMPopOptions options)
            || !BlockingTimeout.TrySeconds(execution, 1, out long timeoutMs))
            return Outcome.Done;
        for (int index = options.KeyFirst; index < options.KeyEnd; index++)
        {
            if (!execution.TryFindSlot(index, KeyType.List, out ValueSlot slot))
                return Outcome.Done;
            if (slot.IsMissing)
                continue;
            long count = Math.Min(options.CountMax, slot.View.List.Count);
            if (execution.MustLeaveLoop(count * ListReplies.ElementCostNs))
                return Outcome.OffLoop;
            Key key = execution.Key(index);
            ListPopCommands.ReplyPoppedWithKey(execution, key, slot, options.End, count);
            return Outcome.Done;
        }

        int keyCount = options.KeyEnd - options.KeyFirst;
        return execution.WaitForKeys(new KeyWait(KeyType.List, options.KeyFirst, keyCount, timeoutMs));
    }

    private static Outcome Pop(Execution execution, ListEnd end)
    {
        int last = execution.ArgumentCount - 1;
        if (!BlockingTimeout.TrySeconds(execution, last, out long timeoutMs))
            return Outcome.Done;
        for (int index = 1; index < last; index++)
        {
            if (!execution.TryFindSlot(index, KeyType.List, out ValueSlot slot))
                return Outcome.Done;
            if (slot.IsMissing)
                continue;
            Key key = execution.Key(index);
            execution.Reply.ArrayHeader(2);
            execution.Reply.Bulk(key.Span);
            ListPopCommands.ReplyPoppedOne(execution, key, slot, end);
            if (execution.Effects.IsRecording)
                ListPopCommands.BeginPop(execution, key, end).End();
            return Outcome.Done;
        }

        return execution.WaitForKeys(new KeyWait(KeyType.List, 1, last - 1, timeoutMs));
    }

    private static Outcome Move(Execution execution, ListEnd from, ListEnd to, int timeoutIndex)
    {
        if (!BlockingTimeout.TrySeconds(execution, timeoutIndex, out long timeoutMs)
            || !execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return Outcome.Done;
        if (!slot.IsMissing)
        {
            if (!execution.TryFindSlot(2, KeyType.List, out _))
                return Outcome.Done;
            ListMoveCommands.ReplyMoved(execution, slot, from, to);
            if (execution.Effects.IsRecording)
                Record(execution, timeoutIndex);
        }
        else if (execution.CanWait)
        {
            return execution.WaitForKeys(new KeyWait(KeyType.List, FirstKey: 1, KeyCount: 1, timeoutMs));
        }
        else
        {
            execution.Reply.Null();
        }
        return Outcome.Done;
    }

    // BRPOPLPUSH names no ends.
    private static void Record(Execution execution, int timeoutIndex) =>
        execution.Effects.Begin(timeoutIndex == ShortTimeoutIndex ? "RPOPLPUSH"u8 : "LMOVE"u8)
            .With(execution.Arguments, 1, timeoutIndex - 1).End();
}
