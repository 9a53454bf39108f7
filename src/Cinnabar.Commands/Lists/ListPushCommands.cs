using Cinnabar.Keyspace.Lists;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Commands.Lists;

/// <summary>Commands that add elements at an end: LPUSH, LPUSHX, RPUSH, RPUSHX.</summary>
public static class ListPushCommands
{
    /// <summary>LPUSH key element [element ...].</summary>
    public static void LPush(Execution execution) => Push(execution, ListEnd.Head, isExistingOnly: false);

    /// <summary>RPUSH key element [element ...].</summary>
    public static void RPush(Execution execution) => Push(execution, ListEnd.Tail, isExistingOnly: false);

    /// <summary>LPUSHX key element [element ...].</summary>
    public static void LPushX(Execution execution) => Push(execution, ListEnd.Head, isExistingOnly: true);

    /// <summary>RPUSHX key element [element ...].</summary>
    public static void RPushX(Execution execution) => Push(execution, ListEnd.Tail, isExistingOnly: true);

    /// <summary>The event of a push.</summary>
    internal static KeyEvent EventOf(ListEnd end) => end == ListEnd.Head ? KeyEvent.LPush : KeyEvent.RPush;

    private static void Push(Execution execution, ListEnd end, bool isExistingOnly)
    {
        if (!execution.TryFindSlot(1, KeyType.List, out ValueSlot slot))
            return;
        if (isExistingOnly && slot.IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }

        Key key = execution.Key(1);
        var list = new ListEditor(execution.Keys, key, slot);
        int argumentCount = execution.ArgumentCount;
        Debug.Assert(argumentCount > 2, "a push adds an element");
        long textBytes = 0;
        for (int index = 2; index < argumentCount; index++)
            textBytes += execution.Argument(index).Length;
        list.Reserve(argumentCount - 2, textBytes);
        for (int index = 2; index < argumentCount; index++)
            list.Push(end, execution.Argument(index));
        execution.Keys.Changed(in key, EventOf(end));
        execution.Keys.CountChanges(argumentCount - 3);
        execution.Reply.Integer(list.Count);
    }
}
