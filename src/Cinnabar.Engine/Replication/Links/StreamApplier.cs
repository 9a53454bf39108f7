// Applies the stream of a master: the commands of an append-only file that never ends, beside clients. It
// takes stripes as any execution does (LockProtocol; where that suspends, this thread waits), moves the
// offset by whole units (one command, or a transaction), and wakes clients that wait for keys.
//
//   received bytes:  *2 SELECT 3 | *1 MULTI | *3 SET a 1 | *2 INCR b | *1 EXEC | *3 SET c
//                    '- unit ---' '- unit ----------------------------------' '- not whole yet
//
// Short commands are applied in batches (StreamBatch): the union of their stripes is taken at once, they are
// executed (StreamCrew), the offset moves once, and all stripes are released together. So no client sees a
// part of a batch, and what it sees is the state behind some unit of the stream. All other units, and a
// command on a key for which clients wait, are applied alone.
//
// A batch or a unit is applied and counted under a lock of the applier, which it takes last, when it has its
// stripes: so Stop returns at once or when what runs is over, and then the offset names exactly what has been
// applied. The caller of Stop may hold stripes.

using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Executes a master's commands; on the link's thread.</summary>
internal sealed unsafe class StreamApplier : IDisposable
{
    private readonly IReplicaServer _server;
    private readonly StreamExecution _stream;
    private readonly SessionExecution _execution;
    private readonly StreamBatch _batch;
    private readonly StreamCrew _crew;
    private readonly ArgumentBuffer _arguments = new();
    private readonly SemaphoreSlim _woken = new(0);
    private readonly Lock _unit = new();
    private Transaction? _transaction;
    private ScanState _scan;
    private long _scannedBytes;
    private long _nowMs;
    private bool _isNextAlone;
    private volatile bool _isGranted;
    private volatile bool _isStopped;

    /// <param name="server">The server.</param>
    /// <param name="sharesAll">Whether loops help with all batches; only for tests.</param>
    public StreamApplier(IReplicaServer server, bool sharesAll = false)
    {
        _server = server;
        _stream = new StreamExecution(server, server.Loops[0], server.Replication.Link, () =>
        {
            _isGranted = true;
            _woken.Release();
        });
        _execution = _stream.Execution;
        _batch = new StreamBatch(server);
        _crew = new StreamCrew(server, _stream) { SharesAll = sharesAll };
    }

    /// <summary>The database that the master has selected.</summary>
    public int Database
    {
        get => _stream.Database;
        set => _stream.Database = value;
    }

    /// <summary>The master's addresses, which MONITOR shows.</summary>
    public SessionEndpoint Peer
    {
        set => _execution.Session.Endpoint = value;
    }

    /// <summary>Whether the master has asked for the offset since this was set to false.</summary>
    public bool IsOffsetWanted { get; set; }

    /// <summary>Batches that loops were asked to help with. Only for tests.</summary>
    internal long SharedCount => _crew.SharedCount;

    /// <summary>Applies the whole units among the bytes that a connection holds.</summary>
    /// <exception cref="LinkException">They are no stream, or the applier was stopped.</exception>
    public void Apply(MasterConnection connection)
    {
        while (connection.HeldCount > _scannedBytes)
        {
            _nowMs = _server.Clock.UnixMicroseconds / 1000;
            if (_scannedBytes == 0 && _scan.IsFresh && !_isNextAlone)
            {
                _batch.Fill(connection.Held, connection.HeldCount, Database, _crew.Begin());
                if (_batch.Count > 0)
                {
                    RunBatch(connection);
                    continue;
                }
            }

            if (!TryTakeNext(connection))
                return;
        }
    }

    /// <summary>Forgets half a unit: its connection has ended.</summary>
    public void Restart()
    {
        _transaction?.Dispose();
        _transaction = null;
        _execution.Session.Transaction = null;
        _batch.Clear();
        ClearScan();
        _scannedBytes = 0;
        _isNextAlone = false;
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
    public KeyspaceStatistics TakeStatistics() => _crew.TakeStatistics();

    /// <inheritdoc/>
    public void Dispose()
    {
        Restart();
        _crew.Dispose();
        _stream.Dispose();
        _batch.Dispose();
        _arguments.Dispose();
        _woken.Dispose();
    }

    /// <summary>Applies the batch, or only its commands before the first one that clients wait for, or as
    /// many as are executed at once.</summary>
    private void RunBatch(MasterConnection connection)
    {
        TakeStripes(_batch.Stripes);
        long byteCount = 0;
        try
        {
            int count = _batch.CountBeforeAwaited(_server.Waits);
            _isNextAlone = count == 0;
            if (count > 0)
                byteCount = RunBatch(count, connection);
        }
        finally
        {
            _server.Locks.Exit(_execution);
        }

        _batch.Clear();
        connection.Consume(byteCount);
    }

    // A fault leaves the lock: the server ends.
    private long RunBatch(int count, MasterConnection connection)
    {
        EnterUnit();
        count = _crew.Run(_batch, count, LockPlan.TimeOf(_execution, _nowMs));
        Database = _batch.DatabaseBehind(count);
        int byteCount = _batch.LengthOf(count);
        Append(connection, byteCount);
        _unit.Exit();
        return byteCount;
    }

    /// <summary>Scans the next command, and applies it alone where it ends a unit.</summary>
    /// <returns>False where there is no whole one.</returns>
    private bool TryTakeNext(MasterConnection connection)
    {
        var limits = new ScanLimits(bulkBytesMax: int.MaxValue, bigArgumentBytes: int.MaxValue);
        ScanResult result = default;
        // SAFETY: the command begins behind what was scanned, within the held bytes.
        ScanOutcome outcome = RequestScanner.Scan(ref _scan, connection.Held + _scannedBytes,
            (int)Math.Min(connection.HeldCount - _scannedBytes, int.MaxValue), _arguments, in limits,
            ref result);
        if (outcome is ScanOutcome.NeedMore or ScanOutcome.BigArgument)
        {
            // A batch can begin with it when it is whole.
            if (connection.HeldCount < StreamBatch.UnitBytesMax && _transaction is null)
                ClearScan();
            return false;
        }

        if (outcome == ScanOutcome.ProtocolError)
            throw new LinkException($"Protocol error from master: {result.Error}");
        _scannedBytes += result.Consumed;
        bool isUnitOver = outcome == ScanOutcome.Empty ? _transaction is null : Take(
            new ArgumentList(_arguments.Items + result.FirstArgument, result.ArgumentCount), connection);
        ClearScan();
        if (!isUnitOver)
            return true;
        _isNextAlone = false;
        connection.Consume(_scannedBytes);
        _scannedBytes = 0;
        return true;
    }

    private void ClearScan()
    {
        _scan = default;
        _arguments.Clear();
    }

    private void NoteUnknown(CommandSpec? spec, ArgumentList arguments) => _stream.NoteError(arguments,
        spec is null ? "ERR unknown command"u8 : UnsentReplies.WrongCount(spec));

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
                NoteUnknown(spec, arguments);
            return false;
        }

        // REPLCONF GETACK: the master wants to know the offset.
        if (spec?.Id == CommandId.Replconf)
            IsOffsetWanted = true;
        else if (!isKnown)
            NoteUnknown(spec, arguments);
        if (!isKnown || spec?.Id == CommandId.Replconf)
            spec = CommandTable.Get(CommandId.Ping);

        Run(spec!, arguments, connection);
        return true;
    }

    private void Run(CommandSpec spec, ArgumentList arguments, MasterConnection connection)
    {
        _execution.Spec = spec;
        _execution.Arguments = arguments;
        _execution.Session.Transaction = _transaction;
        TakeStripesOf(spec);
        try
        {
            _execution.CanServe = true;
            long nowMs = LockPlan.TimeOf(_execution, _nowMs);
            EnterUnit();
            _stream.RunUnit(_transaction, nowMs);
            Append(connection, _scannedBytes);
            _unit.Exit();
        }
        finally
        {
            _execution.CanServe = false;
            _server.Locks.Exit(_execution);
        }

        _execution.Session.Transaction = null;
        _transaction?.Dispose();
        _transaction = null;
    }

    /// <summary>Counts the first of the bytes that a connection holds: they have been applied.</summary>
    private void Append(MasterConnection connection, long byteCount)
    {
        for (long offset = 0; offset < byteCount; offset += int.MaxValue)
        {
            // SAFETY: the connection holds as many.
            _server.Replication.AppendApplied(new ReadOnlySpan<byte>(
                connection.Held + offset, (int)Math.Min(byteCount - offset, int.MaxValue)), Database);
        }
    }

    // Versions before Redis 7 send scripts, not what they did: these get all that they could touch.
    private void TakeStripesOf(CommandSpec spec)
    {
        LockPlan.Fill(_execution, isInTurn: false);
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
}
