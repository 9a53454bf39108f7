using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>What XAUTOCLAIM is to claim, read in Redis's order of checks.</summary>
internal ref struct AutoClaim
{
    private const long CountDefault = 100;

    // Redis's own: what it allocates for so many IDs is not to overflow.
    private const long CountLimit = long.MaxValue / 16;

    /// <summary>For how long an entry must have been pending.</summary>
    internal long IdleMs;

    /// <summary>The lowest ID.</summary>
    internal StreamId From;

    /// <summary>How many entries are claimed or forgotten at most.</summary>
    internal long CountMax;

    /// <summary>Whether only IDs are replied, and deliveries not counted.</summary>
    internal bool IsJustId;

    /// <summary>Reads the arguments, or replies Redis's error.</summary>
    internal bool TryRead(Execution execution)
    {
        CountMax = CountDefault;
        if (!ClaimCommands.TryReadIdle(
            execution, "ERR Invalid min-idle-time argument for XAUTOCLAIM"u8, out IdleMs)) return false;
        if (!StreamIdText.TryStart(execution, 5, out From)) return false;
        for (int index = 6; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "justid"u8))
            {
                IsJustId = true;
                continue;
            }
            if (index + 1 == execution.ArgumentCount || !execution.Is(index, "count"u8))
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }
            bool isInteger = RedisNumber.TryParseInt64(execution.Argument(++index), out CountMax);
            if (isInteger && CountMax is >= 1 and <= CountLimit) continue;
            execution.Reply.Error("ERR COUNT must be > 0"u8);
            return false;
        }
        return true;
    }
}
