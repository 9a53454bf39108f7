using Cinnabar.Keyspace.Lists;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>Commands that change a list in the middle: LINSERT, LREM, LSET, LTRIM.</summary>
public static class ListEditCommands
{
    private static ReadOnlySpan<byte> CountOutOfRange =>
        "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807"u8;

    /// <summary>LINSERT key BEFORE | AFTER pivot element.</summary>
    public static Outcome LInsert(Execution execution)
    {
        bool isAfter = execution.Is(2, "after"u8);
        if (!isAfter && !execution.Is(2, "before"u8))
        {
            execution.Reply.Error(Errors.Syntax);
            return Outcome.Done;
        }

        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return Outcome.Done;
        if (slot.IsMissing)
        {
            execution.Reply.Integer(0);
            return Outcome.Done;
        }

        long costNs = slot.View.List.Count * ListReplies.ComparisonCostNs;
        if (MustBuild(execution, in slot, costNs))
            return execution.StoreLater(new InsertSteps(isAfter));
        if (execution.MustLeaveLoop(costNs))
            return Outcome.OffLoop;
        Insert(execution, slot, isAfter);
        return Outcome.Done;
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
    public static Outcome LRem(Execution execution)
    {
        if (!execution.TryInteger(2, out long count))
            return Outcome.Done;
        if (count == long.MinValue)
        {
            execution.Reply.Error(CountOutOfRange);
            return Outcome.Done;
        }

        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return Outcome.Done;
        if (slot.IsMissing)
        {
            execution.Reply.Integer(0);
            return Outcome.Done;
        }

        long costNs = slot.View.List.Count * ListReplies.ComparisonCostNs;
        if (MustBuild(execution, in slot, costNs))
            return execution.StoreLater(new RemoveSteps(count));
        if (execution.MustLeaveLoop(costNs))
            return Outcome.OffLoop;
        Remove(execution, slot, count);
        return Outcome.Done;
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

    // A big list is searched, and changed, without its key.
    private static bool MustBuild(Execution execution, in ValueSlot slot, long costNs) =>
        slot.Encoding != KeyEncoding.Listpack && execution.MustLeaveKeys(costNs);

    private static void Insert(Execution execution, ValueSlot slot, bool isAfter)
    {
        if (slot.IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }

        long rank = RankOf(execution, slot.View.List, execution.Argument(3));
        if (rank < 0)
        {
            execution.Reply.Integer(-1);
            return;
        }

        Key key = execution.Key(1);
        var list = new ListEditor(execution.Keys, key, slot);
        list.Insert(isAfter ? rank + 1 : rank, execution.Argument(4));
        ReplyInserted(execution, in list);
    }

    private static void ReplyInserted(Execution execution, in ListEditor list)
    {
        execution.Keys.Changed(execution.Key(1), KeyEvent.LInsert);
        execution.Reply.Integer(list.Count);
    }

    private static void Remove(Execution execution, ValueSlot slot, long count)
    {
        if (slot.IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }

        var list = new ListEditor(execution.Keys, execution.Key(1), slot);
        long length = list.Count;
        list.RemoveEqual(execution.Argument(3), EndOf(count), CountMaxOf(count));
        ReplyRemoved(execution, ref list, length);
    }

    private static void ReplyRemoved(Execution execution, ref ListEditor list, long length)
    {
        Key key = execution.Key(1);
        long removed = length - list.Count;
        if (removed > 0)
            Declare(execution, in key, KeyEvent.LRem, removed, list.Complete());
        execution.Reply.Integer(removed);
    }

    private static ListEnd EndOf(long count) => count < 0 ? ListEnd.Tail : ListEnd.Head;

    private static long CountMaxOf(long count)
    {
        Debug.Assert(count != long.MinValue, "it has no absolute value");
        return count == 0 ? long.MaxValue : Math.Abs(count);
    }

    // The rank of the first element that is a text; -1: there is none.
    private static long RankOf(Execution execution, ListView view, ReadOnlySpan<byte> text)
    {
        Debug.Assert(view.Count > 0, "an empty list has no key");
        var pivot = new ListText(text);
        ListCursor cursor = view.CursorAt(0);
        long rank = 0;
        while (!pivot.Equals(cursor.Current))
        {
            rank++;
            if (!cursor.MoveNext())
                return -1;
        }

        return rank;
    }

    private static void Declare(Execution execution, in Key key, KeyEvent keyEvent, long count, bool isGone)
    {
        Debug.Assert(count >= 0 && (count > 0 || !isGone), "a list that lost nothing is gone");
        execution.Keys.MarkChanged(in key, keyEvent);
        execution.Keys.CountChanges(count);
        if (isGone)
            execution.Keys.MarkChanged(in key, KeyEvent.Deleted);
    }

    private sealed class InsertSteps(bool isAfter) : EditSteps
    {
        protected override bool TryChange(Execution execution, ListView view)
        {
            long rank = RankOf(execution, view, execution.Argument(3));
            if (rank < 0)
            {
                execution.Reply.Integer(-1);
                return false;
            }

            Changed = DetachedList.Copy(execution.Keys.Keyspace, view);
            Changed.Insert(isAfter ? rank + 1 : rank, execution.Argument(4));
            return true;
        }

        protected override void Edit(Execution execution, ValueSlot slot) => Insert(execution, slot, isAfter);

        protected override void ReplyAdopted(Execution execution, ref ListEditor list, long length) =>
            ReplyInserted(execution, in list);
    }

    private sealed class RemoveSteps(long count) : EditSteps
    {
        protected override bool TryChange(Execution execution, ListView view)
        {
            Changed = DetachedList.Copy(execution.Keys.Keyspace, view);
            Changed.RemoveEqual(execution.Argument(3), EndOf(count), CountMaxOf(count));
            if (Changed.Count != view.Count)
                return true;
            execution.Reply.Integer(0);
            return false;
        }

        protected override void Edit(Execution execution, ValueSlot slot) => Remove(execution, slot, count);

        protected override void ReplyAdopted(Execution execution, ref ListEditor list, long length) =>
            ReplyRemoved(execution, ref list, length);
    }
}
