using System;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
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

        Key key = execution.Key(1);
        var list = new ListEditor(execution.Keys, key, slot);
        if (!execution.IsBuilt || !TryAdopt(execution, ref list))
        {
            if (!TryBegin(execution, slot, out ListView view))
                return Outcome.OffLoop;
            long rank = RankOf(execution, view, execution.Argument(3));
            if (rank < 0)
            {
                execution.Reply.Integer(-1);
                return Outcome.Done;
            }

            rank += isAfter ? 1 : 0;
            if (execution.TryReturnBuilt())
            {
                DetachedList changed = DetachedList.Copy(execution.Keys.Keyspace, view);
                execution.Built = changed;
                changed.Insert(rank, execution.Argument(4));
                return Outcome.Done;
            }

            list.Insert(rank, execution.Argument(4));
        }

        execution.Keys.Changed(in key, KeyEvent.LInsert);
        execution.Reply.Integer(list.Count);
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

        Key key = execution.Key(1);
        var list = new ListEditor(execution.Keys, key, slot);
        long length = list.Count;
        if (!execution.IsBuilt || !TryAdopt(execution, ref list))
        {
            if (!TryBegin(execution, slot, out ListView view))
                return Outcome.OffLoop;
            long countMax = count == 0 ? long.MaxValue : Math.Abs(count);
            ListEnd from = count < 0 ? ListEnd.Tail : ListEnd.Head;
            if (execution.TryReturnBuilt())
            {
                ReturnWithout(execution, view, from, countMax);
                return Outcome.Done;
            }

            list.RemoveEqual(execution.Argument(3), from, countMax);
        }

        long removed = length - list.Count;
        if (removed > 0)
            Declare(execution, in key, KeyEvent.LRem, removed, list.Complete());
        execution.Reply.Integer(removed);
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

    // A big list is searched, and changed, without its key (StoreSteps).
    private static bool TryBegin(Execution execution, ValueSlot slot, out ListView view)
    {
        EntryView entry = slot.View;
        bool isBig = slot.Encoding != KeyEncoding.Listpack;
        if (isBig && execution.MustFinishHere)
            entry = execution.Keep(1, entry);
        view = entry.List;
        long costNs = view.Count * ListReplies.ComparisonCostNs;
        return isBig ? StoreSteps.TryBegin(execution, costNs) : !execution.MustLeaveLoop(costNs);
    }

    // Takes over what has been made of the list, if that is still the same.
    private static bool TryAdopt(Execution execution, ref ListEditor list)
    {
        using DetachedList built = StoreSteps.Take<DetachedList>(execution);
        if (!StoreSteps.TryTake(execution, firstSource: 1, endSource: 2))
            return false;
        list.Adopt(built);
        return true;
    }

    private static void ReturnWithout(Execution execution, ListView view, ListEnd from, long countMax)
    {
        DetachedList changed = DetachedList.Copy(execution.Keys.Keyspace, view);
        execution.Built = changed;
        changed.RemoveEqual(execution.Argument(3), from, countMax);
        if (changed.Count != view.Count)
            return;
        // Nothing is to be stored.
        StoreSteps.Drop(execution);
        execution.Reply.Integer(0);
    }

    // The rank of the first element that is a text; -1: there is none.
    private static long RankOf(Execution execution, ListView view, ReadOnlySpan<byte> text)
    {
        var pivot = new ListText(text);
        ListCursor cursor = view.CursorAt(0);
        long rank = 0;
        while (!pivot.Equals(cursor.Current))
        {
            rank++;
            execution.Keys.LongWork?.Breathe((int)rank);
            if (!cursor.MoveNext())
                return -1;
        }

        return rank;
    }

    private static void Declare(Execution execution, in Key key, KeyEvent keyEvent, long count, bool isGone)
    {
        execution.Keys.ChangedToo(in key, keyEvent);
        execution.Keys.CountChanges(count);
        if (isGone)
            execution.Keys.ChangedToo(in key, KeyEvent.Deleted);
    }
}
