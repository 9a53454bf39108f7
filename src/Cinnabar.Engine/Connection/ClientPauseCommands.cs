using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replies;

namespace Cinnabar.Engine.Connection;

/// <summary>CLIENT PAUSE and CLIENT UNPAUSE.</summary>
internal static class ClientPauseCommands
{
    /// <summary>CLIENT PAUSE timeout [WRITE|ALL]; the timeout in milliseconds.</summary>
    public static void Pause(SessionExecution execution)
    {
        if (execution.ArgumentCount > 4)
        {
            SubcommandError.Reply(execution);
            return;
        }

        bool isForWrites = execution.ArgumentCount == 4 && execution.Is(3, "write"u8);
        if (execution.ArgumentCount == 4 && !isForWrites && !execution.Is(3, "all"u8))
        {
            execution.Reply.Error("ERR CLIENT PAUSE mode must be WRITE or ALL"u8);
            return;
        }

        if (!BlockingTimeout.TryMilliseconds(execution, 2, out long timeoutMs))
            return;
        long nowMs = execution.Engine.Clock.UnixMicroseconds / 1000;
        long endMs = nowMs + Math.Min(timeoutMs, long.MaxValue - nowMs);
        execution.Engine.Pause.Start(PausePurpose.Client, endMs, !isForWrites);
        execution.Reply.Ok();
    }

    /// <summary>CLIENT UNPAUSE</summary>
    public static void Unpause(SessionExecution execution)
    {
        execution.Engine.Pause.End(PausePurpose.Client);
        execution.Reply.Ok();
    }
}
