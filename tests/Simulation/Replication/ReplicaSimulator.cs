// Replicas of a simulated master. Clients change keys of every type on several loops; replicas ask for the
// data and the stream, read slowly or not at all for a while, acknowledge, are cut off at any byte and come
// back; an operator changes how they are served. Savers, walks, the thread of the append-only file and the
// slow lane do their steps when chance says so.
//
// Three comparisons:
//
//   bytes     what a replica gets of the stream is what the master's backlog got (StreamTape)
//   moments   the keys of a full synchronisation are those that a scan found at its moment
//   data      at some offsets a scan writes all data of the master down. What a fresh server makes of a
//             replica's data and its stream up to there must be the same
//
// The third is done for all data that a replica had, in the end and when others take their place.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Commands;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Replication.Streams;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Simulation.Snapshots;
using Cinnabar.Tests.Simulation.Types;
using Cinnabar.Tests.Support.Durability;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>One simulation. Where it fails its engine is left as it is.</summary>
internal sealed class ReplicaSimulator
{
    private const int StepCount = 3000;
    private const int DrainStepCountMax = 20_000;
    private const int WriterCount = 4;
    private const int RequestsUnderWayMax = 3;
    private const int FirstPort = 1000;

    private static readonly long[] s_loopCostsNsMax = [-1, 3000, Execution.LoopCostNsDefault];

    private readonly Dice _dice;
    private readonly bool _hasJournal;
    private readonly SimulatedDisk _disk;
    private readonly SimulatedServer _server;
    private readonly StreamTape _tape;
    private readonly SlowWalk.Budget _walk = new();
    private readonly List<SimulatedClient> _clients = [];
    private readonly List<SimulatedReplica> _replicas = [];
    private readonly PauseModel _pauses = new();
    private readonly SnapshotWrites _populating;
    private int _port = FirstPort;
    private int _heldLoop = -1;

    /// <summary>Makes a simulation of a seed.</summary>
    /// <param name="seed">The seed.</param>
    /// <param name="fault">What is wrong on purpose.</param>
    public ReplicaSimulator(ulong seed, ReplicaFault fault = ReplicaFault.None)
    {
        _dice = new Dice(seed);
        _hasJournal = _dice.OneIn(3);
        _disk = new SimulatedDisk
        {
            Bounds = new SnapshotOptions
            {
                BacklogBytesMax = _dice.Pick(4 << 10, 64 << 10, 16 << 20),
                WalkBytesMax = _dice.Pick(1, 64 << 10, 4 << 20),
            },
            Taken = Collect,
        };
        _disk.Files.CreateDirectory(Directory.GetCurrentDirectory());
        _server = new SimulatedServer(_dice.Next(),
            new SimulationOptions { ScriptRerunInterval = _dice.Pick(0, 3, 7) }, s_loopCostsNsMax, _disk,
            ("rdbcompression", "no"), ("enable-debug-command", "yes"),
            ("repl-diskless-sync", _dice.Pick("yes", "yes", "no")),
            ("repl-diskless-sync-delay", _dice.Pick("0", "1")),
            ("repl-backlog-size", _dice.Pick("16kb", "256kb", "1mb")),
            ("repl-ping-replica-period", _dice.Pick("1", "10")),
            ("maxmemory", _dice.Pick("0", "0", "0", "3mb")),
            ("maxmemory-policy", _dice.Pick("allkeys-random", "allkeys-lru", "volatile-ttl")),
            ("appendonly", _hasJournal ? "yes" : "no"), ("appendfsync", _dice.Pick("always", "everysec")));
        _server.Engine.Loading.Prepare();
        _server.Engine.Loading.Begin(LoadedData.Check);
        _tape = new StreamTape(_server.Engine.Replication);
        States = new KnownStates(_server.Engine, _tape, _dice.Next(), fault);
        _populating = new SnapshotWrites(_dice.Next(), populates: _dice.OneIn(2));
        Add(_populating);
        for (int count = 1; count < WriterCount; count++)
            Add(new SnapshotWrites(_dice.Next(), populates: false));
        Add(new ReplicationOperator(_dice.Next(), _hasJournal));
        for (int count = 1 + _dice.Below(3); count > 0; count--)
            AddReplica(fault);
    }

    /// <summary>Its replicas.</summary>
    public IReadOnlyList<SimulatedReplica> Replicas => _replicas;

    /// <summary>What the master had, with which replicas are compared.</summary>
    public KnownStates States { get; }

    /// <summary>Whether clients have changed more, while a snapshot was sent to replicas, than another
    /// snapshot lets wait.</summary>
    public bool HasOvertaken { get; private set; }

    /// <summary>Keys that were evicted.</summary>
    public long EvictedCount =>
        _server.Engine.Loops.ToArray().Sum(static loop => loop.KeyspaceStatistics.EvictedKeys);

    /// <summary>What the master has counted.</summary>
    public ReplicationState State => _server.Engine.Replication;

    /// <summary>Replies that were read.</summary>
    public long ReplyCount => _clients.Sum(static client => (long)client.ReplyCount);

    /// <summary>Runs it to its end.</summary>
    /// <exception cref="InvalidDataException">A replica has other data than its master.</exception>
    public void Run()
    {
        Connect(_clients[0]);
        while (!_populating.IsPopulated)
            _clients[0].Send();
        for (int step = 0; step < StepCount; step++)
            Step();
        // Some end in the middle of whatever they do.
        Drain(hasReplicas: !_dice.OneIn(8));
        foreach (SimulatedReplica replica in _replicas)
        {
            if (replica.Data is { } data)
                States.Compare(data);
        }

        _server.CloseAll();
        if (!_server.Engine.Replicas.All.IsEmpty)
            throw new InvalidDataException("A replica that is gone is in the list.");
        _server.DisposeAndCheck();
    }

    private void Add(IWorkload workload) =>
        _clients.Add(new SimulatedClient(_server.RandomLoop(), workload, _pauses));

    private void AddReplica(ReplicaFault fault) => _replicas.Add(
        new SimulatedReplica(_replicas.Count, _dice.Next(), _tape, fault)
        {
            Loaded = States.CheckMoment,
            Replaced = States.Compare,
        });

    private void Step()
    {
        switch (_dice.Below(30))
        {
            case < 4:
                Ask();
                break;
            case < 8:
                Deliver();
                break;
            case < 12:
                TurnOne(_server.RandomLoop());
                break;
            case 12:
                _server.DrainSome(1 + _dice.Below(_dice.OneIn(3) ? 100_000 : 300));
                break;
            case 13:
                _server.RunSlowLane();
                break;
            case 14 or 15:
                _disk.StepSaver();
                break;
            case 16 when _hasJournal:
                _server.Engine.Data.Journal.Step();
                break;
            case 17:
                _walk.Left = _dice.Below(4);
                break;
            case 18 when _dice.OneIn(2):
                _server.HoldStripe();
                break;
            case 18:
                _server.ReleaseStripe();
                break;
            case 19:
                _server.Clock.Advance(_dice.Below(_dice.OneIn(10) ? 400_000 : 10_000));
                break;
            case 20 when _dice.OneIn(40):
                States.TryWrite();
                break;
            case 21:
                _heldLoop = _dice.OneIn(4) ? _server.RandomLoop() : -1;
                break;
            case 22 when _dice.OneIn(60):
                LeaveAlone();
                break;
            default:
                StepReplica(_dice.Pick(_replicas));
                break;
        }

        Look();
        ReadAll();
    }

    // All replicas are gone for longer than a stream is kept, perhaps; what is being saved may end meanwhile.
    private void LeaveAlone()
    {
        foreach (SimulatedReplica replica in _replicas)
            Vanish(replica);
        for (int count = _dice.Below(20); count > 0; count--)
        {
            _server.Clock.Advance(150_000);
            _walk.Left = _dice.Below(4);
            _disk.StepSaver();
            TurnOne(_server.RandomLoop());
            Look();
            ReadAll();
        }
    }

    private void Vanish(SimulatedReplica replica)
    {
        if (replica.Connection is { } connection)
            _server.Vanish(connection);
        replica.Disconnect();
    }

    // One of the loops may be busy for a while.
    private void TurnOne(int loop)
    {
        if (loop != _heldLoop)
            _server.TryTurn(loop);
    }

    private void StepReplica(SimulatedReplica replica)
    {
        if (replica.Connection is not { } connection)
        {
            if (_dice.OneIn(5))
                Connect(replica);
            return;
        }

        switch (_dice.Below(100))
        {
            case 0 or 1:
                Vanish(replica);
                return;
            case 2:
                connection.IsBroken = true;
                break;
            case 3:
                replica.IsStalled = true;
                break;
            case < 12:
                replica.IsStalled = false;
                break;
            case < 30:
                replica.Speak();
                break;
            case < 55:
                _server.Deliver(connection, _dice.OneIn(2) ? 1 << 20 : 1 + _dice.Below(60));
                break;
            default:
                if (!replica.IsStalled)
                    _server.Drain(connection, 1 + _dice.Below(_dice.Pick(30, 3000, 300_000)));
                break;
        }

        connection.IsStalled = replica.IsStalled;
    }

    private void Connect(SimulatedClient client) =>
        client.Connection = _server.Transports[client.Loop].Open($"127.0.0.1:{_port++}");

    private void Connect(SimulatedReplica replica) =>
        replica.Connect(_server.Transports[_server.RandomLoop()].Open($"127.0.0.1:{_port++}"));

    private void Ask()
    {
        SimulatedClient client = _dice.Pick(_clients);
        if (client.Connection is null)
            Connect(client);
        else if (client.SentCount < RequestsUnderWayMax)
            client.Send();
    }

    private void Deliver()
    {
        if (_dice.Pick(_clients).Connection is { } connection)
            _server.Deliver(connection, _dice.OneIn(2) ? 1 << 20 : 1 + _dice.Below(400));
    }

    private void ReadAll()
    {
        _server.CheckLog();
        _tape.Record();
        foreach (SimulatedClient client in _clients)
        {
            if (client.Connection is not { } connection)
                continue;
            client.Read();
            if (connection.IsClosed)
                throw new InvalidDataException($"A client was sent away: {client}");
        }

        foreach (SimulatedReplica replica in _replicas)
        {
            if (replica.Connection is not { } connection)
                continue;
            replica.Read();
            if (connection.IsClosed || replica.IsDone)
                Vanish(replica);
        }
    }

    // Nothing waits for a replica, however much it is behind.
    private void Look()
    {
        if (_server.Engine.Data.Snapshots.Current is not { Kind: SnapshotKind.Replicas } job)
            return;
        if (!_hasJournal && _server.Engine.Gates.Has(ServerGates.WritesHeld))
            throw new InvalidDataException("A snapshot for replicas holds writers.");
        HasOvertaken |= job.Snapshot.PreImageBytes > _disk.Bounds.BacklogBytesMax;
    }

    // The moment of a snapshot, under all stripes. Its walks go on when the simulation says so.
    private void Collect()
    {
        States.NoteMoment();
        _walk.Left = 0;
        SlowWalk.SlowDown(_server.Engine.Keyspace, _walk);
    }

    // Answers all that was asked, ends all that is being written, and lets the replicas catch up.
    private void Drain(bool hasReplicas)
    {
        _server.ReleaseStripes();
        for (int step = 0, quietCount = 0; step < DrainStepCountMax; step++)
        {
            _walk.Left = int.MaxValue;
            quietCount = IsQuiet(hasReplicas) ? quietCount + 1 : 0;
            if (quietCount == 3)
            {
                if (hasReplicas)
                    WriteAtEnd();
                return;
            }

            DrainStep(hasReplicas);
        }

        throw new InvalidDataException("Requests were forgotten: "
            + string.Join(", ", _clients.Where(static client => client.SentCount > 0))
            + $"; savers {!_disk.IsIdle}, rewrite {_server.Engine.Data.Rewrites.IsUnderWay}, master at "
            + $"{State.Offset}; {string.Join("; ", _replicas)}");
    }

    private void DrainStep(bool hasReplicas)
    {
        _server.Clock.Advance(20_000);
        foreach (SimulatedClient client in _clients.Where(static client => client.Connection is not null))
            _server.Deliver(client.Connection!, 1 << 20);
        foreach (SimulatedReplica replica in hasReplicas ? _replicas : [])
            Help(replica);
        _server.RunAll();
        _server.RunSlowLane();
        _disk.StepSaver();
        if (_hasJournal)
            _server.Engine.Data.Journal.Step();
        Look();
        ReadAll();
    }

    private void Help(SimulatedReplica replica)
    {
        if (replica.Connection is null)
            Connect(replica);
        replica.IsStalled = replica.Connection!.IsStalled = false;
        replica.Speak();
        _server.Deliver(replica.Connection, 1 << 20);
    }

    private bool IsQuiet(bool hasReplicas) =>
        _clients.TrueForAll(static client => client.SentCount == 0) && _server.IsSlowLaneEmpty
        && (!hasReplicas || (_server.IsQuiet && _disk.IsIdle && !_server.Engine.Data.Saves.IsScheduled
            && _replicas.TrueForAll(replica => replica.IsOnline && replica.Data!.Offset == State.Offset)));

    private void WriteAtEnd()
    {
        if (!States.TryWriteLast())
            throw new InvalidDataException("Something holds a stripe.");
        foreach (SimulatedReplica replica in _replicas)
        {
            if (replica.Data!.WholeOffset != State.Offset)
                throw new InvalidDataException($"{replica} is not at {State.Offset}");
        }
    }
}
