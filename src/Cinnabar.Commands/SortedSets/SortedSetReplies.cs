using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>How replies show members with scores.</summary>
internal static class SortedSetReplies
{
    /// <summary>The header of so many members; with scores RESP2 has all in one array, RESP3 an array for
    /// each.</summary>
    public static void Header(Execution execution, long count, bool withScores) =>
        execution.Reply.ArrayHeader(withScores && execution.Reply.Protocol < 3 ? count * 2 : count);

    /// <summary>A member, with its score if wanted.</summary>
    public static void Member(Execution execution, ReadOnlySpan<byte> member, double score, bool withScores)
    {
        if (withScores && execution.Reply.Protocol >= 3)
            execution.Reply.ArrayHeader(2);
        execution.Reply.Bulk(member);
        if (withScores)
            execution.Reply.Double(score);
    }

    /// <summary>
    /// Stores a result under the key that the first argument names, or removes that where the result is
    /// empty, and replies the number of members.
    /// </summary>
    public static void Store(Execution execution, ref SortedSetBuilder result, KeyEvent keyEvent)
    {
        Key target = execution.Key(1);
        long count = result.Count;
        if (count != 0)
        {
            result.Store(in target);
            execution.Keys.Changed(in target, keyEvent);
        }
        else if (execution.Keys.Remove(in target))
        {
            execution.Keys.Changed(in target, KeyEvent.Deleted);
        }

        execution.Reply.Integer(count);
    }

    /// <summary>All members of a result, with their header.</summary>
    public static void All(Execution execution, ref SortedSetBuilder result, bool withScores)
    {
        int count = result.SmallCount;
        if (count < 0)
        {
            Range(execution, result.View.Walk(), withScores);
            return;
        }

        Header(execution, count, withScores);
        for (int rank = 0; rank < count; rank++)
            Member(execution, result.SmallMember(rank, out double score), score, withScores);
    }

    /// <summary>A range with its header.</summary>
    public static void Range(Execution execution, SortedSetWalk walk, bool withScores)
    {
        Header(execution, walk.CountLeft, withScores);
        if (!withScores)
        {
            while (walk.MoveNext())
                execution.Reply.Bulk(walk.Member);
            return;
        }

        while (walk.MoveNext())
            Member(execution, walk.Member, walk.Score, withScores: true);
    }
}
