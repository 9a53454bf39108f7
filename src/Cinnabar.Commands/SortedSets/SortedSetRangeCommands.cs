using Cinnabar.Keyspace;
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
    public static void ZRange(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Unsaid, isReverse: null));

    /// <summary>ZREVRANGE key start stop [WITHSCORES].</summary>
    public static void ZRevRange(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Rank, isReverse: true));

    /// <summary>ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count].</summary>
    public static void ZRangeByScore(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Score, isReverse: false));

    /// <summary>ZREVRANGEBYSCORE key max min [WITHSCORES] [LIMIT offset count].</summary>
    public static void ZRevRangeByScore(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Score, isReverse: true));

    /// <summary>ZRANGEBYLEX key min max [LIMIT offset count].</summary>
    public static void ZRangeByLex(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Lex, isReverse: false));

    /// <summary>ZREVRANGEBYLEX key max min [LIMIT offset count].</summary>
    public static void ZRevRangeByLex(Execution execution) =>
        Reply(execution, new RangeRequest(RangeKind.Lex, isReverse: true));

    /// <summary>
    /// ZRANGESTORE destination source min max [BYSCORE | BYLEX] [REV] [LIMIT offset count].
    /// </summary>
    public static void ZRangeStore(Execution execution)
    {
        var request = new RangeRequest(RangeKind.Unsaid, null);
        if (!request.TryRead(execution, 3, isStore: true)
            || !execution.TryFindSortedSet(2, out SortedSetView view))
            return;
        RankRange range = request.Find(view);
        if (execution.TryMoveToSlowLane(NsPerStoredMember * range.Count))
            return;
        SortedSetBuilder result = execution.SortedSets.Build();
        try
        {
            SortedSetWalk walk = view.Walk(range);
            while (walk.MoveNext())
                result.Set(walk.Member, walk.Score);
            SortedSetReplies.Store(execution, ref result, KeyEvent.ZRangeStore);
        }
        finally
        {
            result.Dispose();
        }
    }

    private static void Reply(Execution execution, RangeRequest request)
    {
        if (!request.TryRead(execution, 2, isStore: false)
            || !execution.TryFindSortedSet(1, out SortedSetView view))
            return;
        RankRange range = request.Find(view);
        if (execution.TryMoveToSlowLane(NsPerMember * range.Count))
            return;
        SortedSetReplies.Range(execution, view.Walk(range, request.IsReverse), request.WithScores);
    }
}
