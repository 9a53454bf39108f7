using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Commands of sorted sets that wait for a member where there is none.</summary>
public static class BlockingSortedSetCommands
{
    /// <summary>BZPOPMIN key [key ...] timeout</summary>
    public static void BZPopMin(Execution execution) => Pop(execution, isMax: false);

    /// <summary>BZPOPMAX key [key ...] timeout</summary>
    public static void BZPopMax(Execution execution) => Pop(execution, isMax: true);

    /// <summary>BZMPOP timeout numkeys key [key ...] MIN|MAX [COUNT count]</summary>
    public static void BZMPop(Execution execution)
    {
        MultiPopRequest request = default;
        if (!request.TryRead(execution, 2)
            || !BlockingTimeout.TrySeconds(execution, 1, out long timeoutMs) || request.TryTake(execution))
            return;
        execution.WaitForKeys(
            new KeyWait(KeyType.SortedSet, request.FirstKey, request.KeyCount, timeoutMs));
    }

    private static void Pop(Execution execution, bool isMax)
    {
        int last = execution.ArgumentCount - 1;
        if (!BlockingTimeout.TrySeconds(execution, last, out long timeoutMs))
            return;
        for (int index = 1; index < last; index++)
        {
            if (!execution.TryFindSlot(index, KeyType.SortedSet, out ValueSlot slot))
                return;
            if (slot.IsMissing)
                continue;
            Key key = execution.Key(index);
            execution.Reply.ArrayHeader(3);
            execution.Reply.Bulk(key.Span);
            SortedSetPops.Take(execution, in key, in slot, 1, new PopShape(isMax, IsNested: false));
            return;
        }

        execution.WaitForKeys(new KeyWait(KeyType.SortedSet, FirstKey: 1, last - 1, timeoutMs));
    }
}
