using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Administration;

/// <summary>SAVE, BGSAVE, LASTSAVE. The specs of the first two have all stripes locked: the moment of a
/// snapshot is that of the command.</summary>
internal static class SaveCommands
{
    /// <summary>SAVE: replies when the file is written. Other clients do not wait, but while the append-only
    /// file is rewritten: there is no second snapshot beside that one.</summary>
    public static Outcome Save(SessionExecution execution)
    {
        DataFiles data = execution.Engine.Data;
        if (data.Saves.Current is not null || data.Saves.CurrentForReplicas is not null)
        {
            execution.Reply.Error("ERR Background save already in progress"u8);
            return Outcome.Done;
        }

        bool isHeld = data.Snapshots.Current is not null || execution.Place != ExecutionPlace.OnLoop;
        if (isHeld && execution.MustLeaveLoop(long.MaxValue))
            return Outcome.OffLoop;
        data.Saves.Count();
        if (isHeld)
        {
            Answer(execution, data.Saves.TrySaveHeld(execution.Keys) is not null);
            return Outcome.Done;
        }

        return SaveBeside(execution, data);
    }

    private static Outcome SaveBeside(SessionExecution execution, DataFiles data)
    {
        bool isSaved = false;
        Outcome outcome = execution.Block(
            long.MaxValue, waiting => Answer(waiting, isSaved), isForLoops: true);
        Waiter waiter = execution.Waiter!;
        IExecutionLoop loop = execution.Loop;
        if (data.Snapshots.IsBusy)
            data.Saves.Schedule(Done);
        else
            data.Saves.Begin(SaveKind.Awaited, Done);
        return outcome;

        void Done(bool result)
        {
            isSaved = result;
            loop.Run(() => loop.EndWait(waiter));
        }
    }

    /// <summary>BGSAVE [SCHEDULE | CANCEL].</summary>
    public static void BgSave(SessionExecution execution)
    {
        bool isScheduled = execution.ArgumentCount == 2 && execution.Is(1, "schedule"u8);
        if (execution.ArgumentCount == 2 && execution.Is(1, "cancel"u8))
        {
            Cancel(execution);
            return;
        }

        if (execution.ArgumentCount > 1 && !isScheduled)
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        DataFiles data = execution.Engine.Data;
        if (data.Saves.Current is not null || data.Saves.CurrentForReplicas is not null)
        {
            execution.Reply.Error("ERR Background save already in progress"u8);
        }
        else if (data.Snapshots.Current is not null && !isScheduled && execution.CanWait)
        {
            execution.Reply.Error("ERR Another child process is active (AOF?): can't BGSAVE right now. Use "u8
                + "BGSAVE SCHEDULE in order to schedule a BGSAVE whenever possible."u8);
        }
        else if (data.Snapshots.Current is not null || !execution.CanWait)
        {
            // Half of a transaction must not be saved.
            data.Saves.Schedule();
            execution.Reply.SimpleString("Background saving scheduled"u8);
        }
        else
        {
            Begin(data);
            execution.Reply.SimpleString("Background saving started"u8);
        }
    }

    /// <summary>LASTSAVE: when the last save ended, in seconds of Unix time; before there was one, when the
    /// server started.</summary>
    public static void LastSave(SessionExecution execution) =>
        execution.Reply.Integer(execution.Engine.Data.Saves.Status.LastSaveS);

    // What is left of a cancelled snapshot ends within moments.
    private static void Begin(DataFiles data)
    {
        if (data.Snapshots.IsBusy)
            data.Saves.Schedule();
        else
            data.Saves.Begin(SaveKind.Background);
    }

    private static void Cancel(SessionExecution execution)
    {
        RdbSaves saves = execution.Engine.Data.Saves;
        bool isScheduled = saves.IsScheduled;
        if (saves.Current is not null)
        {
            execution.Engine.Log.Write(
                LogLevel.Notice, "Background saving will be aborted due to user request");
            saves.Cancel();
            execution.Reply.SimpleString("Background saving cancelled"u8);
        }
        else if (isScheduled)
        {
            execution.Engine.Log.Write(
                LogLevel.Notice, "Scheduled background saving will be cancelled due to user request");
            saves.Cancel();
            execution.Reply.SimpleString("Scheduled background saving cancelled"u8);
        }
        else
        {
            execution.Reply.Error("ERR Background saving is currently not in progress or scheduled"u8);
        }
    }

    private static void Answer(SessionExecution execution, bool isSaved)
    {
        if (isSaved)
            execution.Reply.Ok();
        else
            execution.Reply.Error("ERR"u8);
    }
}
