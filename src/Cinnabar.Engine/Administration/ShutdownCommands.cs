using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Lanes;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Administration;

/// <summary>SHUTDOWN: waits for replicas, saves, where it is to, and asks the host of the server to end
/// it.</summary>
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

        OverdueKind busy = engine.SlowLane.Holders.BusyWith;
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
        bool isSaving = (options & ShutdownOptions.Save) != 0
            || ((options & ShutdownOptions.NoSave) == 0 && engine.Data.Ending.SavesByDefault);
        var plan = new Plan(execution, end, isSaving, isForced);
        Outcome outcome = plan.Wait();
        bool isWaiting = (options & ShutdownOptions.Now) == 0 && engine.Replicas.CatchUp.TryBegin(plan.GoOn);
        if (!isWaiting)
            plan.GoOn(isReady: true);
        return outcome;
    }

    private static void Refuse(SessionExecution execution) =>
        execution.Reply.Error("ERR Errors trying to SHUTDOWN. Check logs."u8);

    // A shutdown can be aborted while it saves, or if a signal has asked for it and DEBUG PAUSE-CRON holds
    // it.
    private static void Abort(SessionExecution execution)
    {
        ServerEngine engine = execution.Engine;
        if (!engine.Replicas.CatchUp.TryAbort() && !engine.Data.Ending.TryAbort()
            && !engine.StopRequest.TryCallOff())
        {
            execution.Reply.Error("ERR No shutdown in progress."u8);
            return;
        }

        engine.Log.Write(LogLevel.Notice, "Shutdown manually aborted.");
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

    // The client waits, whatever comes first: replicas, the save, a refusal.
    private sealed class Plan(SessionExecution execution, Action end, bool isSaving, bool isForced)
    {
        private readonly SessionExecution _execution = execution;
        private readonly ServerEngine _engine = execution.Engine;
        private readonly IExecutionLoop _loop = execution.Loop;
        private readonly Action _end = end;
        private readonly bool _isSaving = isSaving;
        private readonly bool _isForced = isForced;
        private Waiter? _waiter;

        public Outcome Wait()
        {
            Outcome outcome = _execution.Block(long.MaxValue, Refuse, isForLoops: true);
            _waiter = _execution.Waiter;
            return outcome;
        }

        /// <summary>Goes on when the replicas have all, or need not; on any loop.</summary>
        public void GoOn(bool isReady)
        {
            ServerEnding ending = _engine.Data.Ending;
            if (!isReady || !ending.MayEnd(_isForced))
                Done(false);
            else if (!_isSaving)
                Done(true);
            else if (!ending.TryBegin(_isForced, Done))
                Done(false);
        }

        private void Done(bool ends)
        {
            if (ends)
            {
                _end();
                return;
            }

            _engine.Replicas.CatchUp.Release();
            _loop.Run(() => _loop.EndWait(_waiter!));
        }
    }
}
