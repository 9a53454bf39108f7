using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Lanes;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Administration;

/// <summary>SHUTDOWN: saves, where it is to, and asks the host of the server to end it. There are no replicas
/// to wait for.</summary>
internal static class ShutdownCommands
{
    /// <summary>
    /// SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [SAFE] | ABORT: no reply on success.
    /// </summary>
    public static Outcome Shutdown(SessionExecution execution)
    {
        if (!TryParse(execution, out ShutdownOptions options))
        {
            execution.Reply.Error(Errors.Syntax);
            return Outcome.Done;
        }

        ServerEngine engine = execution.Engine;
        if ((options & ShutdownOptions.Abort) != 0)
        {
            Abort(execution);
            return Outcome.Done;
        }

        OverdueKind busy = engine.SlowLane.BusyWith;
        if ((options & ShutdownOptions.NoSave) == 0 && busy != OverdueKind.Command)
        {
            execution.Reply.Error(busy == OverdueKind.Script ? BusyReply.Script : BusyReply.Function);
            return Outcome.Done;
        }

        if (engine.ShutdownRequested is not { } end)
        {
            engine.Log.Write(
                LogLevel.Warning, "SHUTDOWN is refused: the host of this server does not allow it.");
            Refuse(execution);
            return Outcome.Done;
        }

        engine.Log.Write(LogLevel.Notice, "User requested shutdown...");
        bool isForced = (options & ShutdownOptions.Force) != 0;
        if (!engine.Data.Ending.MayEnd(isForced))
        {
            Refuse(execution);
            return Outcome.Done;
        }

        bool isSaving = (options & ShutdownOptions.Save) != 0
            || ((options & ShutdownOptions.NoSave) == 0 && engine.Data.Ending.SavesByDefault);
        if (isSaving)
            return Save(execution, end, isForced);
        end();
        return Outcome.Done;
    }

    private static Outcome Save(SessionExecution execution, Action end, bool isForced)
    {
        Outcome outcome = execution.Block(long.MaxValue, Refuse, isForLoops: true);
        Waiter waiter = execution.Waiter!;
        IExecutionLoop loop = execution.Loop;
        if (execution.Engine.Data.Ending.TryBegin(isForced, Done))
            return outcome;
        execution.EndWait();
        Refuse(execution);
        return Outcome.Done;

        void Done(bool ends)
        {
            if (ends)
                end();
            else
                loop.Run(() => loop.EndWait(waiter));
        }
    }

    private static void Refuse(SessionExecution execution) =>
        execution.Reply.Error("ERR Errors trying to SHUTDOWN. Check logs."u8);

    // A shutdown can be aborted while it saves, or if a signal has asked for it and DEBUG PAUSE-CRON holds
    // it.
    private static void Abort(SessionExecution execution)
    {
        if (!execution.Engine.Data.Ending.TryAbort() && !execution.Engine.StopRequest.TryCallOff())
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
