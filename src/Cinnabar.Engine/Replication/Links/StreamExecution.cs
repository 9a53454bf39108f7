// Runs the commands of a master's stream, under stripes that the caller holds. As in CommandReplay, a command
// runs by its own handler, on behalf of no client, and sees keys past their deadline: the master removes
// them. Unlike there, others look on: it publishes its events, MONITOR shows it, and it is recorded for the
// server's own append-only file.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Statistics;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Executes a master's commands. One thread at a time.</summary>
internal sealed unsafe class StreamExecution : IDisposable
{
    private const long StringLengthMin = 512L << 20;
    private const int LoggedErrorCountMax = 100;
    private const long DiskLogPeriodMs = 10_000;

    private readonly IReplicaServer _server;
    private readonly SessionExecution _execution;
    private readonly Session _session;
    private readonly UnsentReplies _replies = new();
    private readonly DiscardSink _muted = new();
    private readonly CommandTimer _timer;
    private long _errorCount;
    private long _diskLoggedMs;

    /// <param name="server">The server.</param>
    /// <param name="loop">The loop that executes, or whose the execution counts as.</param>
    /// <param name="counters">Gets what is executed.</param>
    /// <param name="granted">Called when the execution may try again to get its stripes; null: it takes
    /// none.</param>
    public StreamExecution(IReplicaServer server, Loop loop, LoopStatistics counters, Action? granted)
    {
        _server = server;
        _timer = new CommandTimer(server, counters);
        _execution = new SessionExecution(loop, randomSeed: 1)
        {
            IsReplay = true,
            Place = ExecutionPlace.Nested,
            Reply = new ReplyWriter(_replies),
            StringLengthMax = Math.Max(server.Settings.BulkLengthMax, StringLengthMin),
            StripeGranted = granted,
        };
        _execution.Reply.Mute(_muted);
        var nowhere = new SessionEndpoint("", "", -1, ConnectionKind.InProcess, IsLoopback: true);
        _execution.Session = _session = new Session(0, loop, nowhere, nowMs: 0);
        _execution.Keys.SeesExpired = true;
        _execution.Keys.Statistics = _execution.OffLoopStatistics;
    }

    /// <summary>What takes the stripes.</summary>
    public SessionExecution Execution => _execution;

    /// <summary>The database that the master has selected.</summary>
    public int Database
    {
        get => _session.Database;
        set => _session.Database = value;
    }

    /// <summary>Gives the counters of what was executed, and starts them over.</summary>
    public KeyspaceStatistics TakeStatistics()
    {
        KeyspaceStatistics taken = _execution.Keys.Statistics;
        _execution.Keys.Statistics = new KeyspaceStatistics();
        return taken;
    }

    /// <summary>Runs a command, or all that a transaction has queued, as one unit.</summary>
    /// <param name="transaction">The transaction; null: the execution's command.</param>
    /// <param name="nowMs">The instant.</param>
    public void RunUnit(Transaction? transaction, long nowMs)
    {
        _execution.Keys.Begin(_session.Database, nowMs);
        if (IsDiskFailed && (transaction is not null || _execution.Spec.Has(CommandFlags.Write)))
            NoteDisk(nowMs);
        _timer.Begin(session: null);
        if (transaction is not null)
            CallTransaction(transaction);
        else
            Call(_execution.Spec);
        _timer.Settle();
        HandlerCall.Commit(_execution);
        if (_execution.Effects.IsReplaced)
            _execution.Effects.Discard();
        if (_execution.ReadyQueues.Count > 0)
            _server.Serving.Serve(_execution);
    }

    /// <summary>Runs commands of a batch, each a unit; no client waits for their keys. SELECT has been taken
    /// into account (<see cref="StreamBatch"/>).</summary>
    /// <param name="batch">The batch.</param>
    /// <param name="commands">Those of its commands that are run, in order.</param>
    /// <param name="nowMs">The instant.</param>
    public void Run(StreamBatch batch, Span<BatchCommand> commands, long nowMs)
    {
        if (IsDiskFailed && HasWrites(commands))
            NoteDisk(nowMs);
        batch.Prefetch(commands);
        _timer.Begin(session: null);
        for (int index = 0; index < commands.Length; index++)
        {
            int ahead = index + BatchPrefetch.RestDistance;
            if (ahead < commands.Length)
                batch.PrefetchRest(in commands[ahead]);
            ref BatchCommand command = ref commands[index];
            if (command.Database < 0)
                continue;
            CommandSpec spec = command.Spec!;
            // A reference is written only where it differs: each such store costs a barrier.
            if (_execution.Spec != spec)
                _execution.Spec = spec;
            _execution.Arguments = batch.Arguments(in command);
            _session.Database = command.Database;
            _execution.Keys.Begin(command.Database, nowMs);
            _execution.Keys.Expected.Set(command.Place, command.Hash, command.Version, command.Database);
            Invoke(spec);
            HandlerCall.Commit(_execution);
        }

        _timer.Settle();
    }

    /// <summary>Notes that a command of the stream is not known, or has failed.</summary>
    /// <param name="arguments">The command.</param>
    /// <param name="error">The reply to it, without the minus.</param>
    /// <exception cref="InvalidOperationException">The server is to end then
    /// (<c>propagation-error-behavior</c>); of a writable replica errors are to be expected.</exception>
    public void NoteError(ArgumentList arguments, ReadOnlySpan<byte> error)
    {
        if (_server.Settings.PropagationErrors != PropagationErrors.Ignore
            && _server.Configuration.NumberOf("replica-read-only") != 0)
        {
            throw new InvalidOperationException(
                "This replica panicked sending an error to its master: " + Of(arguments, error));
        }

        if (_errorCount++ >= LoggedErrorCountMax)
            return;
        _server.Log.Write(LogLevel.Warning,
            "== CRITICAL == This replica is sending an error to its master: " + Of(arguments, error));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _execution.Reply = default;
        _execution.Dispose();
        _replies.Dispose();
        _muted.Dispose();
    }

    private static string Of(ArgumentList arguments, ReadOnlySpan<byte> error) =>
        UnsentReplies.Describe(error, Encoding.Latin1.GetString(arguments[0].Span));

    private bool IsDiskFailed =>
        _server.Gates.Has(ServerGates.DiskFailed) && _server.Data.DiskErrors.HasJournalFailed;

    private static bool HasWrites(Span<BatchCommand> commands)
    {
        foreach (ref BatchCommand command in commands)
        {
            if (command.Database >= 0 && command.Spec!.Has(CommandFlags.Write))
                return true;
        }

        return false;
    }

    // A client's command would be refused; the master's must be executed, or the two differ.
    private void NoteDisk(long nowMs)
    {
        if (_server.Configuration.NumberOf("replica-ignore-disk-write-errors") == 0)
            throw new InvalidOperationException("Replica was unable to write command to disk.");
        if (nowMs - _diskLoggedMs < DiskLogPeriodMs)
            return;
        _diskLoggedMs = nowMs;
        _server.Log.Write(LogLevel.Warning,
            "Replica is applying a command even though it is unable to write to disk.");
    }

    private void CallTransaction(Transaction transaction)
    {
        (CommandSpec ownSpec, ArgumentList ownArguments) = (_execution.Spec, _execution.Arguments);
        foreach (QueuedCommand queued in transaction.Commands)
        {
            _execution.Spec = queued.Spec;
            _execution.Arguments = queued.Arguments;
            _execution.Keys.Database = _session.Database;
            if (queued.Spec.Id == CommandId.Select || !CommandReplay.IsOfData(queued.Spec))
                Call(queued.Spec);
            else
                CallNested(queued.Spec);
        }

        (_execution.Spec, _execution.Arguments) = (ownSpec, ownArguments);
    }

    private void CallNested(CommandSpec spec)
    {
        _execution.FillKeyHashes();
        int errorCount = _execution.Reply.ErrorCount;
        HandlerCall.InvokeNested(_execution, spec);
        End(errorCount);
    }

    private void Call(CommandSpec spec)
    {
        switch (spec.Id)
        {
            case CommandId.Select:
                Select();
                return;
            case CommandId.Ping or CommandId.Exec:
                return;
        }

        // Subscriptions name channels, too, and are a client's only: no script has them either.
        bool isMessage = (spec.AccessFlags & KeySpecFlags.Channel) != 0 && !spec.Has(CommandFlags.NoScript);
        if (!isMessage && !CommandReplay.IsOfData(spec))
        {
            if (spec.Has(CommandFlags.Write | CommandFlags.MayReplicate))
                NoteError(_execution.Arguments, UnsentReplies.NotOfData);
            return;
        }

        _execution.FillKeyHashes();
        Invoke(spec);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Invoke(CommandSpec spec)
    {
        int errorCount = _execution.Reply.ErrorCount;
        Outcome outcome = HandlerCall.Invoke(_execution, spec);
        Debug.Assert(outcome.IsDone, spec.Name, "a command that waits for nothing runs to its end");
        End(errorCount);
    }

    private void End(int errorCount)
    {
        _server.Monitors.Feed(_execution);
        bool isFailed = _execution.Reply.ErrorCount != errorCount;
        _timer.Count(_execution.Spec.Id, default, isFailed);
        if (isFailed)
            NoteError(_execution.Arguments, _replies.LastError);
    }

    private void Select()
    {
        if (StreamBatch.TryParseDatabase(_server.Keyspace, _execution.Arguments, out int database))
            _session.Database = database;
        else
            NoteError(_execution.Arguments, Errors.DatabaseOutOfRange);
    }
}
