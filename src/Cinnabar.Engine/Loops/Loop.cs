// A loop has one caller at a time (LoopTransport.cs has the contract) and runs turn after turn:
//
//   1. mailbox: messages of other loops and threads for this loop's sessions
//   2. inputs: scan into a batch, prefetch, execute, and again until all inputs are used up (CommandScanner,
//      CommandRunner); the replies of all sessions are sent together (SessionOutput)
//   3. mailbox: what the turn published, before more is received (Mailbox.TakeIfPublished says why)
//   4. housekeeping: due deadlines, memory to give back, in slices
//
// Stale addresses of tables are held only within a turn (Quiescence.Enter to Exit).

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Statistics;
using Cinnabar.Memory;
using Cinnabar.Messaging;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Loops;

/// <summary>One of a server's loops. A transport drives it; see <see cref="LoopTransport"/>.</summary>
public sealed unsafe class Loop : IExecutionLoop
{
    private const long HeldUpMs = 500;

    private readonly Mailbox _mailbox = new();
    private readonly SessionMoves _moves;
    private readonly MessageDelivery _delivery;
    private readonly CommandScanner _scanner;
    private readonly InputScan _inputScan;
    private readonly BatchRunner _batchRunner;
    private readonly Housekeeper _housekeeper;
    private readonly QueryBufferLimit _queryLimit;
    private LoopTransport? _transport;
    private int _isSleeping;

    internal Loop(ILoopServer server, int index)
    {
        Server = server;
        Index = index;
        Activity = server.Activities.OfLoop(index);
        Inputs = new InputReceiver(server.Keyspace.Blocks, server.Sessions.Buffers);
        _scanner = new CommandScanner(server, Inputs);
        Runner = new CommandRunner(this);
        _moves = new SessionMoves(this, Runner.Closing);
        _delivery = new MessageDelivery(this, Runner.Output, _moves, Inputs);
        Gate = new CommandGate(server, Runner, DeliverPublished);
        _inputScan = new InputScan(
            Inputs, _scanner, new ExecutionResumption(server, Runner, Gate), Runner.Closing);
        _batchRunner = new BatchRunner(server, Inputs, Runner, Gate);
        _housekeeper = new Housekeeper(this, Runner.Executions.Suspended);
        _queryLimit = new QueryBufferLimit(server, Statistics, Runner.Closing);
    }

    /// <summary>Position among the server's loops.</summary>
    public int Index { get; }

    internal ILoopServer Server { get; }

    /// <summary>The server's log.</summary>
    public ILog Log => Server.Log;

    /// <summary>The configuration's values.</summary>
    public Settings Settings => Server.Settings;

    /// <summary>Whether a turn must run before more can be received.</summary>
    public bool IsInputFull => Inputs.IsFull;

    /// <summary>Commands executed; from any thread, which may see the last instant.</summary>
    public long CommandCount => Volatile.Read(ref Statistics.CommandCount);

    /// <summary>Whether publishers must wait for its next turn; from any thread.</summary>
    internal bool IsFarBehind => _mailbox.IsFarBehind;

    internal LoopTransport Transport => _transport
        ?? throw new InvalidOperationException("The loop has no transport.");

    internal KeyspaceStatistics KeyspaceStatistics => Statistics.Keyspace;

    internal LoopStatistics Statistics { get; } = new();

    /// <summary>The sessions that the loop has opened and not closed.</summary>
    internal LoopSessions Sessions { get; } = new();

    /// <summary>The time before this turn, Unix milliseconds: that of the turn's input.</summary>
    internal long EarlierMs { get; private set; }

    /// <summary>Bytes of the array of arguments that the loop's batches share.</summary>
    internal long ArgumentBytes => _scanner.MemoryUsage;

    /// <summary>Its activity, for a crash report.</summary>
    // SAFETY: the row is this loop's, and the engine keeps the page for as long as it lives.
    internal ActivityRow* Activity { get; }

    internal InputReceiver Inputs { get; }
    internal CommandRunner Runner { get; }

    /// <summary>Takes the commands that are not on the shortest path.</summary>
    internal CommandGate Gate { get; }

    /// <summary>Gives the loop its transport; once, before anything else.</summary>
    public void Attach(LoopTransport transport) => _transport = transport;

    /// <summary>Opens a session for a connection; on the loop.</summary>
    /// <param name="endpoint">Where it comes from.</param>
    /// <param name="refusal">The bytes to send to the peer before closing, if it is refused.</param>
    /// <returns>The session, or null where the connection is refused.</returns>
    public Session? OpenSession(SessionEndpoint endpoint, out ReadOnlySpan<byte> refusal)
    {
        Session? session = Server.Sessions.Open(this, endpoint, out refusal);
        if (session is { Endpoint.CertificateNames.Count: > 0 })
            Server.Access.LogInByCertificate(session);
        return session;
    }

    /// <summary>Gives the place for a session's next bytes.</summary>
    public void Receive(Session session, out byte* place, out int room)
    {
        AssertServes(session);
        Inputs.Place(session, out place, out room);
    }

    /// <summary>Notes bytes that were put at the place from <see cref="Receive"/>.</summary>
    public void Received(Session session, int byteCount)
    {
        AssertServes(session);
        Debug.Assert(byteCount > 0, "the end of input is InputEnded");
        Activity->Phase = ActivityPhase.Receives;
        session.BytesReceived += byteCount;
        Statistics.BytesReceived += byteCount;
        Statistics.ReadCount++;
        // A piece of a big argument is no input of the turn, see NoteInteractions.
        session.NoteInteraction(
            session.Partial is null ? Runner.NowMs : Server.Clock.UnixMicroseconds / 1000);
        Inputs.Note(session, byteCount);
        if (session.Partial is not null || session.Transaction is not null)
            _queryLimit.Enforce(session, byteCount);
    }

    /// <summary>The peer takes bytes again.</summary>
    public void Writable(Session session) => Runner.Output.Continue(session);

    /// <summary>A send answered with <see cref="LoopTransport.SendPending"/> has ended.</summary>
    public void SendCompleted(Session session, long byteCount) =>
        Runner.Output.Completed(session, byteCount);

    /// <summary>The end of the peer's input was received, or seen behind input that is not read now. The peer
    /// gets all its replies, unless it waits in a blocking command, and is then closed; commands that wait
    /// for locks or run off the loop end first, and so does the input read after them. Report it again when
    /// the end is received, whatever was reported before.</summary>
    public void InputEnded(Session session) => Runner.Closing.EndInput(session);

    /// <summary>The peer has gone while its input is not read. Its input is executed without replies, until
    /// it is read again or would wait. Report it again when it is read.</summary>
    public void PeerGone(Session session) => Runner.Closing.Leave(session);

    /// <summary>The peer has gone, or the transport has dropped the connection.</summary>
    public void Disconnected(Session session)
    {
        Debug.Assert(Has(session), "another loop has the session");
        Runner.Closing.Close(session);
    }

    /// <summary>Whether at least two sessions have sent input lately; between two turns.</summary>
    /// <param name="activeMs">How long ago at most, in milliseconds.</param>
    public bool HasTwoActiveSessions(long activeMs) =>
        _moves.HasTwoActive(Runner.NowMs - activeMs);

    /// <summary>Gives sessions to another loop: a share of the recently active ones, as far as they are
    /// movable; some hundreds at most. Between two turns.</summary>
    /// <param name="target">The other loop.</param>
    /// <param name="share">How many of those that were active.</param>
    /// <param name="activeMs">How long ago they sent something at most, in milliseconds.</param>
    public void GiveSessions(Loop target, double share, long activeMs)
    {
        Debug.Assert(target != this, "a session moves to another loop");
        Debug.Assert(Inputs.Count == 0 && Runner.Output.Session is null, "sessions move between turns");
        _moves.Give(target, share, Runner.NowMs - activeMs);
    }

    /// <summary>Runs one turn.</summary>
    public void Turn()
    {
        Server.Keyspace.Quiescence.Enter(Index);
        EarlierMs = Runner.NowMs;
        Activity->Phase = ActivityPhase.DeliversMessages;
        Runner.BeginTurn();
        if (Runner.NowMs - EarlierMs > HeldUpMs)
            NoteInteractions();
        DeliverMail(_mailbox.Take());
        RunInputs();
        Inputs.Clear();
        if (!_mailbox.IsEmpty)
            DeliverMail(_mailbox.TakeIfPublished());
        Activity->Phase = ActivityPhase.KeepsHouse;
        if (_housekeeper.Run())
            _scanner.LearnEntrySize();
        Activity->Phase = ActivityPhase.Receives;
        Server.Keyspace.Quiescence.Exit(Index);
    }

    /// <summary>Begins a wait of the transport.</summary>
    /// <returns>How long it may be: milliseconds, 0 where there is work, −1 for ever.</returns>
    // ORDER: the flag is set, with a full fence, before the mailbox is read; a thread that posts reads the
    // flag after posting. So either the loop sees the message or the thread sees the loop asleep and wakes
    // it.
    public int BeginWait()
    {
        Activity->Phase = ActivityPhase.Waits;
        Interlocked.Exchange(ref _isSleeping, 1);
        if (_mailbox.IsEmpty)
            return _housekeeper.WaitMs();
        Volatile.Write(ref _isSleeping, 0);
        return 0;
    }

    /// <summary>Ends <see cref="BeginWait"/>.</summary>
    public void EndWait() => Volatile.Write(ref _isSleeping, 0);

    /// <summary>Runs an action within a turn of this loop. From any thread.</summary>
    public void Run(Action action) =>
        Post(new MailboxMessage { Kind = MailboxMessageKind.Run, Target = action });

    /// <summary>Ends loops that no longer run. What they have for each other is delivered before any of them
    /// is disposed of.</summary>
    public static void DisposeAll(ReadOnlySpan<Loop> loops)
    {
        bool hasDelivered = true;
        while (hasDelivered)
        {
            hasDelivered = false;
            foreach (Loop loop in loops)
            {
                hasDelivered |= !loop._mailbox.IsEmpty;
                loop.DeliverMail(loop._mailbox.Take());
            }
        }

        foreach (Loop loop in loops)
            loop.Dispose();
    }

    /// <summary>Drops the sessions of loops that a fault has ended; others have none any more. Their
    /// connections are gone, and nothing may be sent to them.</summary>
    internal static void DropSessions(ReadOnlySpan<Loop> loops)
    {
        foreach (Loop loop in loops)
        {
            foreach (Session session in loop.Sessions.All.ToArray())
                loop.Runner.Closing.Drop(session);
        }
    }

    private void Dispose()
    {
        Gate.Dispose();
        Runner.Dispose();
        _scanner.Dispose();
        foreach (Session session in Sessions.All)
            Inputs.Recycle(session);
        Inputs.Dispose();
        _housekeeper.Dispose();
    }

    /// <summary>Delivers the waiting messages of a session before its next command. On the loop.</summary>
    internal void DeliverPublished(Session session) => _delivery.ShowPublished(_mailbox, session);

    /// <summary>Whether a session is this loop's, and not still on its way to it.</summary>
    internal bool Has(Session session) => session.Loop == this && !session.IsMoving;

    LoopSessions ISessionLoop.Sessions => Sessions;
    KeyspaceStatistics IExecutionLoop.KeyspaceStatistics => KeyspaceStatistics;
    IExecutionServer IExecutionLoop.Server => Server;
    ActivityRow* IExecutionLoop.Activity => Activity;
    void ISessionLoop.Post(in MailboxMessage message) => Post(in message);
    void IExecutionLoop.SetReading(Session session, bool isReading) =>
        Transport.SetReading(session, isReading);
    void IExecutionLoop.EndIfLeft(Waiter waiter) => Runner.Closing.EndIfLeft(waiter);
    void IExecutionLoop.EndWait(Waiter waiter) => Runner.Executions.Suspended.EndWait(waiter);
    void IExecutionLoop.Retry(Waiter waiter) => Runner.Executions.Suspended.Retry(waiter);
    void IExecutionLoop.Reschedule(Waiter waiter) => Runner.Executions.Suspended.Reschedule(waiter);

    internal void Post(in MailboxMessage message)
    {
        _mailbox.Post(in message);
        Notify();
    }

    /// <summary>Wakes the loop if it waits.</summary>
    internal void Notify()
    {
        // ORDER: a full fence lies between the message (or deadline) and this look at the flag; see
        // BeginWait.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _isSleeping) != 0 && Interlocked.Exchange(ref _isSleeping, 0) != 0)
            _transport?.WakeUp();
    }

    /// <summary>A stripe that this loop keeps got an earlier deadline than it had.</summary>
    internal void DeadlineAdvanced(long deadlineMs)
    {
        // ORDER: the stripe's deadline was written before this fence, the loop's wake-up time is read after
        // it; Housekeeper.WaitMs does the reverse.
        Interlocked.MemoryBarrier();
        if (_housekeeper.SleepsPast(deadlineMs))
            Notify();
    }

    [Conditional("DEBUG")]
    private void AssertServes(Session session) =>
        Debug.Assert(Has(session) && !session.IsClosed, "the session is another loop's, or closed");

    // The input of this turn gets the time of the turn before, which may be long ago: otherwise a process
    // that stood still for longer than the clients' timeout would close clients that have just written to it.
    private void NoteInteractions()
    {
        for (int index = 0; index < Inputs.Count; index++)
            Inputs[index].Session.NoteInteraction(Runner.NowMs);
    }

    private void DeliverMail(Span<MailboxMessage> mail)
    {
        _delivery.Deliver(mail);
        Runner.Output.End();
    }

    private void RunInputs()
    {
        for (int index = 0; index < Inputs.Count;)
        {
            Activity->Phase = ActivityPhase.Scans;
            bool isBatchToRun = false;
            while (index < Inputs.Count && !isBatchToRun)
            {
                isBatchToRun = !_inputScan.TryScan(index);
                if (!isBatchToRun)
                    index++;
            }

            Statistics.CountPrefetch(_scanner.PrefetchEntries());
            if (Server.MemoryLimit.IsSet)
                Server.MemoryLimit.Look();
            Activity->Phase = ActivityPhase.Executes;
            _batchRunner.Run(_scanner);
            _scanner.Clear();
        }

        Activity->Phase = ActivityPhase.SendsReplies;
        Runner.Output.End();
    }
}
