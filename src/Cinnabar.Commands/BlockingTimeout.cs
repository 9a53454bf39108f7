namespace Cinnabar.Commands;

/// <summary>The timeouts of blocking commands.</summary>
public static class BlockingTimeout
{
    private const double MsPerSecond = 1000;

    // The first double that no 64-bit integer holds.
    private const double TimeoutMsEnd = 9223372036854775808.0;

    /// <summary>Reads seconds, with a fraction, or replies Redis's error.</summary>
    /// <param name="execution">The command's execution.</param>
    /// <param name="index">The argument.</param>
    /// <param name="timeoutMs">Milliseconds, rounded up; 0: for ever.</param>
    /// <returns>False where the error was replied.</returns>
    public static bool TrySeconds(Execution execution, int index, out long timeoutMs)
    {
        timeoutMs = 0;
        if (!ExtendedFloat.TryParse(execution.Argument(index), out ExtendedFloat seconds))
        {
            execution.Reply.Error("ERR timeout is not a float or out of range"u8);
            return false;
        }

        double milliseconds = Math.Ceiling(seconds.ToDouble() * MsPerSecond);
        if (milliseconds >= TimeoutMsEnd)
            return IsTooLong(execution);
        timeoutMs = (long)milliseconds;
        return IsInRange(execution, timeoutMs);
    }

    /// <summary>Reads whole milliseconds, or replies Redis's error.</summary>
    /// <param name="execution">The command's execution.</param>
    /// <param name="index">The argument.</param>
    /// <param name="timeoutMs">Milliseconds; 0: for ever.</param>
    /// <returns>False where the error was replied.</returns>
    public static bool TryMilliseconds(Execution execution, int index, out long timeoutMs)
    {
        if (RedisNumber.TryParseInt64(execution.Argument(index), out timeoutMs))
            return IsInRange(execution, timeoutMs);
        execution.Reply.Error("ERR timeout is not an integer or out of range"u8);
        return false;
    }

    private static bool IsInRange(Execution execution, long timeoutMs)
    {
        if (timeoutMs < 0)
        {
            execution.Reply.Error("ERR timeout is negative"u8);
            return false;
        }

        return timeoutMs <= long.MaxValue - execution.NowMs || IsTooLong(execution);
    }

    private static bool IsTooLong(Execution execution)
    {
        execution.Reply.Error("ERR timeout is out of range"u8);
        return false;
    }
}
