using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Commands that look members up: ZCARD, ZMSCORE, ZRANK, ZREVRANK, ZSCORE.</summary>
public static class ScoreCommands
{
    /// <summary>ZCARD key.</summary>
    public static void ZCard(Execution execution)
    {
        if (execution.TryFindSortedSet(1, out SortedSetView view))
            execution.Reply.Integer(view.Count);
    }

    /// <summary>ZSCORE key member.</summary>
    public static void ZScore(Execution execution)
    {
        if (execution.TryFindSortedSet(1, out SortedSetView view))
            ReplyScore(execution, view, 2);
    }

    /// <summary>ZMSCORE key member [member ...].</summary>
    public static void ZMScore(Execution execution)
    {
        if (!execution.TryFindSortedSet(1, out SortedSetView view))
            return;
        execution.Reply.ArrayHeader(execution.ArgumentCount - 2);
        int ahead = 2;
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (index == ahead)
                ahead = execution.LoadAhead(index);
            ReplyScore(execution, view, index);
        }
    }

    /// <summary>ZRANK key member [WITHSCORE].</summary>
    public static void ZRank(Execution execution) => Rank(execution, isReverse: false);

    /// <summary>ZREVRANK key member [WITHSCORE].</summary>
    public static void ZRevRank(Execution execution) => Rank(execution, isReverse: true);

    private static void Rank(Execution execution, bool isReverse)
    {
        bool withScore = execution.ArgumentCount == 4;
        if (execution.ArgumentCount > 4)
        {
            Errors.ReplyWrongArity(execution, isReverse ? "zrevrank"u8 : "zrank"u8);
            return;
        }

        if (withScore && !execution.Is(3, "withscore"u8))
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        if (!execution.TryFindSortedSet(1, out SortedSetView view))
            return;
        long rank = view.RankOf(execution.Argument(2), out double score, execution.ScoreHintOf(2));
        if (rank < 0)
        {
            if (withScore)
                execution.Reply.NullArray();
            else
                execution.Reply.Null();
            return;
        }

        Debug.Assert(rank < view.Count, "a rank behind the last member");
        if (withScore)
            execution.Reply.ArrayHeader(2);
        execution.Reply.Integer(isReverse ? view.Count - 1 - rank : rank);
        if (withScore)
            execution.Reply.Double(score);
    }

    private static void ReplyScore(Execution execution, SortedSetView view, int index)
    {
        if (view.TryGetScore(execution.Argument(index), out double score, execution.HintOf(index)))
            execution.Reply.Double(score);
        else
            execution.Reply.Null();
    }
}
