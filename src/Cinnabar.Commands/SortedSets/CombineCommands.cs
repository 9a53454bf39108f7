using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>
/// Commands that combine sorted sets and sets: ZDIFF, ZDIFFSTORE, ZINTER, ZINTERCARD, ZINTERSTORE, ZUNION,
/// ZUNIONSTORE.
/// </summary>
public static class CombineCommands
{
    private const int StackSourceCount = 16;

    /// <summary>ZUNION numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE SUM | MIN | MAX]
    /// [WITHSCORES].</summary>
    public static Outcome ZUnion(Execution execution) => Reply(execution, CombineKind.Union, "zunion"u8);

    /// <summary>ZINTER, with ZUNION's arguments.</summary>
    public static Outcome ZInter(Execution execution) =>
        Reply(execution, CombineKind.Intersection, "zinter"u8);

    /// <summary>ZDIFF numkeys key [key ...] [WITHSCORES].</summary>
    public static Outcome ZDiff(Execution execution) => Reply(execution, CombineKind.Difference, "zdiff"u8);

    /// <summary>ZUNIONSTORE destination numkeys key [key ...] [WEIGHTS weight [weight ...]]
    /// [AGGREGATE SUM | MIN | MAX].</summary>
    public static Outcome ZUnionStore(Execution execution) =>
        Store(execution, CombineKind.Union, "zunionstore"u8);

    /// <summary>ZINTERSTORE, with ZUNIONSTORE's arguments.</summary>
    public static Outcome ZInterStore(Execution execution) =>
        Store(execution, CombineKind.Intersection, "zinterstore"u8);

    /// <summary>ZDIFFSTORE destination numkeys key [key ...].</summary>
    public static Outcome ZDiffStore(Execution execution) =>
        Store(execution, CombineKind.Difference, "zdiffstore"u8);

    /// <summary>ZINTERCARD numkeys key [key ...] [LIMIT limit].</summary>
    public static Outcome ZInterCard(Execution execution)
    {
        CombineRequest request = default;
        if (!request.TryReadKeys(execution, 1, "zintercard"u8) || !request.AreSets(execution)
            || !request.TryReadOptions(execution, CombineOptions.Limit))
            return Outcome.Done;
        int count = request.KeyCount;
        Span<ScoredSource> sources = count <= StackSourceCount
            ? stackalloc ScoredSource[StackSourceCount]
            : new ScoredSource[count];
        request.Open(execution, sources = sources[..count]);
        var combination = new ScoreCombination(execution.SortedSets, sources, Aggregate.Sum);
        if (execution.MustLeaveKeys(combination.CostNs(CombineKind.Intersection)))
            return Outcome.OffLoopWithoutKeys;
        execution.Reply.Integer(combination.CountIntersection(request.Limit));
        return Outcome.Done;
    }

    private static Outcome Reply(Execution execution, CombineKind kind, ReadOnlySpan<byte> command)
    {
        CombineRequest request = default;
        if (!request.TryReadKeys(execution, 1, command) || !request.AreSets(execution)
            || !request.TryReadOptions(execution, OptionsOf(kind) | CombineOptions.WithScores))
            return Outcome.Done;
        SortedSetBuilder result = execution.SortedSets.Build();
        try
        {
            if (!TryBuild(execution, kind, in request, ref result))
                return Outcome.OffLoopWithoutKeys;
            SortedSetReplies.All(execution, ref result, request.WithScores);
        }
        finally
        {
            result.Dispose();
        }

        return Outcome.Done;
    }

    private static Outcome Store(Execution execution, CombineKind kind, ReadOnlySpan<byte> command)
    {
        CombineRequest request = default;
        if (!request.TryReadKeys(execution, 2, command) || !request.AreSets(execution)
            || !request.TryReadOptions(execution, OptionsOf(kind)))
            return Outcome.Done;
        SortedSetBuilder result = execution.SortedSets.Build();
        try
        {
            if (!TryBuild(execution, kind, in request, ref result))
                return execution.StoreLater(new Steps(kind, request));
            SortedSetReplies.Store(execution, ref result, EventOf(kind));
        }
        finally
        {
            result.Dispose();
        }

        return Outcome.Done;
    }

    // False where it costs too much to be done with the keys.
    private static bool TryBuild(Execution execution, CombineKind kind, in CombineRequest request,
        ref SortedSetBuilder result)
    {
        int count = request.KeyCount;
        Span<ScoredSource> sources = count <= StackSourceCount
            ? stackalloc ScoredSource[StackSourceCount]
            : new ScoredSource[count];
        request.Open(execution, sources = sources[..count]);
        var combination = new ScoreCombination(execution.SortedSets, sources, request.Aggregate);
        // The steps that have been handed over build in any case.
        if (execution.Steps is null && execution.MustLeaveKeys(combination.CostNs(kind), true))
            return false;
        combination.Build(kind, ref result);
        return true;
    }

    private static CombineOptions OptionsOf(CombineKind kind) =>
        kind == CombineKind.Difference ? CombineOptions.None : CombineOptions.Weights;

    private static KeyEvent EventOf(CombineKind kind) => kind switch
    {
        CombineKind.Union => KeyEvent.ZUnionStore,
        CombineKind.Intersection => KeyEvent.ZInterStore,
        _ => KeyEvent.ZDiffStore,
    };

    private sealed class Steps(CombineKind kind, CombineRequest request) : ResultSteps(EventOf(kind))
    {
        protected override bool TryBuild(Execution execution, ref SortedSetBuilder result) =>
            request.AreSets(execution) && CombineCommands.TryBuild(execution, kind, in request, ref result);
    }
}
