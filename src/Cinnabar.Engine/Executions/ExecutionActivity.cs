using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Executions;

/// <summary>
/// Notes what a thread executes in its row of the server's <see cref="ActivityPage"/>, for the report of a
/// crash: a plain store when the command or the client changes.
/// </summary>
internal static unsafe class ExecutionActivity
{
    /// <summary>Notes the command that an execution runs on its loop.</summary>
    public static void Note(SessionExecution execution, CommandSpec? spec)
    {
        // SAFETY: the engine keeps the page as long as it has loops.
        if (spec is not null && execution.State != ExecutionState.InSlowLane)
            execution.LoopActivity->Command = spec.NameAddress;
    }

    /// <summary>Notes the client of an execution that runs on its loop.</summary>
    public static void Note(SessionExecution execution, Session? session)
    {
        if (session is not null)
            execution.LoopActivity->Session = session.Id;
    }

    /// <summary>Notes that an execution becomes the one of its loop.</summary>
    public static void NoteCurrent(SessionExecution execution) => Write(execution.LoopActivity, execution);

    /// <summary>Notes that the calling thread, one of the slow lane, begins to run an execution.</summary>
    /// <returns>The row, to return when it has run.</returns>
    public static ActivityRow* NoteInLane(SessionExecution execution)
    {
        ActivityRow* row = execution.Server.Activities.TakeLane();
        Write(row, execution);
        row->Phase = ActivityPhase.Executes;
        return row;
    }

    private static void Write(ActivityRow* row, SessionExecution execution)
    {
        row->Command = execution.Spec.NameAddress;
        row->Session = execution.Session.Id;
    }
}
