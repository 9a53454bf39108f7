using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Server;
using Cinnabar.Resp;

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

        if (!RedisNumber.TryParseInt64(execution.Argument(2), out long timeoutMs))
        {
            execution.Reply.Error("ERR timeout is not an integer or out of range"u8);
            return;
        }

        if (timeoutMs < 0)
        {
            execution.Reply.Error("ERR timeout is negative"u8);
            return;
        }

        long nowMs = execution.Engine.Clock.UnixMicroseconds / 1000;
        long endMs = timeoutMs > long.MaxValue - nowMs ? long.MaxValue : nowMs + timeoutMs;
        execution.Engine.Pause.Start(endMs, !isForWrites);
        execution.Reply.Ok();
    }

    /// <summary>CLIENT UNPAUSE</summary>
    public static void Unpause(SessionExecution execution)
    {
        execution.Engine.Pause.End();
        execution.Reply.Ok();
    }
}
