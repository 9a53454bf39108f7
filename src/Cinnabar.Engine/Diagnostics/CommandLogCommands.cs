using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Observing;

namespace Cinnabar.Engine.Diagnostics;

/// <summary>COMMANDLOG.</summary>
internal static class CommandLogCommands
{
    /// <summary>COMMANDLOG GET count SLOW | LARGE-REQUEST | LARGE-REPLY</summary>
    public static void Get(SessionExecution execution)
    {
        if (!RedisNumber.TryParseInt64(execution.Argument(2), out long count) || count < -1)
            execution.Reply.Error(SlowLogCommands.CountError);
        else if (TryLog(execution, 3) is { } log)
            log.Reply(ref execution.Reply, count);
    }

    /// <summary>COMMANDLOG LEN SLOW | LARGE-REQUEST | LARGE-REPLY</summary>
    public static void Len(SessionExecution execution)
    {
        if (TryLog(execution, 2) is { } log)
            execution.Reply.Integer(log.Count);
    }

    /// <summary>COMMANDLOG RESET SLOW | LARGE-REQUEST | LARGE-REPLY</summary>
    public static void Reset(SessionExecution execution)
    {
        if (TryLog(execution, 2) is not { } log)
            return;
        log.Reset();
        execution.Reply.Ok();
    }

    private static CommandLog? TryLog(SessionExecution execution, int index)
    {
        Observation observation = execution.Engine.Observation;
        if (execution.Is(index, "slow"u8))
            return observation.Slow;
        if (execution.Is(index, "large-request"u8))
            return observation.LargeRequests;
        if (execution.Is(index, "large-reply"u8))
            return observation.LargeReplies;
        execution.Reply.Error("ERR type should be one of the following: slow, large-request, large-reply"u8);
        return null;
    }
}
