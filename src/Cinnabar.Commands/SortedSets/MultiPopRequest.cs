namespace Cinnabar.Commands.SortedSets;

/// <summary>What ZMPOP and BZMPOP are asked for.</summary>
public struct MultiPopRequest
{
    private const long NsPerMember = 300;

    private bool _isMax;
    private long _count;

    /// <summary>The argument with the first key.</summary>
    public int FirstKey { get; private set; }

    /// <summary>Number of keys.</summary>
    public int KeyCount { get; private set; }

    /// <summary>Reads numkeys key [key ...] MIN | MAX [COUNT count] from an argument on, or replies the
    /// error.</summary>
    public bool TryRead(Execution execution, int first)
    {
        _count = 1;
        if (!TryPositive(execution, first, "ERR numkeys should be greater than 0"u8, out long keyCount))
            return false;
        int shapeIndex = first + 1;
        if (keyCount >= execution.ArgumentCount - shapeIndex)
            return Refuse(execution);
        FirstKey = first + 1;
        KeyCount = (int)keyCount;
        shapeIndex += KeyCount;
        _isMax = execution.Is(shapeIndex, "max"u8);
        if (!_isMax && !execution.Is(shapeIndex, "min"u8))
            return Refuse(execution);
        if (shapeIndex + 1 == execution.ArgumentCount)
            return true;
        bool isCount = execution.Is(shapeIndex + 1, "count"u8) && shapeIndex + 2 < execution.ArgumentCount;
        if (!isCount)
            return Refuse(execution);
        if (!TryPositive(execution, shapeIndex + 2, "ERR count should be greater than 0"u8, out _count))
            return false;
        return shapeIndex + 3 == execution.ArgumentCount || Refuse(execution);
    }

    /// <summary>Takes members from the first key that has any, and replies them.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="isMissing">Whether no key has any, and nothing was replied.</param>
    public readonly Outcome Take(Execution execution, out bool isMissing)
    {
        Debug.Assert(KeyCount > 0 && _count > 0, "the request was not read");
        isMissing = false;
        for (int index = FirstKey; index < FirstKey + KeyCount; index++)
        {
            if (!execution.TryFindSlot(index, KeyType.SortedSet, out ValueSlot slot))
                return Outcome.Done;
            if (slot.IsMissing)
                continue;
            long count = Math.Min(_count, SortedSetPops.CountOf(execution, in slot));
            if (execution.MustLeaveLoop(NsPerMember * count))
                return Outcome.OffLoop;
            Key key = execution.Key(index);
            execution.Reply.ArrayHeader(2);
            execution.Reply.Bulk(key.Span);
            execution.Reply.ArrayHeader(count);
            SortedSetPops.Take(execution, in key, in slot, count, new PopShape(_isMax, IsNested: true));
            if (execution.Effects.IsRecording)
                SortedSetPops.BeginPop(execution, in key, _isMax).End(count);
            return Outcome.Done;
        }

        isMissing = true;
        return Outcome.Done;
    }

    private static bool Refuse(Execution execution)
    {
        execution.Reply.Error(Errors.Syntax);
        return false;
    }

    private static bool TryPositive(
        Execution execution, int index, ReadOnlySpan<byte> error, out long value)
    {
        if (RedisNumber.TryParseInt64(execution.Argument(index), out value) && value > 0)
            return true;
        execution.Reply.Error(error);
        return false;
    }
}
