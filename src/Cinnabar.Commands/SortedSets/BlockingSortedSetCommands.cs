namespace Cinnabar.Commands.SortedSets;

/// <summary>Commands of sorted sets that wait for a member where there is none.</summary>
public static class BlockingSortedSetCommands
{
    /// <summary>BZPOPMIN key [key ...] timeout</summary>
    public static Outcome BZPopMin(Execution execution) => Pop(execution, isMax: false);

    /// <summary>BZPOPMAX key [key ...] timeout</summary>
    public static Outcome BZPopMax(Execution execution) => Pop(execution, isMax: true);

    /// <summary>BZMPOP timeout numkeys key [key ...] MIN|MAX [COUNT count]</summary>
    public static Outcome BZMPop(Execution execution)
    {
        MultiPopRequest request = default;
        if (!request.TryRead(execution, 2)
            || !BlockingTimeout.TrySeconds(execution, 1, out long timeoutMs))
            return Outcome.Done;
        return request.Take(execution, out bool isMissing) is { IsDone: false } elsewhere ? elsewhere
            : !isMissing ? Outcome.Done
            : execution.WaitForKeys(
                new KeyWait(KeyType.SortedSet, request.FirstKey, request.KeyCount, timeoutMs));
    }

    private static Outcome Pop(Execution execution, bool isMax)
    {
        int last = execution.ArgumentCount - 1;
        if (!BlockingTimeout.TrySeconds(execution, last, out long timeoutMs))
            return Outcome.Done;
        for (int index = 1; index < last; index++)
        {
            if (!execution.TryFindSlot(index, KeyType.SortedSet, out ValueSlot slot))
                return Outcome.Done;
            if (slot.IsMissing)
                continue;
            Key key = execution.Key(index);
            execution.Reply.ArrayHeader(3);
            execution.Reply.Bulk(key.Span);
            SortedSetPops.Take(execution, in key, in slot, 1, new PopShape(isMax, IsNested: false));
            if (execution.Effects.IsRecording)
                SortedSetPops.BeginPop(execution, in key, isMax).End();
            return Outcome.Done;
        }

        return execution.WaitForKeys(new KeyWait(KeyType.SortedSet, FirstKey: 1, last - 1, timeoutMs));
    }
}
