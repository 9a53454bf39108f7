// Applies the stream of a master: the commands of an append-only file that never ends. As in CommandReplay, a
// command runs by its own handler, on behalf of no client, and sees keys past their deadline: the master
// removes them. Unlike there, clients are served beside it. So a unit (one command, or a transaction) takes
// its stripes as any execution does (LockProtocol; where that suspends, this thread waits), publishes its
// events, wakes clients that wait for its keys, and is recorded for the server's own append-only file.
//
//   received bytes:  *2 SELECT 3 | *1 MULTI | *3 SET a 1 | *2 INCR b | *1 EXEC | *3 SET c
//                    '- unit ---' '- unit ----------------------------------' '- not whole yet
//
// The offset moves by whole units. A unit is applied and counted under a lock of the applier, which it takes
// last, when it has its stripes: so Stop returns at once or when the unit that runs is over, and then the
// offset names exactly what has been applied. The caller of Stop may hold stripes.

using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Executes a master's commands; on the link's thread.</summary>
internal sealed unsafe class StreamApplier : IDisposable
{
    private const long StringLengthMin = 512L << 20;
    private const int LoggedErrorCountMax = 100;

    private readonly IReplicaServer _server;
    private readonly SessionExecution _execution;
    private readonly Session _session;
    private readonly DiscardSink _discard = new();
    private readonly DiscardSink _muted = new();
    private readonly ArgumentBuffer _arguments = new();
    private readonly SemaphoreSlim _woken = new(0);
    private readonly Lock _unit = new();
    private Transaction? _transaction;
    private ScanState _scan;
    private long _scannedBytes;
    private long _nowMs;
    private long _errorCount;
    private volatile bool _isGranted;
    private volatile bool _isStopped;

    /// <param name="server">The server.</param>
    public StreamApplier(IReplicaServer server)
    {
        _server = server;
        _execution = new SessionExecution(server.Loops[0], randomSeed: 1)
        {
            IsReplay = true,
            Place = ExecutionPlace.Nested,
            Reply = new ReplyWriter(_discard),
            StringLengthMax = Math.Max(server.Settings.BulkLengthMax, StringLengthMin),
            StripeGranted = () =>
            {
                _isGranted = true;
                _woken.Release();
            },
        };
        _execution.Reply.Mute(_muted);
        var nowhere = new SessionEndpoint("", "", -1, ConnectionKind.InProcess, IsLoopback: true);
        _execution.Session = _session = new Session(0, server.Loops[0], nowhere, nowMs: 0);
        _execution.Keys.SeesExpired = true;
        _execution.Keys.Statistics = _execution.OffLoopStatistics;
    }

    /// <summary>The database that the master has selected.</summary>
    public int Database
    {
        get => _session.Database;
        set => _session.Database = value;
    }

    /// <summary>Whether the master has asked for the offset since this was set to false.</summary>
    public bool IsOffsetWanted { get; set; }

    /// <summary>Applies the whole units among the bytes that a connection holds.</summary>
    /// <exception cref="LinkException">They are no stream, or the applier was stopped.</exception>
    public void Apply(MasterConnection connection)
    {
        _nowMs = _server.Clock.UnixMicroseconds / 1000;
        var limits = new ScanLimits(bulkBytesMax: int.MaxValue, bigArgumentBytes: int.MaxValue);
        while (connection.HeldCount > _scannedBytes)
        {
            ScanResult result = default;
            // SAFETY: the command begins behind what was scanned, within the held bytes.
            ScanOutcome outcome = RequestScanner.Scan(ref _scan, connection.Held + _scannedBytes,
                (int)Math.Min(connection.HeldCount - _scannedBytes, int.MaxValue), _arguments, in limits,
                ref result);
            if (outcome is ScanOutcome.NeedMore or ScanOutcome.BigArgument)
                return;
            if (outcome == ScanOutcome.ProtocolError)
                throw new LinkException($"Protocol error from master: {result.Error}");
            _scannedBytes += result.Consumed;
            bool isUnitOver = outcome == ScanOutcome.Empty ? _transaction is null : Take(
                new ArgumentList(_arguments.Items + result.FirstArgument, result.ArgumentCount), connection);
            _scan = default;
            _arguments.Clear();
            if (!isUnitOver)
                continue;
            connection.Consume(_scannedBytes);
            _scannedBytes = 0;
        }
    }

    /// <summary>Forgets half a unit: its connection has ended.</summary>
    public void Restart()
    {
        _transaction?.Dispose();
        _transaction = null;
        _session.Transaction = null;
        _scan = default;
        _arguments.Clear();
        _scannedBytes = 0;
    }

    /// <summary>Runs an action under all stripes, as one unit.</summary>
    /// <exception cref="LinkException">The applier was stopped.</exception>
    public void RunHoldingAll(Action<SessionExecution> action)
    {
        _execution.Spec = CommandTable.Get(CommandId.Flushall);
        TakeStripes(StripeSet.All(_server.Keyspace.Stripes.Length));
        try
        {
            EnterUnit();
            _execution.Keys.Begin(0, LockPlan.TimeOf(_execution, _server.Clock.UnixMicroseconds / 1000));
            _execution.CanServe = true;
            action(_execution);
            HandlerCall.Commit(_execution);
            if (_execution.ReadyQueues.Count > 0)
                _server.Serving.Serve(_execution);
            _unit.Exit();
        }
        finally
        {
            _execution.CanServe = false;
            _server.Locks.Exit(_execution);
        }
    }

    /// <summary>Lets no unit run from now on; from any thread, which may hold stripes.</summary>
    public void Stop()
    {
        lock (_unit)
            _isStopped = true;
        _woken.Release();
    }

    /// <summary>Gives the counters of what was applied, and starts them over.</summary>
    public KeyspaceStatistics TakeStatistics()
    {
        KeyspaceStatistics taken = _execution.Keys.Statistics;
        _execution.Keys.Statistics = new KeyspaceStatistics();
        return taken;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Restart();
        _execution.Reply = default;
        _execution.Dispose();
        _arguments.Dispose();
        _discard.Dispose();
        _muted.Dispose();
        _woken.Dispose();
    }

    /// <summary>Takes a command of the stream; gives whether the unit is over.</summary>
    private bool Take(ArgumentList arguments, MasterConnection connection)
    {
        CommandSpec? spec = _server.Commands.FindRecorded(arguments);
        if (spec?.Id == CommandId.Multi)
        {
            _transaction ??= new Transaction(_server.Sessions.Buffers);
            return false;
        }

        bool isKnown = spec is not null && spec.AcceptsCount(arguments.Count);
        if (_transaction is not null && spec?.Id != CommandId.Exec)
        {
            if (isKnown)
                _transaction.Add(spec!, arguments);
            else
                NoteError(arguments);
            return false;
        }

        if (!isKnown)
        {
            // REPLCONF GETACK: the master wants to know the offset.
            if (Cinnabar.Commands.Ascii.EqualsIgnoreCase(arguments[0].Span, "replconf"u8))
                IsOffsetWanted = true;
            else
                NoteError(arguments);
            spec = CommandTable.Get(CommandId.Ping);
        }

        Run(spec!, arguments, connection);
        return true;
    }

    private void Run(CommandSpec spec, ArgumentList arguments, MasterConnection connection)
    {
        _execution.Spec = spec;
        _execution.Arguments = arguments;
        if (_transaction is null && spec.IsSingleKey && TryRunSingleKey(spec, arguments, connection))
            return;
        _session.Transaction = _transaction;
        TakeStripesOf(spec);
        try
        {
            _execution.CanServe = true;
            RunUnit(spec, LockPlan.TimeOf(_execution, _nowMs), connection);
        }
        finally
        {
            _execution.CanServe = false;
            _server.Locks.Exit(_execution);
        }

        _session.Transaction = null;
        _transaction?.Dispose();
        _transaction = null;
    }

    /// <summary>Runs a command whose stripe is free, of a key without waiters: the frequent case.</summary>
    private bool TryRunSingleKey(CommandSpec spec, ArgumentList arguments, MasterConnection connection)
    {
        ref Argument key = ref arguments[spec.FirstKey];
        key.Hash = _server.Keyspace.Hash(key.Span);
        Stripe stripe = _server.Keyspace.StripeOf(key.Hash);
        if (!stripe.Lock.TryEnter())
            return false;
        try
        {
            if (stripe.HasWaiters)
                return false;
            long nowMs = Math.Max(_nowMs, stripe.TimeMs);
            stripe.TimeMs = nowMs;
            RunUnit(spec, nowMs, connection);
            return true;
        }
        finally
        {
            stripe.Lock.Exit();
        }
    }

    // A fault leaves the lock: the server ends.
    private void RunUnit(CommandSpec spec, long nowMs, MasterConnection connection)
    {
        EnterUnit();
        _execution.Keys.Begin(_session.Database, nowMs);
        if (_transaction is not null)
            CallTransaction(_transaction);
        else
            Call(spec);
        HandlerCall.Commit(_execution);
        if (_execution.Effects.IsReplaced)
            _execution.Effects.Discard();
        if (_execution.ReadyQueues.Count > 0)
            _server.Serving.Serve(_execution);
        Count(connection);
        _unit.Exit();
    }

    private void Count(MasterConnection connection)
    {
        for (long offset = 0; offset < _scannedBytes; offset += int.MaxValue)
        {
            // SAFETY: the bytes of the unit are the first that the connection holds.
            _server.Replication.AppendApplied(new ReadOnlySpan<byte>(
                connection.Held + offset, (int)Math.Min(_scannedBytes - offset, int.MaxValue)), Database);
        }
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

        bool isMessage = spec.Id is CommandId.Publish or CommandId.Spublish;
        if (!isMessage && !CommandReplay.IsOfData(spec))
        {
            if (spec.Has(CommandFlags.Write | CommandFlags.MayReplicate))
                NoteError(_execution.Arguments);
            return;
        }

        _execution.FillKeyHashes();
        int errorCount = _execution.Reply.ErrorCount;
        Outcome outcome = HandlerCall.Invoke(_execution, spec);
        Debug.Assert(outcome.IsDone, spec.Name, "a command that waits for nothing runs to its end");
        End(errorCount);
    }

    private void End(int errorCount)
    {
        _server.Monitors.Feed(_execution);
        if (_execution.Reply.ErrorCount != errorCount)
            NoteError(_execution.Arguments);
    }

    private void Select()
    {
        if (RedisNumber.TryParseInt64(_execution.Argument(1), out long database)
            && (ulong)database < (ulong)_server.Keyspace.DatabaseCount)
            _session.Database = (int)database;
        else
            NoteError(_execution.Arguments);
    }

    // Versions before Redis 7 send scripts, not what they did: these get all that they could touch.
    private void TakeStripesOf(CommandSpec spec)
    {
        LockPlan.Fill(_execution);
        if (spec.RunsScript)
            _execution.Stripes = StripeSet.All(_server.Keyspace.Stripes.Length);
        StripeSet needed = _execution.Stripes;
        do
        {
            TakeStripes(needed);
            if (LockPlan.CoversWaiters(_execution, out needed))
                return;
            _server.Locks.Exit(_execution);
        }
        while (true);
    }

    private void TakeStripes(StripeSet stripes)
    {
        _execution.Stripes = stripes;
        _execution.StripeNext = 0;
        while (!_server.Locks.TryEnterOrWait(_execution))
        {
            while (!_isGranted)
            {
                if (_isStopped && _server.Locks.TryWithdraw(_execution))
                    throw LinkException.Stopped();
                _woken.Wait();
            }

            _isGranted = false;
        }
    }

    private void EnterUnit()
    {
        _unit.Enter();
        if (!_isStopped)
            return;
        _unit.Exit();
        throw LinkException.Stopped();
    }

    private void NoteError(ArgumentList arguments)
    {
        if (_errorCount++ >= LoggedErrorCountMax)
            return;
        string name = Encoding.Latin1.GetString(arguments[0].Span);
        _server.Log.Write(LogLevel.Warning,
            "== CRITICAL == This replica is sending an error to its master after processing the command "
                + $"'{name}'");
    }
}
