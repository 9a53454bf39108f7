using Cinnabar.Keyspace.Lists;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>Commands that take elements from an end: LMPOP, LPOP, RPOP; and how, for those that
/// wait.</summary>
public static class ListPopCommands
{
    private static ReadOnlySpan<byte> NotPositive => "ERR value is out of range, must be positive"u8;

    /// <summary>LPOP key [count].</summary>
    public static Outcome LPop(Execution execution) => Pop(execution, ListEnd.Head, "lpop"u8);

    /// <summary>RPOP key [count].</summary>
    public static Outcome RPop(Execution execution) => Pop(execution, ListEnd.Tail, "rpop"u8);

    /// <summary>LMPOP numkeys key [key ...] LEFT | RIGHT [COUNT count].</summary>
    public static Outcome LMPop(Execution execution)
    {
        if (!ListMPopOptions.TryRead(execution, 1, out ListMPopOptions options))
            return Outcome.Done;
        for (int index = options.KeyFirst; index < options.KeyEnd; index++)
        {
            if (!execution.TryFindSlot(index, KeyType.List, out ValueSlot slot))
                return Outcome.Done;
            if (slot.IsMissing)
                continue;
            if (MustLeaveLoop(execution, slot, options.CountMax))
                return Outcome.OffLoop;
            ReplyPoppedWithKey(execution, execution.Key(index), slot, options.End, options.CountMax);
            return Outcome.Done;
        }

        execution.Reply.NullArray();
        return Outcome.Done;
    }

    /// <summary>Takes up to so many elements from an end of a list, replies them as an array behind the key's
    /// name, as LMPOP does, and declares it.</summary>
    public static void ReplyPoppedWithKey(
        Execution execution, Key key, ValueSlot slot, ListEnd end, long countMax)
    {
        execution.Reply.ArrayHeader(2);
        execution.Reply.Bulk(key.Span);
        long count = Math.Min(countMax, slot.View.List.Count);
        ReplyPopped(execution, key, slot, end, count);
        if (execution.Effects.IsRecording)
            BeginPop(execution, key, end).End(count);
    }

    /// <summary>Records a pop from an end, in place of the command; a count may follow.</summary>
    internal static Effects BeginPop(Execution execution, Key key, ListEnd end) =>
        execution.Effects.Begin(end == ListEnd.Head ? "LPOP"u8 : "RPOP"u8).With(key.Span);

    /// <summary>
    /// Takes one element from an end of a list, replies it, and declares it: also the removal of the key
    /// where it was the last one.
    /// </summary>
    public static void ReplyPoppedOne(Execution execution, Key key, ValueSlot slot, ListEnd end)
    {
        Debug.Assert(!slot.IsMissing, "an empty list has no key");
        var list = new ListEditor(execution.Keys, key, slot);
        if (TryReplyTaken(execution, in list, end))
        {
            execution.Keys.Changed(in key, EventOf(end));
            return;
        }

        ListReplies.ReplyElement(execution, list.View.At(end));
        list.Pop(end);
        bool isGone = list.Complete();
        execution.Keys.Changed(in key, EventOf(end));
        if (isGone)
            execution.Keys.MarkChanged(in key, KeyEvent.Deleted);
    }

    /// <summary>The event of a pop.</summary>
    internal static KeyEvent EventOf(ListEnd end) => end == ListEnd.Head ? KeyEvent.LPop : KeyEvent.RPop;

    // Of a long list, whose end is found only once for both.
    private static bool TryReplyTaken(Execution execution, in ListEditor list, ListEnd end)
    {
        if (!list.TryTakeEnd(end, out ListEndElement element))
            return false;
        bool isInteger = element.IsInteger;
        ReadOnlySpan<byte> text = isInteger ? default : element.Text;
        // It is counted as gone already: nothing may fail in between.
        if (!execution.Reply.HasRoomFor(text.Length))
        {
            element.Keep();
            return false;
        }

        if (isInteger)
            execution.Reply.BulkInteger(element.Integer);
        else
            execution.Reply.Bulk(text);
        element.Remove();
        return true;
    }

    private static void ReplyPopped(Execution execution, Key key, ValueSlot slot, ListEnd end, long countMax)
    {
        Debug.Assert(countMax > 0, "a pop takes an element");
        ListView view = slot.View.List;
        long length = view.Count;
        long count = Math.Min(countMax, length);
        bool isTail = end == ListEnd.Tail;
        execution.Reply.ArrayHeader(count);
        ListCursor cursor = view.CursorAt(isTail ? length - 1 : 0);
        ListReplies.ReplyElements(execution, ref cursor, count, isBackward: isTail);
        var list = new ListEditor(execution.Keys, key, slot);
        list.RemoveRange(isTail ? length - count : 0, isTail ? length : count);
        bool isGone = list.Complete();
        execution.Keys.Changed(in key, EventOf(end));
        execution.Keys.CountChanges(count - 1);
        if (isGone)
            execution.Keys.MarkChanged(in key, KeyEvent.Deleted);
    }

    private static Outcome Pop(Execution execution, ListEnd end, ReadOnlySpan<byte> name)
    {
        if (execution.ArgumentCount > 2)
            return PopCount(execution, end, name);
        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return Outcome.Done;
        if (slot.IsMissing)
            execution.Reply.Null();
        else
            ReplyPoppedOne(execution, execution.Key(1), slot, end);
        return Outcome.Done;
    }

    private static Outcome PopCount(Execution execution, ListEnd end, ReadOnlySpan<byte> name)
    {
        if (execution.ArgumentCount > 3)
        {
            Errors.ReplyWrongArity(execution, name);
            return Outcome.Done;
        }

        if (!RedisNumber.TryParseInt64(execution.Argument(2), out long count) || count < 0)
        {
            execution.Reply.Error(NotPositive);
            return Outcome.Done;
        }

        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return Outcome.Done;
        if (slot.IsMissing)
            execution.Reply.NullArray();
        else if (count == 0)
            execution.Reply.ArrayHeader(0);
        else if (MustLeaveLoop(execution, slot, count))
            return Outcome.OffLoop;
        else
            ReplyPopped(execution, execution.Key(1), slot, end, count);
        return Outcome.Done;
    }

    private static bool MustLeaveLoop(Execution execution, ValueSlot slot, long countMax) =>
        execution.MustLeaveLoop(Math.Min(countMax, slot.View.List.Count) * ListReplies.ElementCostNs);
}
