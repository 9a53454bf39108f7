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
    public static Outcome ZRemRangeByRank(Execution execution) => RemoveRange(execution, RangeKind.Rank);

    /// <summary>ZREMRANGEBYSCORE key min max.</summary>
    public static Outcome ZRemRangeByScore(Execution execution) => RemoveRange(execution, RangeKind.Score);

    /// <summary>ZREMRANGEBYLEX key min max.</summary>
    public static Outcome ZRemRangeByLex(Execution execution) => RemoveRange(execution, RangeKind.Lex);

    /// <summary>Declares that members were removed, and with the last of them the key.</summary>
    internal static void Declare(Execution execution, KeyEvent keyEvent, long count, bool isEmpty)
    {
        Debug.Assert(count > 0 || (count == 0 && !isEmpty), "a set that lost nothing is empty");
        if (count == 0)
            return;
        Key key = execution.Key(1);
        execution.Keys.Changed(in key, keyEvent);
        execution.Keys.CountChanges(count - 1);
        if (isEmpty)
            execution.Keys.MarkChanged(in key, KeyEvent.Deleted);
    }

    private static Outcome RemoveRange(Execution execution, RangeKind kind)
    {
        var request = new RangeRequest(kind, isReverse: false);
        if (!request.TryRead(execution, 2, isStore: true)
            || !execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
            return Outcome.Done;
        SortedSetView view = ViewOf(execution, in slot);
        RankRange range = request.Find(execution, view);
        // All at once costs nothing: the tree is freed in slices.
        bool isPart = range.Count != 0 && range.Count != view.Count;
        long costNs = NsPerMember * range.Count;
        if (isPart && view.IsTree && execution.MustLeaveKeys(costNs))
            return execution.StoreLater(new Steps(kind, request));
        if (isPart && execution.MustLeaveLoop(costNs))
            return Outcome.OffLoop;
        RemoveRange(execution, slot, range, kind);
        return Outcome.Done;
    }

    private static SortedSetView ViewOf(Execution execution, in ValueSlot slot) =>
        slot.IsMissing ? default : execution.SortedSets.View(slot.View);

    private static void RemoveRange(Execution execution, ValueSlot slot, RankRange range, RangeKind kind)
    {
        Key key = execution.Key(1);
        SortedSetEditor editor = execution.SortedSets.Edit(in key, in slot);
        bool isEmpty = editor.RemoveRange(range);
        ReplyRemoved(execution, range.Count, isEmpty, kind);
    }

    private static void ReplyRemoved(Execution execution, long count, bool isEmpty, RangeKind kind)
    {
        KeyEvent keyEvent = kind switch
        {
            RangeKind.Rank => KeyEvent.ZRemRangeByRank,
            RangeKind.Score => KeyEvent.ZRemRangeByScore,
            _ => KeyEvent.ZRemRangeByLex,
        };
        Declare(execution, keyEvent, count, isEmpty);
        execution.Reply.Integer(count);
    }

    // A changed copy of the kept tree, which the set adopts; where the keys are held all the while the set
    // itself is changed.
    private sealed class Steps(RangeKind kind, RangeRequest request) : StoreSteps
    {
        private SortedSetBuilder _changed;
        private long _count;

        public override bool TryBuild(Execution execution)
        {
            Debug.Assert(_count == 0, "a copy is changed once");
            EntryView entry = execution.Kept(1);
            if (!execution.IsWithoutKeys || entry.IsMissing || entry.Type != KeyType.SortedSet)
                return true;
            SortedSetView view = execution.SortedSets.View(entry);
            RankRange range = request.Find(execution, view);
            if (!view.IsTree || range.Count == 0 || range.Count == view.Count)
                return true;
            _changed = execution.SortedSets.Copy(entry);
            _changed.RemoveRange(range);
            _count = range.Count;
            return true;
        }

        public override void Store(Execution execution)
        {
            if (!execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
                return;
            if (_count == 0)
            {
                SortedSetView view = ViewOf(execution, in slot);
                RemoveRange(execution, slot, request.Find(execution, view), kind);
                return;
            }

            Key key = execution.Key(1);
            SortedSetEditor editor = execution.SortedSets.Edit(in key, in slot);
            editor.Adopt(ref _changed);
            ReplyRemoved(execution, _count, isEmpty: false, kind);
        }

        public override void Drop()
        {
            if (_count != 0)
                _changed.Dispose();
            _count = 0;
        }
    }
}
