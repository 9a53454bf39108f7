// The way of all commands that are not on the shortest path. What the checks admit (CommandAdmission) is
// queued in a transaction, held back while clients are paused or a disk does not keep up, or run, with the
// replies that the session wants.

using Cinnabar.Engine.Access;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;

namespace Cinnabar.Engine.Loops;

/// <summary>Admits, queues, holds back or runs the commands of a loop.</summary>
/// <param name="server">The server.</param>
/// <param name="runner">Runs what has been admitted.</param>
/// <param name="deliverPublished">Delivers the messages that wait for a session.</param>
internal sealed class CommandGate(ILoopServer server, CommandRunner runner, Action<Session> deliverPublished)
    : IDisposable
{
    private readonly ILoopServer _server = server;
    private readonly GateSet _gates = server.Gates;
    private readonly CommandRunner _runner = runner;
    private readonly CommandAdmission _admission = runner.Admission;
    private readonly LoopExecutions _executions = runner.Executions;
    private readonly Action<Session> _deliverPublished = deliverPublished;
    private readonly DiscardSink _discard = new();

    /// <summary>Runs a command that has just been scanned: without the checks where nothing asks for
    /// them.</summary>
    /// <returns>False where it was suspended.</returns>
    public bool ExecuteScanned(SessionExecution execution)
    {
        CommandSpec? spec = execution.Spec;
        Session session = execution.Session;
        if (spec is null || session.Flags != SessionFlags.None || _gates.Value != ServerGates.None
            || !spec.IsPlain || (spec.Flags & CommandFlags.Protected) != 0
            || !spec.AcceptsCount(execution.ArgumentCount))
            return Execute(execution);
        session.LastCommand = spec;
        return _runner.RunAdmitted(execution);
    }

    /// <summary>Executes a command with all checks.</summary>
    /// <returns>False where it was suspended.</returns>
    public bool Execute(SessionExecution execution)
    {
        Session session = execution.Session;
        BeginMuting(execution);
        bool isOver = !_admission.TryAdmit(execution) || RunOrHold(execution);
        if (isOver || execution != _executions.Current)
            EndCommand(isOver ? execution : _executions.Current, session, isOver);
        return isOver;
    }

    /// <summary>Runs a suspended command that was admitted before, muted as its session wants it.</summary>
    public bool RunSuspended(SessionExecution execution, Func<SessionExecution, bool> run)
    {
        Session session = execution.Session;
        if ((session.Flags & SessionFlags.Unanswered) != 0)
            execution.Reply.Mute(_discard);
        bool isOver = run(execution);
        EndCommand(isOver ? execution : _executions.Current, session, isOver);
        if (isOver)
            ClearView(execution);
        return isOver;
    }

    /// <summary>Silences the rest of the reply to a command that runs on the loop.</summary>
    public void Mute(SessionExecution execution)
    {
        if (execution.State == ExecutionState.OnLoop && !execution.Reply.IsMuted)
            execution.Reply.Mute(_discard);
    }

    public void Dispose() => _discard.Dispose();

    private void BeginMuting(SessionExecution execution)
    {
        Session session = execution.Session;
        if ((session.Flags & SessionFlags.SkipNextReply) != 0)
            session.Flags = (session.Flags & ~SessionFlags.SkipNextReply) | SessionFlags.SkipReply;
        if ((session.Flags & SessionFlags.Unanswered) != 0)
            execution.Reply.Mute(_discard);
    }

    private void EndCommand(SessionExecution execution, Session session, bool isOver)
    {
        if (execution.Reply.IsMuted)
            execution.Reply.Unmute();
        if (!isOver)
            return;
        if ((session.Flags & SessionFlags.SkipReply) != 0)
            session.ChangeFlags(SessionFlags.None, SessionFlags.SkipReply);
        if (session.Suspended is null)
            _runner.Invalidations.EndCommand(session);
        if (!session.HasOwnMessages)
            return;
        session.HasOwnMessages = false;
        _deliverPublished(session);
    }

    private bool RunOrHold(SessionExecution execution)
    {
        Session session = execution.Session;
        CommandSpec spec = execution.Spec;
        if ((session.Flags & SessionFlags.Replica) == 0
            && (_server.Pause.Holds(execution, _runner.NowMs) || _admission.MustRedirect(execution)))
        {
            _executions.Suspend(execution, ExecutionState.Paused);
            _server.Pause.Hold(session.Suspended!);
            return false;
        }

        if ((session.Flags & SessionFlags.InTransaction) != 0 && !spec.Has(CommandFlags.NotQueued))
        {
            // What will not run is not kept.
            if ((session.Flags & SessionFlags.TransactionBroken) == 0 && !session.IsWatchDirty)
                session.Transaction!.Add(spec, CommandReach.FlagsOf(execution), execution.Arguments);
            execution.Reply.SimpleString("QUEUED"u8);
            return true;
        }

        if (_server.WriteHold.Holds(execution))
        {
            _executions.Suspend(execution, ExecutionState.WriteHeld);
            _server.WriteHold.Hold(session.Suspended!);
            return false;
        }

        ReadOnlySpan<byte> sortError =
            AccessCheck.FindSortError(session.Account.User, spec, execution.Arguments);
        if (!sortError.IsEmpty)
            return _admission.Refuse(execution, sortError);
        execution.Keys.IsNoTouch =
            (session.Flags & SessionFlags.NoTouch) != 0 && !spec.Has(CommandFlags.AlwaysTouch);
        execution.Keys.SeesExpired =
            (session.Flags & SessionFlags.ImportSource) != 0 && _server.Keyspace.IsImporting;
        if (spec.IsSingleKey)
            execution.FillKeyHashes();
        bool isOver = _runner.RunAdmitted(execution);
        if (isOver)
            ClearView(execution);
        return isOver;
    }

    private static void ClearView(SessionExecution execution)
    {
        execution.Keys.IsNoTouch = false;
        execution.Keys.SeesExpired = false;
    }
}
