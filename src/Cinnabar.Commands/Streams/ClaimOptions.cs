using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>The options of XCLAIM, read in Redis's order of checks.</summary>
internal ref struct ClaimOptions
{
    /// <summary>The argument of the first ID.</summary>
    internal const int FirstId = 5;

    /// <summary>For how long an entry must have been pending.</summary>
    internal long IdleMs;

    /// <summary>The argument behind the last ID.</summary>
    internal int IdEnd;

    /// <summary>When it counts as delivered.</summary>
    internal long DeliveredMs;

    /// <summary>How often it counts as delivered; negative: once more.</summary>
    internal long RetryCount;

    /// <summary>Whether what is not pending becomes so.</summary>
    internal bool IsForce;

    /// <summary>Whether only IDs are replied, and deliveries not counted.</summary>
    internal bool IsJustId;

    /// <summary>What the group's last ID is at least.</summary>
    internal StreamId LastId;

    /// <summary>Reads the arguments, or replies Redis's error.</summary>
    internal bool TryRead(Execution execution)
    {
        RetryCount = -1;
        DeliveredMs = -1;
        if (!ClaimCommands.TryReadIdle(
            execution, "ERR Invalid min-idle-time argument for XCLAIM"u8, out IdleMs)) return false;
        // What cannot be an ID is the first option.
        IdEnd = FirstId;
        while (IdEnd < execution.ArgumentCount && StreamIdText.TryStrict(execution.Argument(IdEnd), 0, out _))
            IdEnd++;
        for (int index = IdEnd; index < execution.ArgumentCount; index++)
        {
            if (!TryReadOption(execution, ref index)) return false;
        }
        if (DeliveredMs < 0 || DeliveredMs > execution.NowMs) DeliveredMs = execution.NowMs;
        return true;
    }

    private bool TryReadOption(Execution execution, ref int index)
    {
        if (execution.Is(index, "force"u8)) return IsForce = true;
        if (execution.Is(index, "justid"u8)) return IsJustId = true;
        bool hasMore = index + 1 < execution.ArgumentCount;
        if (hasMore && execution.Is(index, "idle"u8))
        {
            bool isIdle = TryInteger(
                execution, ++index, "ERR Invalid IDLE option argument for XCLAIM"u8, out DeliveredMs);
            DeliveredMs = unchecked(execution.NowMs - DeliveredMs);
            return isIdle;
        }
        if (hasMore && execution.Is(index, "time"u8))
        {
            return TryInteger(
                execution, ++index, "ERR Invalid TIME option argument for XCLAIM"u8, out DeliveredMs);
        }
        if (hasMore && execution.Is(index, "retrycount"u8))
        {
            return TryInteger(
                execution, ++index, "ERR Invalid RETRYCOUNT option argument for XCLAIM"u8, out RetryCount);
        }
        if (hasMore && execution.Is(index, "lastid"u8))
            return StreamIdText.TryStrict(execution, ++index, out LastId);
        execution.Reply.Error("ERR Unrecognized XCLAIM option '"u8, execution.Argument(index), "'"u8);
        return false;
    }

    private static bool TryInteger(Execution execution, int index, ReadOnlySpan<byte> error, out long value)
    {
        bool isInteger = RedisNumber.TryParseInt64(execution.Argument(index), out value);
        if (!isInteger) execution.Reply.Error(error);
        return isInteger;
    }
}
