namespace Cinnabar.Commands.Keys;

/// <summary>Commands that reply a key's deadline: EXPIRETIME, PEXPIRETIME, PTTL, TTL.</summary>
public static class DeadlineCommands
{
    private const long MissingKey = -2;
    private const long NoDeadline = -1;

    /// <summary>TTL key.</summary>
    public static void Ttl(Execution execution) => Reply(execution, isRelative: true, isSeconds: true);

    /// <summary>PTTL key.</summary>
    public static void PTtl(Execution execution) => Reply(execution, isRelative: true, isSeconds: false);

    /// <summary>EXPIRETIME key.</summary>
    public static void ExpireTime(Execution execution) =>
        Reply(execution, isRelative: false, isSeconds: true);

    /// <summary>PEXPIRETIME key.</summary>
    public static void PExpireTime(Execution execution) =>
        Reply(execution, isRelative: false, isSeconds: false);

    private static void Reply(Execution execution, bool isRelative, bool isSeconds)
    {
        EntryView entry = execution.Keys.FindUntouched(execution.Key(1));
        if (entry.IsMissing || entry.DeadlineMs < 0)
        {
            execution.Reply.Integer(entry.IsMissing ? MissingKey : NoDeadline);
            return;
        }

        long milliseconds = entry.DeadlineMs;
        if (isRelative)
            milliseconds = Math.Max(0, milliseconds - execution.NowMs);
        execution.Reply.Integer(isSeconds ? ToSeconds(milliseconds) : milliseconds);
    }

    /// <summary>To the nearest second; unsigned, because the latest deadline there is has no room for the
    /// half.</summary>
    private static long ToSeconds(long milliseconds)
    {
        Debug.Assert(milliseconds >= 0, "a key past its deadline is missing");
        return (long)(((ulong)milliseconds + 500) / 1000);
    }
}
