using Cinnabar.Keyspace.Sets;

namespace Cinnabar.Commands.Sets;

/// <summary>Commands on random members of a set: SPOP, SRANDMEMBER.</summary>
public static class RandomCommands
{
    private const int CountIndex = 2;
    private const long NsPerMember = 100;

    /// <summary>SPOP key [count].</summary>
    public static Outcome SPop(Execution execution)
    {
        long count = 1;
        bool hasCount = execution.ArgumentCount > CountIndex;
        if (hasCount && !TryReadCount(execution, isPop: true, out count))
            return Outcome.Done;
        if (!execution.TryFindSlot(1, KeyType.Set, out ValueSlot slot))
            return Outcome.Done;
        if (slot.IsMissing || count == 0)
        {
            if (hasCount)
                execution.Reply.SetHeader(0);
            else
                execution.Reply.Null();
            return Outcome.Done;
        }

        long size = execution.Sets.View(slot.View).Count;
        count = Math.Min(count, size);
        if (execution.MustLeaveLoop(count * NsPerMember))
            return Outcome.OffLoop;
        if (hasCount)
            execution.Reply.SetHeader(count);
        Pop(execution, slot, count, hasCount);
        return Outcome.Done;
    }

    /// <summary>SRANDMEMBER key [count].</summary>
    public static Outcome SRandMember(Execution execution)
    {
        if (execution.ArgumentCount > CountIndex)
        {
            return PickSome(execution);
        }

        if (!execution.TryFind(1, KeyType.Set, out EntryView entry))
            return Outcome.Done;
        if (entry.IsMissing)
            execution.Reply.Null();
        else
            ReplyingVisitor.Reply(execution, execution.Sets.View(entry).Pick(ref execution.Random));
        return Outcome.Done;
    }

    private static void Pop(Execution execution, ValueSlot slot, long count, bool hasCount)
    {
        Key key = execution.Key(1);
        SetView all = execution.Sets.View(slot.View);
        var visitor = new PoppedVisitor(execution, isWhole: hasCount && count == all.Count);
        bool isAll = count == all.Count;
        Debug.Assert(count > 0 && count <= all.Count, "more members than there are");
        if (isAll)
        {
            all.VisitAll(ref visitor);
            slot.Remove();
        }
        else
        {
            SetEditor set = execution.Sets.Edit(slot);
            SetSampler.Pop(set, count, ref execution.Random, ref visitor);
        }

        visitor.End();
        execution.Keys.Changed(in key, KeyEvent.SPop);
        execution.Keys.CountChanges(count - 1);
        if (isAll)
            execution.Keys.MarkChanged(in key, KeyEvent.Deleted);
    }

    // A negative count asks for as many members, and allows the same one more than once.
    private static Outcome PickSome(Execution execution)
    {
        if (!TryReadCount(execution, isPop: false, out long count)
            || !execution.TryFindKept(1, KeyType.Set, out EntryView entry))
            return Outcome.Done;
        SetView set = execution.Sets.View(entry);
        if (entry.IsMissing || count == 0)
        {
            execution.Reply.ArrayHeader(0);
            return Outcome.Done;
        }

        if (count > 0)
            count = Math.Min(count, set.Count);
        if (execution.MustLeaveKeys(Execution.EstimateNs(Math.Abs(count), NsPerMember)))
            return Outcome.OffLoopWithoutKeys;
        execution.Reply.ArrayHeader(Math.Abs(count));
        var visitor = new ReplyingVisitor(execution);
        if (count < 0)
            PickMany(execution, set, -count, ref visitor);
        else if (count == set.Count)
            set.VisitAll(ref visitor);
        else
            SetSampler.Sample(set, count, ref execution.Random, ref visitor);
        return Outcome.Done;
    }

    // In pieces: a client that may not have so much unsent need not get it all.
    private static void PickMany(Execution execution, SetView set, long count, ref ReplyingVisitor visitor)
    {
        const long pieceSize = 10_000;
        Debug.Assert(count > 0 && !set.IsMissing, "there is nothing to pick from");
        for (; count > 0 && !execution.Reply.Sink.IsOverLimit; count -= pieceSize)
            SetSampler.PickMany(set, Math.Min(count, pieceSize), ref execution.Random, ref visitor);
    }

    private static bool TryReadCount(Execution execution, bool isPop, out long count)
    {
        count = 0;
        if (execution.ArgumentCount > CountIndex + 1)
        {
            execution.Reply.Error(Errors.Syntax);
            return false;
        }

        if (isPop)
        {
            if (RedisNumber.TryParseInt64(execution.Argument(CountIndex), out count) && count >= 0)
                return true;
            execution.Reply.Error("ERR value is out of range, must be positive"u8);
            return false;
        }

        if (!execution.TryInteger(CountIndex, out count))
            return false;
        if (count >= -Execution.ReplyCountMax)
            return true;
        execution.Reply.Error(count > long.MinValue ? Errors.CountOutOfRange
            : "ERR value is out of range, value must between "u8
                + "-9223372036854775807 and 9223372036854775807"u8);
        return false;
    }
}
