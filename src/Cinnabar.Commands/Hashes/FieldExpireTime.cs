using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>Deadlines of fields, as commands give them.</summary>
internal static class FieldExpireTime
{
    private const long MsPerSecond = 1000;

    /// <summary>The unit that an option names: EX, PX, EXAT, PXAT.</summary>
    public static ExpireUnit UnitOf(Execution execution, int index)
    {
        if (execution.Is(index, "ex"u8))
            return ExpireUnit.Seconds;
        if (execution.Is(index, "px"u8))
            return ExpireUnit.Milliseconds;
        if (execution.Is(index, "exat"u8))
            return ExpireUnit.UnixSeconds;
        return execution.Is(index, "pxat"u8) ? ExpireUnit.UnixMilliseconds : ExpireUnit.None;
    }

    /// <summary>
    /// The deadline that an argument stands for, Unix time in milliseconds; it may have passed. Replies the
    /// error where it stands for none.
    /// </summary>
    /// <param name="execution">The execution.</param>
    /// <param name="index">The argument.</param>
    /// <param name="unit">Its unit.</param>
    /// <param name="command">The command's name in lower case, for the error.</param>
    /// <param name="deadlineMs">The deadline.</param>
    public static bool TryRead(Execution execution, int index, ExpireUnit unit, ReadOnlySpan<byte> command,
        out long deadlineMs)
    {
        if (!execution.TryInteger(index, out deadlineMs))
            return false;
        if (deadlineMs < 0)
        {
            execution.Reply.Error("ERR invalid expire time, must be >= 0"u8);
            return false;
        }

        long max = HashStore.DeadlineMsMax;
        if (unit is ExpireUnit.Seconds or ExpireUnit.UnixSeconds)
        {
            max /= MsPerSecond;
            if (deadlineMs <= max)
                deadlineMs *= MsPerSecond;
            else
                deadlineMs = long.MaxValue;
            max = HashStore.DeadlineMsMax;
        }

        long startMs = unit is ExpireUnit.Seconds or ExpireUnit.Milliseconds ? execution.NowMs : 0;
        if (deadlineMs > max - startMs)
        {
            execution.Reply.Error("ERR invalid expire time in '"u8, command, "' command"u8);
            return false;
        }

        deadlineMs += startMs;
        Debug.Assert(deadlineMs is >= 0 and <= HashStore.DeadlineMsMax, "no field can have it");
        return true;
    }
}
