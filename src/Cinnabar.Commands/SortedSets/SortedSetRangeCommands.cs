using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>
/// Commands that read ranges: ZRANGE, ZRANGEBYLEX, ZRANGEBYSCORE, ZREVRANGE, ZREVRANGEBYLEX,
/// ZREVRANGEBYSCORE, ZRANGESTORE.
/// </summary>
public static class SortedSetRangeCommands
{
    private const long NsPerMember = 60;
    private const long NsPerStoredMember = 500;

    /// <summary>
    /// ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES].
    /// </summary>
    public static Outcome ZRange(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Unsaid, isReverse: null));

    /// <summary>ZREVRANGE key start stop [WITHSCORES].</summary>
    public static Outcome ZRevRange(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Rank, isReverse: true));

    /// <summary>ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count].</summary>
    public static Outcome ZRangeByScore(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Score, isReverse: false));

    /// <summary>ZREVRANGEBYSCORE key max min [WITHSCORES] [LIMIT offset count].</summary>
    public static Outcome ZRevRangeByScore(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Score, isReverse: true));

    /// <summary>ZRANGEBYLEX key min max [LIMIT offset count].</summary>
    public static Outcome ZRangeByLex(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Lex, isReverse: false));

    /// <summary>ZREVRANGEBYLEX key max min [LIMIT offset count].</summary>
    public static Outcome ZRevRangeByLex(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Lex, isReverse: true));

    /// <summary>
    /// ZRANGESTORE destination source min max [BYSCORE | BYLEX] [REV] [LIMIT offset count].
    /// </summary>
    public static Outcome ZRangeStore(Execution execution)
    {
        var request = new RangeRequest(RangeKind.Unsaid, null);
        if (!request.TryRead(execution, 3, isStore: true)
            || !execution.TryFindSortedSet(2, out SortedSetView view))
            return Outcome.Done;
        RankRange range = request.Find(execution, view);
        if (execution.MustLeaveKeys(NsPerStoredMember * range.Count))
            return execution.StoreLater(new Steps(request));
        SortedSetBuilder result = execution.SortedSets.Build();
        try
        {
            Copy(execution, view.Walk(range), request.IsByRank, ref result);
            SortedSetReplies.Store(execution, ref result, KeyEvent.ZRangeStore);
        }
        finally
        {
            result.Dispose();
        }

        return Outcome.Done;
    }

    // Redis gathers the members in a listpack as long as that will do, which turns the negative zero into 0;
    // of a range of ranks it knows the number before.
    private static void Copy(Execution execution, SortedSetWalk walk, bool isCountKnown,
        ref SortedSetBuilder result)
    {
        SortedSetStore store = execution.SortedSets;
        bool isPack = !isCountKnown || store.FitsPack(walk.CountLeft, 0);
        while (walk.MoveNext())
        {
            ReadOnlySpan<byte> member = walk.Member;
            isPack = isPack && store.FitsPack(result.Count + 1, member.Length);
            result.Add(member, isPack ? walk.Score + 0.0 : walk.Score);
        }
    }

    private static Outcome Reply(Execution execution, RangeRequest request)
    {
        if (!request.TryRead(execution, 2, isStore: false)
            || !execution.TryFindSortedSet(1, out SortedSetView view))
            return Outcome.Done;
        RankRange range = request.Find(execution, view);
        if (execution.MustLeaveKeys(NsPerMember * range.Count))
            return Outcome.OffLoopWithoutKeys;
        SortedSetReplies.Range(execution, view.Walk(range, request.IsReverse), request.WithScores);
        return Outcome.Done;
    }

    private sealed class Steps(RangeRequest request) : ResultSteps(KeyEvent.ZRangeStore)
    {
        protected override bool TryBuild(Execution execution, ref SortedSetBuilder result)
        {
            if (!execution.TryFindSortedSet(2, out SortedSetView view))
                return false;
            Copy(execution, view.Walk(request.Find(execution, view)), request.IsByRank, ref result);
            return true;
        }
    }
}
