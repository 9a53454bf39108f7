using System;
using Cinnabar.Keyspace;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Commands.Lists;

/// <summary>Commands that change a list in the middle: LINSERT, LREM, LSET, LTRIM.</summary>
public static class ListEditCommands
{
    private static ReadOnlySpan<byte> CountOutOfRange =>
        "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807"u8;

    /// <summary>LINSERT key BEFORE | AFTER pivot element.</summary>
    public static void LInsert(Execution execution)
    {
        bool isAfter = execution.Is(2, "after"u8);
        if (!isAfter && !execution.Is(2, "before"u8))
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return;
        if (slot.IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }

        Key key = execution.Key(1);
        var list = new ListEditor(execution.Keys, key, slot);
        long length = list.Count;
        if (execution.TryMoveToSlowLane(length * ListReplies.ComparisonCostNs))
            return;
        var pivot = new ListText(execution.Argument(3));
        ListCursor cursor = list.View.CursorAt(0);
        long rank = 0;
        while (!pivot.Equals(cursor.Current))
        {
            rank++;
            if (cursor.MoveNext())
                continue;
            execution.Reply.Integer(-1);
            return;
        }

        list.Insert(isAfter ? rank + 1 : rank, execution.Argument(4));
        execution.Keys.Changed(in key, KeyEvent.LInsert);
        execution.Reply.Integer(length + 1);
    }

    /// <summary>LSET key index element.</summary>
    public static void LSet(Execution execution)
    {
        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return;
        if (slot.IsMissing)
        {
            execution.Reply.Error(Errors.NoSuchKey);
            return;
        }

        if (!execution.TryInteger(2, out long index))
            return;
        Key key = execution.Key(1);
        var list = new ListEditor(execution.Keys, key, slot);
        if (!ListReadCommands.TryResolve(ref index, list.Count))
        {
            execution.Reply.Error(Errors.OutOfRange);
            return;
        }

        list.Set(index, execution.Argument(3));
        list.Complete();
        execution.Keys.Changed(in key, KeyEvent.LSet);
        execution.Reply.Ok();
    }

    /// <summary>LREM key count element.</summary>
    public static void LRem(Execution execution)
    {
        if (!execution.TryInteger(2, out long count))
            return;
        if (count == long.MinValue)
        {
            execution.Reply.Error(CountOutOfRange);
            return;
        }

        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return;
        if (slot.IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }

        Key key = execution.Key(1);
        var list = new ListEditor(execution.Keys, key, slot);
        if (execution.TryMoveToSlowLane(list.Count * ListReplies.ComparisonCostNs))
            return;
        long countMax = count == 0 ? long.MaxValue : Math.Abs(count);
        ListEnd from = count < 0 ? ListEnd.Tail : ListEnd.Head;
        long removed = list.RemoveEqual(execution.Argument(3), from, countMax);
        if (removed > 0)
            Declare(execution, in key, KeyEvent.LRem, removed, list.Complete());
        execution.Reply.Integer(removed);
    }

    /// <summary>LTRIM key start stop.</summary>
    public static void LTrim(Execution execution)
    {
        if (!execution.TryInteger(2, out long start) || !execution.TryInteger(3, out long stop)
            || !execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return;
        if (!slot.IsMissing)
        {
            Key key = execution.Key(1);
            var list = new ListEditor(execution.Keys, key, slot);
            long length = list.Count;
            if (!ListReadCommands.TryClip(ref start, ref stop, length))
                (start, stop) = (length, length - 1);
            list.RemoveRange(stop + 1, length);
            list.RemoveRange(0, start);
            long removed = length - (stop + 1 - start);
            Declare(execution, in key, KeyEvent.LTrim, removed, list.Complete());
        }

        execution.Reply.Ok();
    }

    /// <summary>The error of a count or rank whose sign cannot be turned.</summary>
    internal static void ReplyOutOfRange(Execution execution) => execution.Reply.Error(CountOutOfRange);

    private static void Declare(Execution execution, in Key key, KeyEvent keyEvent, long count, bool isGone)
    {
        execution.Keys.ChangedToo(in key, keyEvent);
        execution.Keys.CountChanges(count);
        if (isGone)
            execution.Keys.ChangedToo(in key, KeyEvent.Deleted);
    }
}
