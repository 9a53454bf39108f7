// Drives a whole engine in one thread from one seed: several loops, their transports, the slow lane, the
// clock, and another holder of stripes. Each step does one random thing. What must hold at every step is
// asserted by the clients (replies in order, matched to what was asked, right) and the transports; at the end
// everything held is released, and every request must be answered, every history explained, every byte freed.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Commands;
using Cinnabar.Platform;
using Cinnabar.Tests.Simulation.Channels;
using Cinnabar.Tests.Simulation.Histories;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>One simulation. Where it fails its engine is left as it is: it may be broken.</summary>
internal sealed class Simulator
{
    private const int StepCount = 4000;
    private const int DrainStepCount = 20_000;
    private const int RecorderCount = 4;
    private const int ListRecorderCount = 4;
    private const int PrivateCount = 5;
    private const int ListenerCount = 4;
    private const int ToldCount = 2;
    private const int SharedKeyCount = 3;
    private const int FirstPort = 1000;
    private const int OperationsPerRecorder = 25;

    private readonly SimulatedServer _server;
    private readonly List<SimulatedClient> _clients = [];
    private readonly List<HistoryWorkload> _histories = [];
    private readonly List<ToldNumbers> _told = [];
    private readonly List<ListWorkload> _lists = [];
    private readonly PauseModel _pauses = new();
    private readonly ChannelModel _channels;
    private readonly OperatorWorkload _operator;
    private readonly WaiterCheck _waiters;
    private RandomSource _random;
    private long _time;
    private int _port = FirstPort;

    /// <summary>Makes a simulation of a seed.</summary>
    public Simulator(ulong seed, SimulationOptions options)
    {
        _random = new RandomSource(seed);
        if (options.RunsScripts)
            options = options with { ScriptRerunInterval = (int)_random.NextBelow(4) };
        _server = new SimulatedServer(_random.Next(), options, [-1, Execution.LoopCostNsDefault],
            disk: null, SimulatedConfiguration.Make(ref _random));
        _waiters = new WaiterCheck(_server.Engine);
        _channels = new ChannelModel(() => ++_time);
        _operator = new OperatorWorkload(_random.Next(), Clock, _pauses, RandomVictim,
            RandomListRecorder)
        {
            OmitsPause = options.OmitsPause,
        };
        AddClients(options);
    }

    /// <summary>Number of replies read by all clients.</summary>
    public long ReplyCount => _clients.Sum(static client => (long)client.ReplyCount);

    /// <summary>Number of messages that came to a subscriber.</summary>
    public long MessageCount => _channels.ReceivedCount;

    /// <summary>Number of requests that a pause has held back for certain.</summary>
    public long HeldCount => _pauses.HeldCount;

    /// <summary>Number of times that a client was seen to wait for a key.</summary>
    public long BlockedCount => _waiters.BlockedCount;

    /// <summary>How many numbers that scripts published have come to a listener.</summary>
    public long ToldNumberCount => _told.Sum(static one => one.ReceivedCount);

    /// <summary>How many scripts have ended with an error.</summary>
    public int ScriptErrorCount => _histories.OfType<ScriptWorkload>().Sum(static one => one.ErrorCount);

    /// <summary>How many runs of scripts were taken back to run with all stripes.</summary>
    public long RerunCount => _server.Engine.Scripts.All.Sum(
        static script => script.Counters?.Total.RerunCount ?? 0);

    /// <summary>How many sessions have moved to another loop.</summary>
    public long MoveCount => _server.Transports.Sum(static transport => transport.AdoptedCount);

    /// <summary>A digest of all replies of all clients.</summary>
    public ulong ReplyDigest =>
        _clients.Aggregate(0UL, static (sum, client) => (sum * 31) + client.ReplyDigest);

    /// <summary>How often an execution took the escalation token.</summary>
    public long EscalationCount => _server.Engine.Locks.EscalationCount;

    /// <summary>Runs it to its end.</summary>
    /// <returns>What the check of the recorded history has found.</returns>
    public Verdict Run()
    {
        for (int step = 0; step < StepCount; step++)
            Step();
        Drain();
        _channels.Check();
        CheckTold();
        Verdict verdict = Check(_histories, new KeyValueModel());
        Verdict ofLists = Check(_lists, new ListModel());
        _server.CloseAll();
        return verdict == Verdict.Linearizable ? ofLists : verdict;
    }

    /// <summary>Disposes the engine and looks for leaks.</summary>
    public void DisposeAndCheck() => _server.DisposeAndCheck();

    private static Verdict Check(IEnumerable<IRecordingWorkload> workloads, ISequentialModel model)
    {
        Operation[] history = [.. workloads.SelectMany(static one => one.Operations)
            .OrderBy(static operation => operation.InvokedAt)];
        Verdict verdict = LinearizabilityChecker.Check(history, model);
        return verdict != Verdict.Violation
            ? verdict
            : throw new InvalidDataException("No order explains:\n" + string.Join('\n', (object[])history));
    }

    private void AddClients(SimulationOptions options)
    {
        for (int index = 0; index < RecorderCount; index++)
        {
            HistoryWorkload history = options.RunsScripts
                ? new ScriptWorkload(index, "shared", SharedKeyCount, _random.Next(), () => ++_time)
                {
                    MisplacesWrites = options.MisplacesWrites,
                }
                : new HistoryWorkload(index, "shared", SharedKeyCount, _random.Next(), () => ++_time)
                {
                    OmitsWatch = options.OmitsWatch,
                };
            _histories.Add(history);
            Add(history);
        }

        for (int index = 0; index < ListRecorderCount; index++)
        {
            var lists = new ListWorkload(index, "list:", SharedKeyCount, _random.Next(), () => ++_time)
            {
                SwapsEnds = options.SwapsEnds,
            };
            _lists.Add(lists);
            Add(lists);
        }

        for (int index = 0; index < PrivateCount; index++)
            Add(new PrivateWorkload($"p{index}", _random.Next()));
        for (int index = 0; index < ListenerCount; index++)
        {
            Add(new ChannelWorkload(index, _random.Next(), _channels)
            {
                OverlooksMessage = options.LosesMessage && index == 0,
            });
        }

        for (int index = 0; options.RunsScripts && index < ToldCount; index++)
        {
            var told = new ToldNumbers { OverlooksMessage = options.LosesMessage && index == 0 };
            _told.Add(told);
            Add(told);
        }

        Add(_operator);
    }

    // A listener that has heard of one must have heard of all that came later.
    private void CheckTold()
    {
        long last = _histories.OfType<ScriptWorkload>().Select(static one => one.ToldMax)
            .DefaultIfEmpty().Max();
        if (_told.Exists(one => one.Last != 0 && one.Last < last))
            throw new InvalidDataException($"The message of {last} has not come.");
    }

    private void Add(IWorkload workload) =>
        _clients.Add(new SimulatedClient(_server.RandomLoop(), workload, _pauses));

    private void Step()
    {
        ulong choice = _random.NextBelow(100);
        if (choice < 25)
            Ask();
        else if (choice < 50)
            DeliverSome(_random.NextBelow(4) == 0 ? 1 << 20 : 1 + (int)_random.NextBelow(64));
        else if (choice < 75)
            RunTurn(_server.RandomLoop());
        else if (choice < 85)
            DrainSome(1 + (long)_random.NextBelow(_random.NextBelow(3) == 0 ? 100_000UL : 300));
        else if (choice < 88)
            _server.RunSlowLane();
        else if (choice < 91)
            _server.HoldStripe();
        else if (choice < 94)
            _server.ReleaseStripe();
        else if (choice < 98)
            PassTime();
        else if (choice < 99)
            Disturb();
        _server.CheckLog();
        foreach (SimulatedClient client in _clients)
        {
            if (client.Connection is { } connection)
                _waiters.Look(connection.Session);
        }
    }

    private void Ask()
    {
        int index = (int)_random.NextBelow((ulong)_clients.Count);
        SimulatedClient client = _clients[index];
        if (client.IsRetired)
            return;
        if (client.Connection is null)
        {
            client.Connection = _server.Transports[client.Loop].Open($"127.0.0.1:{_port++}");
            return;
        }

        if (!client.Connection.IsEnded && client.SentCount < (client.History is null ? 40 : 2)
            && (client.History is null || client.History.Operations.Count < OperationsPerRecorder))
            client.Send();
    }

    private ManualClock Clock => _server.Clock;

    private SimulatedClient? RandomConnected()
    {
        SimulatedClient client = _clients[(int)_random.NextBelow((ulong)_clients.Count)];
        return client.Connection is null ? null : client;
    }

    private void DeliverSome(int byteCountMax)
    {
        if (RandomConnected() is { } client)
            _server.Deliver(client.Connection!, byteCountMax);
    }

    private void DrainSome(long byteCount)
    {
        _server.DrainSome(byteCount);
        ReadAll();
    }

    private void RunTurn(int loop)
    {
        if (_server.TryTurn(loop))
            ReadAll();
    }

    private void ReadAll()
    {
        foreach (SimulatedClient client in _clients)
        {
            if (client.Connection is null)
                continue;
            client.Read();
            if (!client.Connection.IsClosed)
                continue;
            if (client.SentCount > 0 && client.Connection.MustAnswerAll && !client.MayWait)
                throw new InvalidDataException($"Closed with requests unanswered: {client}");
            client.Forget();
        }
    }

    private void PassTime()
    {
        ulong choice = _random.NextBelow(20);
        if (choice == 0)
            Clock.JumpTo(Clock.UnixMicroseconds - (long)_random.NextBelow(5_000_000));
        else if (choice == 1)
            Clock.JumpTo(Clock.UnixMicroseconds + (long)_random.NextBelow(5_000_000));
        else
            Clock.Advance((long)_random.NextBelow(choice == 2 ? 1_000_000UL : 3000));
        if (choice == 0)
            _pauses.JumpBack();
        _pauses.Pass(Clock.UnixMicroseconds / 1000);
    }

    /// <summary>Chooses a client for the operator to kill: none with a checked history, and not
    /// itself.</summary>
    private SimulatedConnection? RandomVictim()
    {
        int first = RecorderCount + ListRecorderCount;
        int index = first + (int)_random.NextBelow(PrivateCount + ListenerCount);
        return _clients[index].Connection;
    }

    private SimulatedConnection? RandomListRecorder() =>
        _clients[RecorderCount + (int)_random.NextBelow(ListRecorderCount)].Connection;

    /// <summary>Rare things: a client vanishes, its connection breaks, or it ends its side.</summary>
    private void Disturb()
    {
        // Of each checked history only one client may vanish: unknown results cost the check most.
        if (RandomConnected() is not { } client || (client.History is not null
            && ((client != _clients[0] && client != _clients[RecorderCount]) || _random.NextBelow(4) != 0)))
            return;
        switch (_random.NextBelow(3))
        {
            case 0:
                client.Connection!.IsBroken = true;
                return;
            case 1:
                client.Connection!.IsEnded = true;
                return;
        }

        _server.Vanish(client.Connection!);
        client.Forget();
    }

    private void Drain()
    {
        _server.ReleaseStripes();
        // Quiet takes one more step: a message to a client that subscribed meanwhile may still be in a loop's
        // mailbox.
        for (int step = 0, doneCount = 0; step < DrainStepCount; step++)
        {
            doneCount = IsDone() ? doneCount + 1 : 0;
            if (doneCount == 2)
                return;
            Clock.Advance(5000);
            _pauses.Pass(Clock.UnixMicroseconds / 1000);
            foreach (SimulatedClient client in _clients.Where(static client => client.Connection is not null))
                _server.Deliver(client.Connection!, 1 << 20);
            _server.RunAll();
            ReadAll();
            _server.RunSlowLane();
        }

        throw new InvalidDataException("Requests were forgotten: " + string.Join(", ", _clients
            .Where(static client => client.SentCount > 0))
            + (_operator.IsComplete() ? "" : "; a killed client is still connected")
            + $"; {_channels.Missing()}");
    }

    private bool IsDone() =>
        _clients.All(static client => client.SentCount == 0) && _server.IsSlowLaneEmpty
        && _channels.Missing() is null && _operator.IsComplete()
        && _server.Transports.All(static transport => transport.HasSentAll);
}
