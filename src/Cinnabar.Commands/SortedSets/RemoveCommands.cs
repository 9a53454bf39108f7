using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Commands that remove members: ZREM, ZREMRANGEBYLEX, ZREMRANGEBYRANK, ZREMRANGEBYSCORE.</summary>
public static class RemoveCommands
{
    private const long NsPerMember = 250;

    /// <summary>ZREM key member [member ...].</summary>
    public static void ZRem(Execution execution)
    {
        if (!execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
            return;
        Key key = execution.Key(1);
        SortedSetEditor editor = execution.SortedSets.Edit(in key, in slot);
        long count = 0;
        bool isEmpty = false;
        int ahead = 2;
        for (int index = 2; index < execution.ArgumentCount && !isEmpty; index++)
        {
            if (index == ahead)
                ahead = execution.LoadPlacesAhead(index);
            if (!editor.Remove(execution.Argument(index), execution.ScoreHintOf(index)))
                continue;
            count++;
            isEmpty = editor.RemoveIfEmpty();
        }

        Declare(execution, KeyEvent.ZRem, count, isEmpty);
        execution.Reply.Integer(count);
    }

    /// <summary>ZREMRANGEBYRANK key start stop.</summary>
    public static Outcome ZRemRangeByRank(Execution execution)
    {
        if (execution.TryInteger(2, out long start) && execution.TryInteger(3, out long stop)
            && execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
        {
            Key key = execution.Key(1);
            SortedSetEditor editor = execution.SortedSets.Edit(in key, in slot);
            RankRange range = RankEnds.Find(start, stop, editor.View.Count, isReverse: false);
            return Remove(execution, in slot, ref editor, range, KeyEvent.ZRemRangeByRank);
        }
        return Outcome.Done;
    }

    /// <summary>ZREMRANGEBYSCORE key min max.</summary>
    public static Outcome ZRemRangeByScore(Execution execution)
    {
        if (RangeText.TryReadScores(execution, 2, 3, out ScoreBounds bounds)
            && execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
        {
            Key key = execution.Key(1);
            SortedSetEditor editor = execution.SortedSets.Edit(in key, in slot);
            return Remove(
                execution, in slot, ref editor, editor.View.RangeOf(in bounds), KeyEvent.ZRemRangeByScore);
        }
        return Outcome.Done;
    }

    /// <summary>ZREMRANGEBYLEX key min max.</summary>
    public static Outcome ZRemRangeByLex(Execution execution)
    {
        if (RangeText.TryReadMembers(execution, 2, 3, out LexBounds bounds)
            && execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
        {
            Key key = execution.Key(1);
            SortedSetEditor editor = execution.SortedSets.Edit(in key, in slot);
            return Remove(
                execution, in slot, ref editor, editor.View.RangeOf(bounds), KeyEvent.ZRemRangeByLex);
        }
        return Outcome.Done;
    }

    /// <summary>Declares that members were removed, and with the last of them the key.</summary>
    internal static void Declare(Execution execution, KeyEvent keyEvent, long count, bool isEmpty)
    {
        if (count == 0)
            return;
        Key key = execution.Key(1);
        execution.Keys.Changed(in key, keyEvent);
        execution.Keys.CountChanges(count - 1);
        if (isEmpty)
            execution.Keys.ChangedToo(in key, KeyEvent.Deleted);
    }

    private static Outcome Remove(Execution execution, in ValueSlot slot, ref SortedSetEditor editor,
        RankRange range, KeyEvent keyEvent)
    {
        bool isEmpty = false;
        if (!execution.IsBuilt || !TryAdopt(execution, ref editor))
        {
            // All at once costs nothing: the tree is freed in slices.
            bool isAll = range.Count == editor.View.Count;
            bool isDetached = !isAll && range.Count != 0 && slot.Encoding != KeyEncoding.Listpack;
            EntryView entry = isDetached && execution.MustFinishHere ? execution.Keep(1, slot.View) : default;
            long costNs = NsPerMember * range.Count;
            if (isDetached ? !StoreSteps.TryBegin(execution, costNs)
                : !isAll && execution.MustLeaveLoop(costNs))
                return Outcome.OffLoop;
            if (execution.TryReturnBuilt())
            {
                SortedSetBuilder changed = execution.SortedSets.Copy(entry);
                changed.RemoveRange(range);
                execution.SortedSets.HoldBuilt(ref changed);
                return Outcome.Done;
            }

            isEmpty = editor.RemoveRange(range);
        }

        Declare(execution, keyEvent, range.Count, isEmpty);
        execution.Reply.Integer(range.Count);
        return Outcome.Done;
    }

    // Takes over what has been made of the set without its key, if that is still the same (StoreSteps).
    private static bool TryAdopt(Execution execution, ref SortedSetEditor editor)
    {
        SortedSetBuilder built = execution.SortedSets.TakeBuilt();
        bool isCurrent = StoreSteps.TryTake(execution, firstSource: 1, endSource: 2);
        if (isCurrent)
            editor.Adopt(ref built);
        built.Dispose();
        return isCurrent;
    }
}
