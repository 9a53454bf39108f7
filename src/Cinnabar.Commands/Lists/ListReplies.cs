using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>What the commands of lists reply, and read from their arguments.</summary>
public static class ListReplies
{
    /// <summary>What an element costs that is replied, in nanoseconds: for the slow lane.</summary>
    internal const long ElementCostNs = 20;

    /// <summary>What an element costs that is compared, in nanoseconds.</summary>
    internal const long ComparisonCostNs = 5;

    /// <summary>Replies an element as a bulk string.</summary>
    public static void ReplyElement(Execution execution, in ListpackValue value)
    {
        if (value.IsInteger)
            execution.Reply.BulkInteger(value.Integer);
        else
            execution.Reply.Bulk(value.Text);
    }

    /// <summary>Replies elements from a cursor on, towards the tail or the head.</summary>
    /// <param name="execution">Whose reply it is.</param>
    /// <param name="cursor">At the first one.</param>
    /// <param name="count">How many; the list has as many.</param>
    /// <param name="isBackward">Whether the next one is the one before.</param>
    public static void ReplyElements(
        Execution execution, scoped ref ListCursor cursor, long count, bool isBackward)
    {
        Debug.Assert(count > 0, "a cursor stands on an element");
        for (long left = count; left > 0; left--)
        {
            ReplyElement(execution, cursor.Current);
            if (isBackward)
                cursor.MoveBack();
            else
                cursor.MoveNext();
        }
    }

    /// <summary>Reads LEFT or RIGHT, or replies a syntax error.</summary>
    public static bool TryReadEnd(Execution execution, int index, out ListEnd end)
    {
        end = ListEnd.Head;
        if (execution.Is(index, "left"u8))
            return true;
        end = ListEnd.Tail;
        if (execution.Is(index, "right"u8))
            return true;
        execution.Reply.Error(Errors.Syntax);
        return false;
    }
}
