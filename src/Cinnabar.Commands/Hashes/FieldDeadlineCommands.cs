using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>Commands that reply fields' deadlines: HEXPIRETIME, HPEXPIRETIME, HPTTL, HTTL.</summary>
public static class FieldDeadlineCommands
{
    /// <summary>For each field: there is none of this name.</summary>
    internal const long NoField = -2;

    /// <summary>For each field: it has no deadline.</summary>
    internal const long NoDeadline = -1;

    private const long MsPerSecond = 1000;
    private const int FieldsIndex = 2;

    /// <summary>The error of a number of fields that is none.</summary>
    internal static ReadOnlySpan<byte> CountError => "ERR Number of fields must be a positive integer"u8;

    /// <summary>HTTL key FIELDS numfields field [field ...].</summary>
    public static void HTtl(Execution execution) => Reply(execution, isRelative: true, isSeconds: true);

    /// <summary>HPTTL key FIELDS numfields field [field ...].</summary>
    public static void HPTtl(Execution execution) => Reply(execution, isRelative: true, isSeconds: false);

    /// <summary>HEXPIRETIME key FIELDS numfields field [field ...].</summary>
    public static void HExpireTime(Execution execution) =>
        Reply(execution, isRelative: false, isSeconds: true);

    /// <summary>HPEXPIRETIME key FIELDS numfields field [field ...].</summary>
    public static void HPExpireTime(Execution execution) =>
        Reply(execution, isRelative: false, isSeconds: false);

    private static void Reply(Execution execution, bool isRelative, bool isSeconds)
    {
        if (!HashReplies.TryView(execution, out HashView hash)
            || !FieldArguments.TryRead(execution, FieldsIndex, CountError, out FieldArguments fields))
            return;
        long startMs = isRelative ? execution.NowMs : 0;
        execution.Reply.ArrayHeader(fields.Count);
        for (int index = 0; index < fields.Count; index++)
        {
            if (!hash.TryGetDeadline(execution.Argument(fields.First + index), out long deadlineMs))
                execution.Reply.Integer(NoField);
            else if (deadlineMs < 0)
                execution.Reply.Integer(NoDeadline);
            else
                execution.Reply.Integer(isSeconds ? ToSeconds(deadlineMs - startMs) : deadlineMs - startMs);
        }
    }

    // A second that has begun counts.
    private static long ToSeconds(long milliseconds) => (milliseconds + MsPerSecond - 1) / MsPerSecond;
}
