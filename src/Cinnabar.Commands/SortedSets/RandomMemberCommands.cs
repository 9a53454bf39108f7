using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>ZRANDMEMBER: members by chance.</summary>
public static class RandomMemberCommands
{
    private const long NsPerMember = 250;
    private const long NsPerStep = 5;

    /// <summary>ZRANDMEMBER key [count [WITHSCORES]]: a negative count may name a member more than
    /// once.</summary>
    public static Outcome ZRandMember(Execution execution)
    {
        if (execution.ArgumentCount == 2)
        {
            ReplyOne(execution);
            return Outcome.Done;
        }

        if (!TryReadCount(execution, out long count, out bool withScores)
            || !execution.TryFindSortedSet(1, out SortedSetView view))
            return Outcome.Done;
        long size = view.Count;
        if (count == 0 || size == 0)
            execution.Reply.ArrayHeader(0);
        else if (count < 0)
            return ReplyAny(execution, view, -count, withScores);
        else if (count >= size)
            return ReplyAll(execution, view, withScores);
        else
            return ReplyDifferent(execution, view, count, withScores);
        return Outcome.Done;
    }

    private static bool TryReadCount(Execution execution, out long count, out bool withScores)
    {
        withScores = execution.ArgumentCount == 4 && execution.Is(3, "withscores"u8);
        if (!execution.TryInteger(2, out count))
            return false;
        if (count == long.MinValue)
        {
            execution.Reply.Error("ERR value is out of range, value must between "u8
                + "-9223372036854775807 and 9223372036854775807"u8);
            return false;
        }

        if (execution.ArgumentCount > 4 || (execution.ArgumentCount == 4 && !withScores))
        {
            execution.Reply.Error(Errors.Syntax);
            return false;
        }

        bool isTooMany = count < -Execution.ReplyCountMax || (withScores && count > long.MaxValue / 2);
        if (isTooMany)
            execution.Reply.Error(Errors.CountOutOfRange);
        return !isTooMany;
    }

    private static void ReplyOne(Execution execution)
    {
        if (!execution.TryFindSortedSet(1, out SortedSetView view))
            return;
        if (view.Count == 0)
        {
            execution.Reply.Null();
            return;
        }

        SortedSetWalk walk = PickOne(execution, view);
        execution.Reply.Bulk(walk.Member);
    }

    private static SortedSetWalk PickOne(Execution execution, SortedSetView view)
    {
        Debug.Assert(view.Count > 0, "an empty set has no key");
        long rank = (long)execution.Random.NextBelow((ulong)view.Count);
        SortedSetWalk walk = view.Walk(new RankRange(rank, 1));
        walk.MoveNext();
        return walk;
    }

    private static Outcome ReplyAny(Execution execution, SortedSetView view, long count, bool withScores)
    {
        if (execution.MustLeaveKeys(Execution.EstimateNs(count, NsPerMember)))
            return Outcome.OffLoopWithoutKeys;
        SortedSetReplies.Header(execution, count, withScores);
        for (; count > 0 && !execution.Reply.Sink.IsOverLimit; count--)
        {
            SortedSetWalk walk = PickOne(execution, view);
            SortedSetReplies.Member(execution, walk.Member, walk.Score, withScores);
        }
        return Outcome.Done;
    }

    private static Outcome ReplyAll(Execution execution, SortedSetView view, bool withScores)
    {
        if (execution.MustLeaveKeys(view.Count * NsPerMember))
            return Outcome.OffLoopWithoutKeys;
        SortedSetReplies.Range(execution, view.Walk(), withScores);
        return Outcome.Done;
    }

    private static Outcome ReplyDifferent(
        Execution execution, SortedSetView view, long count, bool withScores)
    {
        long size = view.Count;
        // Few of many are drawn, and drawn again where they have been; else all are walked over.
        bool isFew = view.IsTree && count < size / 16;
        long cost = isFew ? count * 2 * NsPerMember : (size * NsPerStep) + (count * NsPerMember);
        if (execution.MustLeaveKeys(cost))
            return Outcome.OffLoopWithoutKeys;
        SortedSetReplies.Header(execution, count, withScores);
        if (isFew)
            ReplyDrawn(execution, view, count, withScores);
        else
            ReplySieved(execution, view, count, withScores);
        return Outcome.Done;
    }

    private static void ReplyDrawn(Execution execution, SortedSetView view, long count, bool withScores)
    {
        Debug.Assert(count <= view.Count, "it would draw for ever");
        var drawn = new HashSet<long>((int)count);
        while (drawn.Count < count)
        {
            long rank = (long)execution.Random.NextBelow((ulong)view.Count);
            if (!drawn.Add(rank))
                continue;
            SortedSetWalk walk = view.Walk(new RankRange(rank, 1));
            walk.MoveNext();
            SortedSetReplies.Member(execution, walk.Member, walk.Score, withScores);
        }
    }

    // Selection sampling: each member is taken with the chance that it still needs (Knuth, The Art of
    // Computer Programming, 3.4.2, algorithm S).
    private static void ReplySieved(Execution execution, SortedSetView view, long count, bool withScores)
    {
        long left = view.Count;
        Debug.Assert(count > 0 && count <= left, "more members than there are");
        SortedSetWalk walk = view.Walk();
        for (; count > 0 && walk.MoveNext(); left--)
        {
            if (execution.Random.NextBelow((ulong)left) >= (ulong)count)
                continue;
            SortedSetReplies.Member(execution, walk.Member, walk.Score, withScores);
            count--;
        }
    }
}
