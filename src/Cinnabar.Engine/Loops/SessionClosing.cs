using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>How sessions end: their peer has gone or sends no more, they broke the protocol, or the server
/// closes them. Their waits end with them.</summary>
internal sealed class SessionClosing(Loop loop, LoopExecutions executions, SessionOutput output)
{
    private readonly Loop _loop = loop;
    private readonly ILoopServer _server = loop.Server;
    private readonly LoopExecutions _executions = executions;
    private readonly SessionOutput _output = output;

    /// <summary>Answers a broken protocol and closes.</summary>
    public void ProtocolError(Session session, in ScanResult result)
    {
        _output.Switch(session);
        if (session.IsClosed)
            return;
        ProtocolErrorText.Write(ref _executions.Current.Reply, in result);
        session.Flags |= SessionFlags.CloseAfterReply;
        _loop.Transport.SetReading(session, false);
    }

    /// <summary>The peer sends no more: closes its session once all is answered. A blocked wait
    /// ends.</summary>
    public void EndInput(Session session)
    {
        if (session.IsClosed)
            return;
        session.IsInputEnded = true;
        session.Debugging?.Close();
        // A client that is just being served gets that reply first; if it keeps waiting, EndIfLeft returns
        // here.
        if (session.Suspended is { Waiter: { IsBrief: false } waiter } blocked && waiter.TryClaim())
            Forget(blocked);
        else if (session.Suspended is not null || session.IsReadingStopped || session.InputCount > 0)
        {
            // Its resumption makes the transport read the input again and report the end.
            if (session.Suspended is not null)
                _loop.Transport.SetReading(session, false);
            return;
        }

        // The end of this output closes it, at once where nothing is unsent.
        _output.Switch(session);
        if (session.IsClosed)
            return;
        session.ChangeFlags(SessionFlags.CloseAfterReply, SessionFlags.None);
        _loop.Transport.SetReading(session, false);
    }

    /// <summary>The peer has gone. Its input is still executed, even if a command must wait for locks or runs
    /// off the loop: clients that send and leave rely on that, since a single-threaded server has read it all
    /// by then. Closes a session that waits for anything else, or for nothing.</summary>
    public void Leave(Session session)
    {
        session.Debugging?.Close();
        bool isAtWork = session.Suspended
            is { State: not ExecutionState.Paused, Waiter: null or { IsBrief: true } };
        if (!isAtWork || session.IsReadingStopped || session.Unsent is { IsPending: true })
        {
            Close(session);
            return;
        }

        _output.Drop(session);
        session.ChangeFlags(SessionFlags.RepliesOff, SessionFlags.None);
        // A later command that waits for a key ends at once.
        session.IsInputEnded = true;
    }

    /// <summary>Ends a wait whose client left while it was being served in vain.</summary>
    public void EndIfLeft(Waiter waiter)
    {
        Session session = waiter.Session;
        if (session.Suspended?.Waiter != waiter)
            return;
        if (session.IsClosed)
            Abandon(session);
        else
            EndInput(session);
    }

    /// <summary>Closes a session because of <c>client-output-buffer-limit</c>.</summary>
    public void CloseOverLimit(Session session, long unsentBytes)
    {
        _loop.Statistics.OutputBufferCloseCount++;
        string client = ClientDescription.ForLog(session, _server.Clock, _server.Settings);
        _server.Log.Write(LogLevel.Warning, $"Client {client} closed for overcoming of output buffer limits. "
            + $"Unsent bytes: {unsentBytes}.");
        Close(session);
    }

    /// <summary>Closes a session and forgets it.</summary>
    public void Close(Session session)
    {
        if (session.IsClosed)
            return;
        Drop(session);
        _loop.Transport.Close(session);
    }

    /// <summary>Forgets a session whose connection is gone.</summary>
    public void Drop(Session session)
    {
        if (session.IsClosed)
            return;
        session.IsClosed = true;
        session.Debugging?.Close();
        session.Feed?.Close();
        _output.Drop(session);
        _loop.Inputs.Recycle(session);
        Abandon(session);
        _server.Sessions.Remove(session);
    }

    /// <summary>Ends a session's wait, unless another thread has the execution; then that thread ends
    /// it.</summary>
    private void Abandon(Session session)
    {
        if (session.Suspended is not { } execution)
            return;
        // ORDER: written before the claim is tried, which is a full fence: a thread that has the claim now
        // and gives it back sees it (Waiter.Release).
        execution.IsAbandoned = true;
        if (execution.Waiter is { } waiter ? waiter.TryClaim() : TryForget(execution))
            Forget(execution);
    }

    private bool TryForget(SessionExecution execution) =>
        _server.Pause.TryForget(execution) || _server.WriteHold.TryForget(execution);

    private void Forget(SessionExecution execution)
    {
        execution.Session.Suspended = null;
        _executions.Recycle(execution);
    }
}
