namespace Cinnabar.Commands.Streams;

/// <summary>The options of XDELEX and XACKDEL, read in Redis's order of checks.</summary>
internal ref struct DeleteOptions
{
    private bool _isPolicyGiven;

    /// <summary>What happens to pending entries.</summary>
    internal ReferencePolicy Policy { get; private set; }

    /// <summary>The first ID's argument.</summary>
    internal int IdIndex { get; private set; }

    /// <summary>IDs.</summary>
    internal int IdCount { get; private set; }

    /// <summary>Reads the options from an argument on, or replies Redis's error.</summary>
    internal bool TryRead(Execution execution, int index)
    {
        while (index < execution.ArgumentCount)
        {
            if (!TryReadOption(execution, ref index)) return false;
        }
        if (IdIndex == 0) return Fail(execution, "ERR IDS option is required"u8);
        Debug.Assert(IdCount > 0 && IdIndex + IdCount <= execution.ArgumentCount, "an ID is no argument");
        for (int at = IdIndex; at < IdIndex + IdCount; at++)
        {
            if (!StreamIdText.TryStrict(execution, at, out _)) return false;
        }
        return true;
    }

    private bool TryReadOption(Execution execution, ref int index)
    {
        bool hasMore = index + 1 < execution.ArgumentCount;
        if (hasMore && execution.Is(index, "ids"u8) && IdIndex == 0)
        {
            if (!RedisNumber.TryParseInt64(execution.Argument(index + 1), out long count) || count < 1)
                return Fail(execution, "ERR Number of IDs must be a positive integer"u8);
            if (count > execution.ArgumentCount - index - 2)
            {
                return Fail(execution,
                    "ERR The `numids` parameter must match the number of arguments"u8);
            }
            IdIndex = index + 2;
            IdCount = (int)count;
            index = IdIndex + IdCount;
            return true;
        }
        bool isPolicy = true;
        if (execution.Is(index, "keepref"u8))
            Policy = ReferencePolicy.Keep;
        else if (execution.Is(index, "delref"u8))
            Policy = ReferencePolicy.Delete;
        else if (execution.Is(index, "acked"u8))
            Policy = ReferencePolicy.Acknowledged;
        else
            isPolicy = false;
        if (!isPolicy || _isPolicyGiven) return Fail(execution, Errors.Syntax);
        _isPolicyGiven = true;
        index++;
        return true;
    }

    private static bool Fail(Execution execution, ReadOnlySpan<byte> error)
    {
        execution.Reply.Error(error);
        return false;
    }
}
