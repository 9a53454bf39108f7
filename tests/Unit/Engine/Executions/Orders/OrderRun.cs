// A server that runs all commands in steps, where it can, and one that runs each command at once: each
// command that takes effect in the first is given to the second at that moment. The steps run one by one, in
// random order, so the moment of a command's effect is known: when the slow lane has finished it, or else
// when its loop has replied.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Engine.Executions;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;

namespace Cinnabar.Tests.Unit.Engine.Executions.Orders;

/// <summary>One random run of some clients.</summary>
internal sealed class OrderRun : IDisposable
{
    private const int LoopCount = 3;
    private const int StepCount = 2500;
    private const int LastStepCountMax = 10_000;

    private static readonly (string, string)[] s_configuration =
    [
        ("list-max-listpack-size", "4"), ("zset-max-listpack-entries", "3"),
        ("set-max-listpack-entries", "3"), ("set-max-intset-entries", "3"),
        ("enable-debug-command", "yes"),
    ];

    private readonly ManualClock _clock = new();
    private readonly TestServer _server;
    private readonly TestServer _oracle;
    private readonly TestClient _admin;
    private readonly OrderCommands _commands;
    private readonly List<OrderPeer> _peers = [];

    // Those that have left while their command was under way.
    private readonly List<OrderPeer> _ghosts = [];
    private RandomSource _random;
    private bool _isPaused;

    /// <summary>Makes it.</summary>
    public OrderRun(ulong seed)
    {
        _random = new RandomSource(seed);
        _server = new TestServer(loopCostNsMax: -1, LoopCount, _clock, s_configuration);
        _oracle = new TestServer(loopCostNsMax: long.MaxValue, 1, _clock, s_configuration);
        _commands = new OrderCommands(seed);
        _admin = _server.Connect(0);
        for (int loop = 0; loop < LoopCount; loop++)
            _peers.Add(Connect(loop));
    }

    /// <summary>How many commands have happened.</summary>
    public int CommandCount { get; private set; }

    /// <summary>How many of them replied errors.</summary>
    public int ErrorCount { get; private set; }

    /// <summary>How many the slow lane was through with.</summary>
    public int CompletedCount { get; private set; }

    /// <summary>How often a result was built without keys.</summary>
    public int BuiltCount { get; private set; }

    /// <summary>How often one was to be built again.</summary>
    public int AgainCount { get; private set; }

    /// <summary>Runs it.</summary>
    public void Run()
    {
        _server.IsSlowLaneHeld = true;
        for (int step = 0; step < StepCount; step++)
            Step();
        if (_isPaused)
            Pause(false);
        for (int step = 0; _peers.Any(static peer => peer.IsWaiting); step++)
        {
            if (step == LastStepCountMax)
                throw new InvalidDataException($"no end: {string.Join("; ", _peers)}");
            RunSome();
        }

        _server.IsSlowLaneHeld = false;
        _server.Run();
        string left = _admin.Run("DEBUG DIGEST");
        string expected = _oracle.Connect().Run("DEBUG DIGEST");
        if (left != expected)
            throw new InvalidDataException($"what is left is {left}, not {expected}");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _server.Dispose();
        _oracle.Dispose();
    }

    private int Below(int end) => (int)_random.NextBelow((ulong)end);

    private OrderPeer Connect(int loop) => new(_server.Connect(loop), _oracle.Connect(), loop);

    private void Step()
    {
        OrderPeer peer = _peers[Below(_peers.Count)];
        switch (Below(60))
        {
            case 0:
                Pause(!_isPaused);
                break;
            case 1:
                Leave(peer);
                break;
            case 2:
                _clock.Advance(Below(4000));
                break;
            case < 20 when !peer.IsWaiting:
                peer.Send(_commands.Make(peer.IsQueueing));
                break;
            default:
                RunSome();
                break;
        }
    }

    private void RunSome()
    {
        if (Below(2) == 0)
            RunLane();
        else
            RunLoop(Below(LoopCount));
    }

    // A command held in the lane takes effect when the lane has finished it.
    private void RunLane()
    {
        if (!_server.StepSlowLane())
            return;
        foreach (OrderPeer peer in _peers.Concat(_ghosts))
        {
            if (!peer.HasSent)
                continue;
            BuiltCount += peer.IsBuilt ? 1 : 0;
            AgainCount += peer.HasHeldKeys ? 1 : 0;
            if (!peer.IsCompleted)
                continue;
            CompletedCount++;
            peer.Happen(_oracle);
        }
    }

    private void RunLoop(int loop)
    {
        _server.TurnLoop(loop);
        OrderPeer peer = _peers[loop];
        if (peer.Client.Shown() is not { Length: > 0 } reply)
            return;
        // A transaction whose keys have changed keeps none of its commands, as in Redis: its EXEC writes
        // nothing.
        if (_isPaused && peer.HasSent && peer.IsWriting && reply != "_")
            throw new InvalidDataException($"in a pause: {peer}");
        if (peer.HasSent)
            peer.Happen(_oracle);
        peer.Check(reply);
        CommandCount++;
        ErrorCount += reply[0] == '-' ? 1 : 0;
    }

    private void Pause(bool isPaused)
    {
        _isPaused &= isPaused;
        if (isPaused)
            _admin.Send("CLIENT", "PAUSE", "1000000000", "WRITE");
        else
            _admin.Send("CLIENT", "UNPAUSE");
        RunLoop(0);
        string reply = _admin.Shown();
        if (reply != "+OK")
            throw new InvalidDataException($"a pause: {reply}");
        _isPaused = isPaused;
    }

    private void Leave(OrderPeer peer)
    {
        peer.Client.Disconnect();
        if (peer.HasSent)
            _ghosts.Add(peer);
        _peers[peer.Loop] = Connect(peer.Loop);
    }
}
