namespace Cinnabar.Commands.SortedSets;

/// <summary>Commands that take the lowest or highest members: ZMPOP, ZPOPMAX, ZPOPMIN.</summary>
public static class PopCommands
{
    private const long NsPerMember = 300;

    /// <summary>ZPOPMIN key [count].</summary>
    public static Outcome ZPopMin(Execution execution) => Pop(execution, isMax: false);

    /// <summary>ZPOPMAX key [count].</summary>
    public static Outcome ZPopMax(Execution execution) => Pop(execution, isMax: true);

    /// <summary>ZMPOP numkeys key [key ...] MIN | MAX [COUNT count].</summary>
    public static Outcome ZMPop(Execution execution)
    {
        MultiPopRequest request = default;
        if (!request.TryRead(execution, 1))
            return Outcome.Done;
        Outcome outcome = request.Take(execution, out bool isMissing);
        if (isMissing)
            execution.Reply.NullArray();
        return outcome;
    }

    private static Outcome Pop(Execution execution, bool isMax)
    {
        bool hasCount = execution.ArgumentCount == 3;
        if (execution.ArgumentCount > 3)
        {
            execution.Reply.Error(Errors.Syntax);
            return Outcome.Done;
        }

        long count = 1;
        if (hasCount && (!RedisNumber.TryParseInt64(execution.Argument(2), out count) || count < 0))
        {
            execution.Reply.Error(Errors.NotPositive);
            return Outcome.Done;
        }

        if (!execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
            return Outcome.Done;
        count = slot.IsMissing ? 0 : Math.Min(count, SortedSetPops.CountOf(execution, in slot));
        if (execution.MustLeaveLoop(NsPerMember * count))
            return Outcome.OffLoop;
        bool isNested = hasCount && execution.Reply.Protocol >= 3;
        execution.Reply.ArrayHeader(isNested ? count : count * 2);
        if (count != 0)
            SortedSetPops.Take(execution, execution.Key(1), in slot, count, new PopShape(isMax, isNested));
        return Outcome.Done;
    }
}
