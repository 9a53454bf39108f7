using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Commands that count ranges: ZCOUNT, ZLEXCOUNT.</summary>
public static class CountCommands
{
    /// <summary>ZCOUNT key min max.</summary>
    public static void ZCount(Execution execution)
    {
        if (RangeText.TryReadScores(execution, 2, 3, out ScoreBounds bounds)
            && execution.TryFindSortedSet(1, out SortedSetView view))
            execution.Reply.Integer(view.RangeOf(in bounds).Count);
    }

    /// <summary>ZLEXCOUNT key min max.</summary>
    public static void ZLexCount(Execution execution)
    {
        if (RangeText.TryReadMembers(execution, 2, 3, out LexEnds ends)
            && execution.TryFindSortedSet(1, out SortedSetView view))
            execution.Reply.Integer(view.RangeOf(ends.BoundsIn(execution)).Count);
    }
}
