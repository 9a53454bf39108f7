using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Administration;

/// <summary>
/// SHUTDOWN: asks the host of the server to end it. There are no replicas to wait for, so it ends at once.
/// </summary>
internal static class ShutdownCommands
{
    /// <summary>
    /// SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [SAFE] | ABORT: no reply on success.
    /// </summary>
    public static void Shutdown(SessionExecution execution)
    {
        if (!TryParse(execution, out ShutdownOptions options))
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        ServerEngine engine = execution.Engine;
        if ((options & ShutdownOptions.Abort) != 0)
        {
            Abort(execution);
            return;
        }

        if ((options & (ShutdownOptions.Save | ShutdownOptions.Force)) == ShutdownOptions.Save)
        {
            engine.Log.Write(
                LogLevel.Warning, "SHUTDOWN SAVE is refused: the server cannot write its data to disk yet.");
            execution.Reply.Error("ERR Errors trying to SHUTDOWN. Check logs."u8);
            return;
        }

        if (engine.ShutdownRequested is not { } end)
        {
            engine.Log.Write(
                LogLevel.Warning, "SHUTDOWN is refused: the host of this server does not allow it.");
            execution.Reply.Error("ERR Errors trying to SHUTDOWN. Check logs."u8);
            return;
        }

        engine.Log.Write(LogLevel.Notice, "User requested shutdown...");
        end();
    }

    // A shutdown can be aborted if a signal has asked for it and DEBUG PAUSE-CRON holds it.
    private static void Abort(SessionExecution execution)
    {
        if (!execution.Engine.StopRequest.TryCallOff())
        {
            execution.Reply.Error("ERR No shutdown in progress."u8);
            return;
        }

        execution.Engine.Log.Write(LogLevel.Notice, "Shutdown manually aborted.");
        execution.Reply.Ok();
    }

    private static bool TryParse(SessionExecution execution, out ShutdownOptions options)
    {
        const ShutdownOptions Both = ShutdownOptions.Save | ShutdownOptions.NoSave;
        options = ShutdownOptions.None;
        for (int index = 1; index < execution.ArgumentCount; index++)
        {
            ShutdownOptions one = OptionOf(execution, index);
            if (one == ShutdownOptions.None)
                return false;
            options |= one;
        }

        bool isAbort = (options & ShutdownOptions.Abort) != 0;
        return (options & Both) != Both && (!isAbort || options == ShutdownOptions.Abort);
    }

    private static ShutdownOptions OptionOf(SessionExecution execution, int index)
    {
        if (execution.Is(index, "nosave"u8))
            return ShutdownOptions.NoSave;
        if (execution.Is(index, "save"u8))
            return ShutdownOptions.Save;
        if (execution.Is(index, "now"u8))
            return ShutdownOptions.Now;
        if (execution.Is(index, "force"u8))
            return ShutdownOptions.Force;
        if (execution.Is(index, "safe"u8))
            return ShutdownOptions.Safe;
        return execution.Is(index, "abort"u8) ? ShutdownOptions.Abort : ShutdownOptions.None;
    }
}
