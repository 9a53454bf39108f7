using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Directives;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;
using Cinnabar.Tests.Simulation.Snapshots;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>An engine in one thread: its loops, their transports, its slow lane, its clock, and another
/// holder of stripes. The caller decides which of them does the next step.</summary>
internal sealed class SimulatedServer
{
    private const int HeldStripeCountMax = 3;
    private const int ClosingRoundCount = 100;

    private readonly SilentLog _log = new();
    private readonly List<IThreadPoolWorkItem> _slowLane = [];
    private readonly List<Stripe> _held = [];
    private RandomSource _random;

    /// <summary>Makes it from a seed.</summary>
    /// <param name="seed">The number of loops and stripes comes from it, too.</param>
    /// <param name="options">What is wrong on purpose.</param>
    /// <param name="loopCostsNsMax">What commands may cost on a loop: one of these.</param>
    /// <param name="disk">Its disk; null: it uses none.</param>
    /// <param name="configuration">Directives that are not at their defaults.</param>
    public SimulatedServer(ulong seed, SimulationOptions options, long[] loopCostsNsMax, SimulatedDisk? disk,
        params ReadOnlySpan<(string Directive, string Value)> configuration)
    {
        _random = new RandomSource(seed);
        var registry = new ConfigurationRegistry();
        registry.Override("save", "");
        foreach ((string directive, string value) in configuration)
            registry.Override(directive, value.Split(' '));
        Engine = new ServerEngine(new ServerOptions
        {
            Configuration = registry,
            Log = _log,
            Clock = Clock,
            LoopCount = 1 + Below(4),
            StripeCount = 1 << (1 + Below(5)),
            IsMemoryChecked = true,
            RandomSeed = _random.Next(),
            SlowLaneScheduler = _slowLane.Add,
            LoopCostNsMax = loopCostsNsMax[Below(loopCostsNsMax.Length)],
            Files = disk?.Files ?? FileSystem.System,
            SaverScheduler = disk is null ? null : disk.Schedule,
            SnapshotBounds = disk?.Bounds ?? new SnapshotOptions(),
            ScriptRerunInterval = options.ScriptRerunInterval,
        });
        Transports = new SimulatedTransport[Engine.LoopCount];
        for (int index = 0; index < Transports.Length; index++)
        {
            Transports[index] =
                new SimulatedTransport(Engine.Loops[index], Clock, _random.Next(), options);
        }
    }

    /// <summary>Its time.</summary>
    public ManualClock Clock { get; } = new();

    /// <summary>The engine.</summary>
    public ServerEngine Engine { get; }

    /// <summary>The loops' transports.</summary>
    public SimulatedTransport[] Transports { get; }

    /// <summary>Whether the slow lane has nothing to do.</summary>
    public bool IsSlowLaneEmpty => _slowLane.Count == 0;

    /// <summary>Called with an execution that the slow lane has just run, before its loop gets it.</summary>
    public Action<SessionExecution>? RanInSlowLane { get; set; }

    /// <summary>Whether loops, connections and slow lane have nothing to do now, CLIENT PAUSE holds no client
    /// back, and all flushed memory is free.</summary>
    public bool IsQuiet => IsSlowLaneEmpty && !Engine.Gates.Has(ServerGates.Paused)
        && !Engine.Keyspace.HasDetached && Array.TrueForAll(Transports, static transport =>
        !transport.IsDue && transport.HasSentAll && transport.Connections.TrueForAll(static connection =>
            connection.IsClosed || connection.InboundCount == 0 || !connection.IsReading));

    /// <summary>A loop's number.</summary>
    public int RandomLoop() => Below(Engine.LoopCount);

    /// <summary>Runs a turn of a loop, if one is due.</summary>
    public bool TryTurn(int loop)
    {
        if (!Transports[loop].IsDue)
            return false;
        Transports[loop].Turn();
        int target = RandomLoop();
        if (target != loop && Below(4) == 0)
            Engine.Loops[loop].GiveSessions(Engine.Loops[target], 0.5 + (0.5 * Below(2)), long.MaxValue / 2);
        return true;
    }

    /// <summary>Delivers some of what a client has sent, to the loop that its session is on; nothing while
    /// that moves.</summary>
    public void Deliver(SimulatedConnection connection, int byteCountMax)
    {
        if (!connection.Session.IsMoving)
            Transports[connection.Session.Loop.Index].Deliver(connection, byteCountMax);
    }

    /// <summary>Makes room in the send buffer of a connection; nothing while its session moves.</summary>
    public void Drain(SimulatedConnection connection, long byteCount)
    {
        if (!connection.Session.IsMoving && !connection.IsStalled)
            Transports[connection.Session.Loop.Index].Drain(connection, byteCount);
    }

    /// <summary>Lets a client vanish.</summary>
    public void Vanish(SimulatedConnection connection)
    {
        SimulatedTransport transport = Transports[connection.Session.Loop.Index];
        if (connection.Session.IsMoving)
            transport.Turn();
        transport.Vanish(connection);
    }

    /// <summary>Makes room in the send buffer of one of the connections.</summary>
    public void DrainSome(long byteCount)
    {
        SimulatedTransport transport = Transports[RandomLoop()];
        if (transport.Connections.Count > 0)
            Drain(transport.Connections[Below(transport.Connections.Count)], byteCount);
    }

    /// <summary>Runs every loop that is due, and sends all that waits to be sent.</summary>
    public void RunAll()
    {
        for (int loop = 0; loop < Transports.Length; loop++)
        {
            TryTurn(loop);
            foreach (SimulatedConnection connection in Transports[loop].Connections.ToArray())
                Drain(connection, 1 << 20);
        }
    }

    /// <summary>Runs one item of the slow lane.</summary>
    public void RunSlowLane()
    {
        if (_slowLane.Count == 0)
            return;
        int index = Below(_slowLane.Count);
        IThreadPoolWorkItem item = _slowLane[index];
        _slowLane.RemoveAt(index);
        item.Execute();
        if (item is SessionExecution execution)
            RanInSlowLane?.Invoke(execution);
    }

    /// <summary>Takes a stripe and holds it.</summary>
    public void HoldStripe()
    {
        ReadOnlySpan<Stripe> stripes = Engine.Keyspace.Stripes;
        Stripe stripe = stripes[Below(stripes.Length)];
        if (_held.Count < HeldStripeCountMax && stripe.Lock.TryEnter())
            _held.Add(stripe);
    }

    /// <summary>Releases a stripe that it holds.</summary>
    public void ReleaseStripe()
    {
        if (_held.Count == 0)
            return;
        int index = Below(_held.Count);
        _held[index].Lock.Exit();
        _held.RemoveAt(index);
    }

    /// <summary>Releases all stripes that it holds.</summary>
    public void ReleaseStripes()
    {
        while (_held.Count > 0)
            ReleaseStripe();
    }

    /// <summary>Fails if the server has logged an error.</summary>
    public void CheckLog()
    {
        if (!_log.Faults.IsEmpty)
            throw new InvalidDataException(string.Join('\n', _log.Faults));
    }

    /// <summary>Lets all clients vanish, and checks that none of their work is left.</summary>
    public void CloseAll()
    {
        ReleaseStripes();
        // Some sessions may be on their way.
        foreach (SimulatedTransport transport in Transports)
            transport.Turn();
        foreach (SimulatedTransport transport in Transports)
            transport.VanishAll();

        // Clients that vanished may have left executions behind, which end on their loops.
        for (int round = 0; round < ClosingRoundCount; round++)
        {
            Clock.Advance(5000);
            RunSlowLane();
            foreach (SimulatedTransport transport in Transports)
                transport.Turn();
        }

        CheckLog();
        if (Engine.Sessions.Count != 0 || Transports.Any(static one => !one.Loop.Sessions.All.IsEmpty))
            throw new InvalidDataException("A client that is gone has a session.");
        if (Engine.Keyspace.Stripes.ToArray().Any(static stripe => stripe.Lock.IsHeld) || !IsSlowLaneEmpty)
            throw new InvalidDataException("Something still runs or holds a stripe.");
        if (!Engine.Waits.IsEmpty || Engine.Waits.KeyCount != 0 || Engine.Waits.EndingKeyCount != 0)
            throw new InvalidDataException("A client that is gone waits for a key.");
        if (Engine.Keyspace.Stripes.ToArray().Any(static stripe =>
            (stripe.Interests & StripeInterests.Watches) != 0))
            throw new InvalidDataException("A client that is gone watches a key.");
        if (Engine.Channels.ChannelCount > 0 || Engine.Channels.PatternCount > 0)
            throw new InvalidDataException("A client that is gone is subscribed.");
    }

    /// <summary>Disposes the engine and looks for leaks.</summary>
    public void DisposeAndCheck()
    {
        PageSource pages = Engine.Keyspace.Pages;
        Engine.Dispose();
        string leaks = string.Join("; ", pages.LeakReport());
        if (pages.MappedBytes != 0 || leaks.Length > 0)
            throw new InvalidDataException($"{pages.MappedBytes} bytes leaked: {leaks}");
    }

    private int Below(int end) => (int)_random.NextBelow((ulong)end);
}
