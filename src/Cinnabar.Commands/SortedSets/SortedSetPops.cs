using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Takes the lowest or highest members of a sorted set, for all commands that pop.</summary>
public static class SortedSetPops
{
    /// <summary>
    /// Replies the members as pairs with their scores, one after the other or each in an array, removes them,
    /// and declares that. The header around them is the caller's.
    /// </summary>
    /// <param name="execution">The execution.</param>
    /// <param name="key">The key.</param>
    /// <param name="slot">Its slot: a sorted set.</param>
    /// <param name="count">How many, at least 1; no more than there are.</param>
    /// <param name="shape">Which, and how they are replied.</param>
    public static void Take(Execution execution, in Key key, in ValueSlot slot, long count, PopShape shape)
    {
        SortedSetEditor editor = execution.SortedSets.Edit(in key, in slot);
        Debug.Assert(count > 0 && count <= editor.View.Count, "more members than there are");
        bool isEmpty = false;
        if (count == 1 && editor.TrySeekEdge(shape.IsMax, out SortedSetCursor edge))
        {
            Reply(execution, edge.Member, edge.Score, shape);
            editor.RemoveEdge(ref edge, execution.Keys.Foresight.HintOfTaken(in execution.Arguments[1]));
        }
        else
        {
            SortedSetView view = editor.View;
            var range = new RankRange(shape.IsMax ? view.Count - count : 0, count);
            SortedSetWalk walk = view.Walk(range, shape.IsMax);
            while (walk.MoveNext())
                Reply(execution, walk.Member, walk.Score, shape);
            isEmpty = editor.RemoveRange(range);
        }

        execution.Keys.Changed(in key, shape.IsMax ? KeyEvent.ZPopMax : KeyEvent.ZPopMin);
        execution.Keys.CountChanges(count - 1);
        if (isEmpty)
            execution.Keys.MarkChanged(in key, KeyEvent.Deleted);
    }

    /// <summary>Records a pop, in place of the command; a count may follow.</summary>
    internal static Effects BeginPop(Execution execution, in Key key, bool isMax) =>
        execution.Effects.Begin(isMax ? "ZPOPMAX"u8 : "ZPOPMIN"u8).With(key.Span);

    private static void Reply(
        Execution execution, ReadOnlySpan<byte> member, double score, PopShape shape)
    {
        if (shape.IsNested)
            execution.Reply.ArrayHeader(2);
        execution.Reply.Bulk(member);
        execution.Reply.Double(score);
    }

    /// <summary>Number of members in a slot: a sorted set.</summary>
    public static long CountOf(Execution execution, in ValueSlot slot) =>
        execution.SortedSets.View(slot.View).Count;
}
