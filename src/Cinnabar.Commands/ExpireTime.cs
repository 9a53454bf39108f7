namespace Cinnabar.Commands;

/// <summary>
/// The expiry that a command was asked for: EX, PX, EXAT and PXAT of SET and its kin, and the argument of
/// EXPIRE and its kin. Options are read first, and the number only when the command gets so far; that order
/// decides which error a client sees.
/// </summary>
public struct ExpireTime(ExpireUnit unit, int argumentIndex)
{
    private const long MsPerSecond = 1000;

    /// <summary>The unit; <see cref="ExpireUnit.None"/> while no option was read.</summary>
    public ExpireUnit Unit { get; private set; } = unit;

    /// <summary>The argument that holds the number.</summary>
    public int ArgumentIndex { get; private set; } = argumentIndex;

    /// <summary>
    /// Reads an expiry option and the number behind it. The same option may stand twice, the later wins.
    /// </summary>
    /// <param name="execution">The execution.</param>
    /// <param name="index">Where the option stands; moved to its number.</param>
    /// <returns>
    /// False where there is no such option, it has no number, or another unit was read before: in Redis's
    /// grammar all of these are the same syntax error.
    /// </returns>
    public bool TryReadOption(Execution execution, ref int index)
    {
        ExpireUnit unit = UnitOf(execution.Argument(index));
        if (unit == ExpireUnit.None || index + 1 >= execution.ArgumentCount
            || (Unit != ExpireUnit.None && Unit != unit))
            return false;
        Unit = unit;
        ArgumentIndex = ++index;
        return true;
    }

    /// <summary>
    /// The deadline in Unix milliseconds, which must come from a positive number; replies the error where it
    /// does not.
    /// </summary>
    /// <param name="execution">The execution.</param>
    /// <param name="command">The command's name in lower case, for the error.</param>
    /// <param name="deadlineMs">The deadline; it may lie in the past.</param>
    public readonly bool TryResolve(Execution execution, ReadOnlySpan<byte> command, out long deadlineMs)
    {
        Debug.Assert(Unit != ExpireUnit.None, "no expiry was read");
        deadlineMs = 0;
        if (!execution.TryInteger(ArgumentIndex, out long number))
            return false;
        if (number > 0 && TryScale(number, execution.NowMs, out deadlineMs))
            return true;
        ReplyInvalid(execution, command);
        return false;
    }

    /// <summary>
    /// As <see cref="TryResolve"/>, for the EXPIRE family, where zero and negative numbers are deadlines in
    /// the past.
    /// </summary>
    public readonly bool TryResolveSigned(
        Execution execution, ReadOnlySpan<byte> command, out long deadlineMs)
    {
        Debug.Assert(Unit != ExpireUnit.None, "no expiry was read");
        deadlineMs = 0;
        if (!execution.TryInteger(ArgumentIndex, out long number))
            return false;
        if (TryScale(number, execution.NowMs, out deadlineMs))
            return true;
        ReplyInvalid(execution, command);
        return false;
    }

    private static ExpireUnit UnitOf(ReadOnlySpan<byte> option)
    {
        if (option.Length is not (2 or 4))
            return ExpireUnit.None;
        if (Ascii.EqualsIgnoreCase(option, "ex"u8))
            return ExpireUnit.Seconds;
        if (Ascii.EqualsIgnoreCase(option, "px"u8))
            return ExpireUnit.Milliseconds;
        if (Ascii.EqualsIgnoreCase(option, "exat"u8))
            return ExpireUnit.UnixSeconds;
        return Ascii.EqualsIgnoreCase(option, "pxat"u8) ? ExpireUnit.UnixMilliseconds : ExpireUnit.None;
    }

    private static void ReplyInvalid(Execution execution, ReadOnlySpan<byte> command) =>
        execution.Reply.Error("ERR invalid expire time in '"u8, command, "' command"u8);

    private readonly bool TryScale(long number, long nowMs, out long deadlineMs)
    {
        deadlineMs = number;
        if (Unit is ExpireUnit.Seconds or ExpireUnit.UnixSeconds)
        {
            if (number is > long.MaxValue / MsPerSecond or < long.MinValue / MsPerSecond)
                return false;
            deadlineMs = number * MsPerSecond;
        }

        if (Unit is ExpireUnit.UnixSeconds or ExpireUnit.UnixMilliseconds)
            return true;
        if (deadlineMs > long.MaxValue - nowMs)
            return false;
        deadlineMs += nowMs;
        return true;
    }
}
