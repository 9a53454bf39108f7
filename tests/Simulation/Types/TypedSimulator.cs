// The engine with all types under simulation. Some clients send concurrent commands on the same few keys,
// under all disturbances: their bytes come in pieces, their send buffers are full, they vanish, stripes are
// held, the slow lane is slow, time passes. Then everything runs to its end, until every command has been
// answered or waits for a key (it is quiet), and the model must explain all replies (OrderSearch). This
// repeats on the same keys; now and then all stored data are compared.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Commands;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Simulation.Histories;
using Cinnabar.Tests.Simulation.Simulating;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>One simulation of all types. Where it fails its engine is left as it is.</summary>
internal sealed class TypedSimulator
{
    private const int BatchCount = 60;
    private const int LookInterval = 15;
    private const int IdlePeerCountMin = 4;
    private const int WaitingPeerCountMax = 6;
    private const int FirstPort = 1000;
    private const int QuietRoundCountMax = 20_000;
    private const int StateCountMax = 100;
    private const int EraRoundCount = 130;
    private const long EraRoundUs = 10_000;
    private const long LateMsMax = 20;

    // The cost limits above which commands go to the slow lane.
    private static readonly long[] s_loopCostsNsMax = [0, 0, 300, 3000, Execution.LoopCostNsDefault];

    private static readonly string?[] s_themes =
        [null, "list", "list", "zset", "zset", "stream", "stream", "hash", "set"];

    private readonly Dice _dice;
    private readonly SimulationOptions _options;
    private readonly SimulatedServer _server;
    private readonly Scene _scene;
    private readonly TypedWorkload _workload;
    private readonly List<TypedPeer> _peers = [];
    private readonly Dictionary<TypedPeer, SimulatedClient> _clients = [];
    private readonly PauseModel _pauses = new();
    private List<ModelState> _states = [ModelState.Empty];
    private long _step;
    private long _eraPassedAt;
    private bool _isSlowLaneHeld;
    private int _port = FirstPort;

    /// <summary>Makes a simulation of a seed.</summary>
    public TypedSimulator(ulong seed, SimulationOptions options)
    {
        _dice = new Dice(seed);
        _options = options;
        _server = new SimulatedServer(_dice.Next(), options, s_loopCostsNsMax, disk: null,
            TypedWorkload.Limits(_dice));
        _server.RanInSlowLane = Paths.NoteSlowLane;
        _scene = new Scene(_dice, NowMs);
        _workload = new TypedWorkload(_scene, options);
    }

    /// <summary>Replies that were read.</summary>
    public long ReplyCount => _peers.Sum(static peer => (long)peer.AnsweredCount);

    /// <summary>A digest of all replies of all clients.</summary>
    public ulong ReplyDigest { get; private set; }

    /// <summary>The paths that commands have taken.</summary>
    public TakenPaths Paths { get; } = new();

    private long NowMs => _server.Clock.UnixMicroseconds / 1000;

    /// <summary>Runs it to its end.</summary>
    /// <returns>Whether every order was found, or a search was given up.</returns>
    /// <exception cref="InvalidDataException">The server was wrong.</exception>
    public Verdict Run()
    {
        for (int batch = 1; batch <= BatchCount; batch++)
        {
            RunBatch();
            if (!TryExplain())
                return Verdict.Inconclusive;
            if (batch % LookInterval != 0 && batch != BatchCount)
                continue;
            for (int database = 0; database < Scene.DatabaseCount; database++)
            {
                Look(database);
                if (!TryExplain())
                    return Verdict.Inconclusive;
            }
        }

        Paths.Add("escalation", _server.Engine.Locks.EscalationCount);
        return Verdict.Linearizable;
    }

    /// <summary>Lets the clients go, disposes the engine and looks for what is left of them.</summary>
    public void DisposeAndCheck()
    {
        _server.CloseAll();
        _server.DisposeAndCheck();
    }

    private void RunBatch()
    {
        _eraPassedAt = TypedOperation.Never;
        foreach (TypedPeer peer in _peers.Where(one => !one.IsLost && IsLeaving(one)))
            Vanish(peer);
        while (_peers.Count(static peer => !peer.IsLost && !peer.IsWaiting) < IdlePeerCountMin)
        {
            TypedPeer[] waiting = [.. _peers.Where(static one => one is { IsLost: false, IsWaiting: true })];
            if (waiting.Length >= WaitingPeerCountMax)
                Vanish(_dice.Pick(waiting));
            Connect(_dice.OneIn(6) ? 1 : 0);
        }

        _scene.Theme = _dice.Pick(s_themes);
        TypedPeer[] open = [.. _peers.Where(static peer => !peer.IsLost)];
        TypedPeer[] idle = [.. open.Where(static peer => !peer.IsWaiting)];
        List<(TypedPeer, TypedOperation)> toSend = [];
        for (int count = 1 + _dice.Below(5); count > 0; count--)
        {
            TypedPeer peer = _dice.Pick(open);
            if (peer.IsWaiting && !_dice.OneIn(4))
                peer = _dice.Pick(idle);
            toSend.AddRange(_workload.MakeSome().Select(operation => (peer, operation)));
        }

        _isSlowLaneHeld = _dice.OneIn(4);
        bool passesEra = _dice.OneIn(_isSlowLaneHeld ? 2 : 8);
        bool isDisturbed = _states.Count > StateCountMax || _dice.OneIn(_isSlowLaneHeld ? 2 : 8);
        for (int left = 30 + _dice.Below(60); left > 0 || toSend.Count > 0; left--)
        {
            if (toSend.Count > 0 && _dice.OneIn(4))
            {
                Send(toSend[0].Item1, toSend[0].Item2);
                toSend.RemoveAt(0);
            }

            if (passesEra && _dice.OneIn(_server.IsSlowLaneEmpty ? 60 : 4))
            {
                PassEra();
                passesEra = false;
            }

            if (isDisturbed && _dice.OneIn(30))
            {
                Disturb();
                isDisturbed = _states.Count > StateCountMax;
            }

            Step();
        }

        BecomeQuiet();
    }

    private TypedPeer Connect(int database)
    {
        var peer = new TypedPeer
        {
            Number = _peers.Count,
            Database = database,
            Answered = Note,
        };
        var client = new SimulatedClient(_server.RandomLoop(), peer, _pauses);
        client.Connection = _server.Transports[client.Loop].Open($"127.0.0.1:{_port++}");
        _peers.Add(peer);
        _clients[peer] = client;
        _scene.Peers.Add((peer.Number, client.Connection.Session.Id));
        Send(peer, TypedOperation.Of(
            new TypedCommand(["SELECT", Scene.Text(peer.Database)], static _ => Shown.Ok)));
        return peer;
    }

    private void Send(TypedPeer peer, TypedOperation operation)
    {
        SimulatedClient client = _clients[peer];
        if (peer.IsLost || IsLeaving(peer))
            return;
        operation.SentAt = ++_step;
        operation.SentMs = NowMs;
        peer.Prepare(operation);
        client.Send();
    }

    private void Note(TypedPeer peer, TypedOperation operation)
    {
        operation.ReturnedAt = ++_step;
        operation.ReturnedMs = NowMs;
        ReplyDigest = (ReplyDigest * 31) + Content.DigestOf(operation.Reply!);
        Paths.NoteReply(operation);
    }

    private void Step()
    {
        switch (_dice.Below(20))
        {
            case < 6:
                TypedPeer peer = _dice.Pick(_peers);
                if (!peer.IsLost)
                    Deliver(peer, _dice.OneIn(3) ? 1 << 20 : 1 + _dice.Below(64));
                break;
            case < 12:
                _server.TryTurn(_server.RandomLoop());
                break;
            case < 14:
                _server.DrainSome(1 + _dice.Below(_dice.OneIn(3) ? 100_000 : 300));
                break;
            case < 16 when !_isSlowLaneHeld:
                _server.RunSlowLane();
                break;
            case 16:
                _server.HoldStripe();
                break;
            case 17:
                _server.ReleaseStripe();
                break;
            default:
                _server.Clock.Advance(_dice.Below(3000));
                break;
        }

        Read();
    }

    private void Deliver(TypedPeer peer, int byteCountMax) =>
        _server.Deliver(_clients[peer].Connection!, byteCountMax);

    private void Read()
    {
        _server.CheckLog();
        foreach (TypedPeer peer in _peers)
        {
            if (peer.IsLost)
                continue;
            SimulatedClient client = _clients[peer];
            client.Read();
            Session session = client.Connection!.Session;
            if (client.Connection.IsClosed)
                Lose(peer);
            else if (peer.Unanswered is { } operation && peer.AnsweredCount == peer.Operations.Count - 1
                && operation.BlockedAt == TypedOperation.Never
                && session.Suspended is { State: ExecutionState.Blocked, Waiter.Places.Count: > 0 })
                NoteBlocked(operation);
            Paths.NoteSuspended(session.Suspended);
        }
    }

    private void NoteBlocked(TypedOperation operation)
    {
        operation.BlockedAt = ++_step;
        operation.BlockedMs = NowMs;
        Paths.Add("blocked", 1);
    }

    private void Lose(TypedPeer peer)
    {
        peer.LostAt = ++_step;
        peer.LostFrom = Math.Min(peer.LostFrom, peer.LostAt);
        _scene.Peers.RemoveAll(one => one.Peer == peer.Number);
        _clients[peer].Forget();
        Paths.Add("lost", 1);
    }

    private void Disturb()
    {
        TypedPeer[] open = [.. _peers.Where(static peer => !peer.IsLost)];
        if (open.Length == 0)
            return;
        TypedPeer[] slow = [.. open.Where(IsInSlowLane)];
        TypedPeer peer = _dice.Pick(slow.Length > 0 && _dice.OneIn(2) ? slow : open);
        Paths.Add("lost in the slow lane", IsInSlowLane(peer) ? 1 : 0);
        SimulatedConnection connection = _clients[peer].Connection!;
        peer.LostFrom = Math.Min(peer.LostFrom, ++_step);
        switch (_dice.Below(4))
        {
            case 0:
                connection.IsBroken = true;
                break;
            case 1:
                connection.IsEnded = true;
                break;
            default:
                Vanish(peer);
                break;
        }
    }

    private bool IsLeaving(TypedPeer peer) =>
        _clients[peer].Connection is { IsEnded: true } or { IsBroken: true };

    private bool IsInSlowLane(TypedPeer peer) =>
        _clients[peer].Connection!.Session.Suspended is { State: ExecutionState.InSlowLane };

    private void Vanish(TypedPeer peer)
    {
        _server.Vanish(_clients[peer].Connection!);
        Lose(peer);
    }

    // Only the wall clock, or all time: then what runs for long is overdue.
    private void PassEra()
    {
        _eraPassedAt = ++_step;
        _scene.Era++;
        if (_server.IsSlowLaneEmpty && _dice.OneIn(2))
            _server.Clock.JumpTo(_server.Clock.UnixMicroseconds + (Scene.EraMs * 1000));
        else
            _server.Clock.Advance(Scene.EraMs * 1000);
    }

    private void BecomeQuiet()
    {
        _server.ReleaseStripes();
        // After a change of only the wall clock, loops notice it when they wake up.
        int roundCountMin = _eraPassedAt == TypedOperation.Never ? 0 : EraRoundCount;
        for (int round = 0, quietCount = 0; round < QuietRoundCountMax; round++)
        {
            quietCount = _server.IsQuiet ? quietCount + 1 : 0;
            if (quietCount >= 2 && round >= roundCountMin)
            {
                CheckTimeouts();
                return;
            }

            _server.Clock.Advance(round < roundCountMin ? EraRoundUs : _dice.Below(1000));
            foreach (TypedPeer peer in _peers.Where(static peer => !peer.IsLost))
                Deliver(peer, 1 << 20);
            _server.RunAll();
            _server.RunSlowLane();
            Read();
        }

        throw new InvalidDataException($"It does not become quiet.\n{History()}");
    }

    private void CheckTimeouts()
    {
        foreach (TypedPeer peer in _peers.Where(static peer => !peer.IsLost))
        {
            if (peer.Unanswered is not { } operation)
                continue;
            if (operation.BlockedMs == 0)
                operation.BlockedMs = NowMs;
            if (operation.TimeoutMs > 0 && NowMs > operation.BlockedMs + operation.TimeoutMs + LateMsMax)
                throw new InvalidDataException($"{peer.Number} waits for too long: {operation}\n{History()}");
        }
    }

    private void Look(int database)
    {
        _eraPassedAt = TypedOperation.Never;
        TypedPeer peer = _peers.Find(one => one.Database == database && !one.IsLost && !IsLeaving(one)
            && one.Unanswered is null) ?? Connect(database);
        foreach (TypedCommand command in _workload.Look(_states[0], database))
            Send(peer, TypedOperation.Of(command));
        BecomeQuiet();
    }

    private bool TryExplain()
    {
        TypedPeer[] concerned = [.. _peers.Where(peer => peer.Next < peer.Operations.Count
            || _states.Exists(state => state.WaitOf(peer.Number) is not null))];
        var search = new OrderSearch(concerned)
        {
            EraPassedAt = _eraPassedAt,
            ServesLastFirst = _options.ReversesQueues,
            LostFrom = number => _peers[number].LostFrom,
        };
        List<ModelState> found = search.Find(_states);
        if (search.IsGivenUp)
            return false;
        if (found.Count == 0)
            throw new InvalidDataException($"No order explains:\n{History()}\nBefore:\n{_states[0]}");
        _states = [.. found.Select(state => state.Without(number => _peers[number].IsLost))
            .DistinctBy(static state => state.Digest)];
        Paths.Add("states", found.Count - 1);
        foreach (TypedPeer peer in concerned)
        {
            peer.Next = peer.IsLost || peer.Unanswered is null
                ? peer.Operations.Count
                : peer.AnsweredCount + 1;
        }

        return true;
    }

    private string History() => string.Join('\n', _peers.SelectMany(peer => peer.Operations
            .Skip(Math.Max(peer.Next - 1, 0)).Select(one => (one.SentAt, Text: $"{peer.Number} "
                + $"(database {peer.Database}{(peer.IsLost ? $", lost {peer.LostFrom}" : "")}): {one}")))
        .OrderBy(static one => one.SentAt).Select(static one => one.Text))
        + (_eraPassedAt == TypedOperation.Never ? "" : $"\nera {_scene.Era} from {_eraPassedAt} on")
        + $"\n{_states.Count} states";
}
