// Snapshots and the append-only file under simulation. Clients change keys of every type on several loops,
// while snapshots are taken and rewrites begun; savers, the walks of the loops, the thread of the append-only
// file and the slow lane do their steps when chance says so. Few bytes are enough to make writers wait.
//
// At the moment of a snapshot all keys are collected, by a scan that knows nothing of snapshots. Its file,
// when it gets its name, must have these keys, byte for byte, each once. In the end the data are saved once
// more, and what a server loads of the append-only file must be what one loads of that save.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Commands;
using Cinnabar.Engine.Gates;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Simulation.Types;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;

namespace Cinnabar.Tests.Simulation.Snapshots;

/// <summary>One simulation. Where it fails its engine is left as it is.</summary>
internal sealed class SnapshotSimulator
{
    private const int StepCount = 3000;
    private const int DrainStepCountMax = 20_000;
    private const int WriterCount = 5;
    private const int RequestsUnderWayMax = 3;
    private const int FirstPort = 1000;
    private const int ShownLineCount = 8;

    private static readonly long[] s_loopCostsNsMax = [-1, 3000, Execution.LoopCostNsDefault];

    private readonly Dice _dice;
    private readonly SimulatedDisk _disk;
    private readonly SimulatedServer _server;
    private readonly SlowWalk.Budget _walk = new();
    private readonly List<SimulatedClient> _clients = [];
    private readonly PauseModel _pauses = new();
    private readonly SnapshotWrites _populating;
    private readonly bool _losesPreImages;
    private Dictionary<string, string>? _expected;
    private int _port = FirstPort;

    /// <summary>Makes a simulation of a seed.</summary>
    /// <param name="seed">The seed.</param>
    /// <param name="losesPreImages">For the canary: a stripe's changes are not noticed.</param>
    public SnapshotSimulator(ulong seed, bool losesPreImages = false)
    {
        _dice = new Dice(seed);
        _losesPreImages = losesPreImages;
        _disk = new SimulatedDisk
        {
            Bounds = new SnapshotOptions
            {
                BacklogBytesMax = _dice.Pick(4 << 10, 64 << 10, 16 << 20),
                WalkBytesMax = _dice.Pick(1, 64 << 10, 4 << 20),
            },
            Taken = Collect,
        };
        _disk.Files.Changing = Look;
        _disk.Files.CreateDirectory(Directory.GetCurrentDirectory());
        _server = new SimulatedServer(_dice.Next(),
            new SimulationOptions { ScriptRerunInterval = _dice.Pick(0, 3, 7) }, s_loopCostsNsMax, _disk,
            ("rdbcompression", "no"), ("enable-debug-command", "yes"),
            ("appendonly", _dice.Pick("yes", "no")), ("appendfsync", _dice.Pick("always", "everysec", "no")),
            ("save", _dice.Pick("", "3600 1000000")));
        _server.Engine.Loading.Prepare();
        _server.Engine.Loading.Begin(Loaded);
        _populating = new SnapshotWrites(_dice.Next(), populates: true);
        Add(_populating);
        for (int count = 1; count < WriterCount; count++)
            Add(new SnapshotWrites(_dice.Next(), populates: false));
        Add(new SnapshotOperator(_dice.Next()));
    }

    /// <summary>How many files were compared with their moment.</summary>
    public int FileCount { get; private set; }

    /// <summary>How many of them were bases of the append-only file.</summary>
    public int BaseCount { get; private set; }

    /// <summary>How many times an append-only file was loaded and compared.</summary>
    public int LoadCount { get; private set; }

    /// <summary>Whether writers have waited for a saver.</summary>
    public bool HasHeldWriters { get; private set; }

    /// <summary>Replies that were read.</summary>
    public long ReplyCount => _clients.Sum(static client => (long)client.ReplyCount);

    /// <summary>Runs it to its end.</summary>
    /// <exception cref="InvalidDataException">A file is wrong.</exception>
    public void Run()
    {
        Connect(_clients[0]);
        while (!_populating.IsPopulated)
            _clients[0].Send();
        Drain();
        for (int step = 0; step < StepCount; step++)
            Step();
        Drain();
        Compare();
        _server.CloseAll();
        _server.DisposeAndCheck();
    }

    private static void Loaded(Exception? fault)
    {
        if (fault is not null)
            throw new InvalidDataException("It cannot load its files.", fault);
    }

    private void Add(IWorkload workload) =>
        _clients.Add(new SimulatedClient(_server.RandomLoop(), workload, _pauses));

    private void Step()
    {
        switch (_dice.Below(20))
        {
            case < 5:
                Ask();
                break;
            case < 9:
                Deliver();
                break;
            case < 13:
                _server.TryTurn(_server.RandomLoop());
                break;
            case 13:
                _server.DrainSome(1 + _dice.Below(_dice.OneIn(3) ? 100_000 : 300));
                break;
            case 14:
                _server.RunSlowLane();
                break;
            case 15:
                _disk.StepSaver();
                break;
            case 16:
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
            default:
                _server.Clock.Advance(_dice.Below(_dice.OneIn(10) ? 400_000 : 3000));
                break;
        }

        HasHeldWriters |= _server.Engine.Gates.Has(ServerGates.WritesHeld);
        ReadAll();
    }

    private void Connect(SimulatedClient client) =>
        client.Connection = _server.Transports[client.Loop].Open($"127.0.0.1:{_port++}");

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
        foreach (SimulatedClient client in _clients)
        {
            if (client.Connection is not { } connection)
                continue;
            client.Read();
            if (connection.IsClosed)
                throw new InvalidDataException($"A client was sent away: {client}");
        }
    }

    // The moment of a snapshot, under all stripes. Its walks go on when the simulation says so.
    private void Collect()
    {
        using var collector = new EntryCollector();
        collector.CollectAll(_server.Engine.Keyspace);
        _expected = collector.Entries;
        _walk.Left = 0;
        SlowWalk.SlowDown(_server.Engine.Keyspace, _walk);
        if (!_losesPreImages)
            return;
        foreach (Keyspace.Stripe stripe in _server.Engine.Keyspace.Stripes)
            stripe.Guard = null;
    }

    // Before an operation of the disk: a file that gets its name is complete.
    private bool Look(string operation, string path)
    {
        string name = Path.GetFileName(path);
        bool isBase = name == $"temp-rewriteaof-{Environment.ProcessId}.aof";
        if (operation != "rename" || (!isBase && name != $"temp-{Environment.ProcessId}.rdb"))
            return true;
        byte[] bytes = _disk.Files.Read(path);
        if (isBase && !bytes.AsSpan().StartsWith("REDIS"u8))
            return true;
        Dictionary<string, string> expected =
            _expected ?? throw new InvalidDataException("a file of no moment");
        _expected = null;
        EntryCollector.Compare(expected, RdbFileEntries.Of(bytes));
        FileCount++;
        BaseCount += isBase ? 1 : 0;
        return true;
    }

    // Answers all that was asked; ends all that is being written.
    private void Drain()
    {
        _server.ReleaseStripes();
        for (int step = 0, quietCount = 0; step < DrainStepCountMax; step++)
        {
            _walk.Left = int.MaxValue;
            quietCount = IsQuiet() ? quietCount + 1 : 0;
            if (quietCount == 3)
                return;
            _server.Clock.Advance(20_000);
            foreach (SimulatedClient client in _clients.Where(static client => client.Connection is not null))
                _server.Deliver(client.Connection!, 1 << 20);
            _server.RunAll();
            _server.RunSlowLane();
            _disk.StepSaver();
            _server.Engine.Data.Journal.Step();
            ReadAll();
        }

        throw new InvalidDataException("Requests were forgotten: "
            + string.Join(", ", _clients.Where(static client => client.SentCount > 0))
            + $"; savers {!_disk.IsIdle}, rewrite {_server.Engine.Data.Rewrites.IsUnderWay}");
    }

    private bool IsQuiet() => _clients.TrueForAll(static client => client.SentCount == 0) && _disk.IsIdle
        && _server.Engine.Data.Rewrites is { IsUnderWay: false, IsScheduled: false, LacksBase: false }
        && !_server.Engine.Data.Saves.IsScheduled && _server.IsQuiet
        && _server.Engine.Data.AppendOnly.IsWanted == _server.Engine.Data.Journal.IsOn;

    // The last save is the data, as Look has found. So must be what the append-only file makes.
    private void Compare()
    {
        SimulatedClient client = _clients[0];
        int saveCount = FileCount - BaseCount;
        client.Send(Request.Any(["SAVE"]));
        Drain();
        if (FileCount - BaseCount != saveCount + 1)
            throw new InvalidDataException("The last save has made no file.");
        if (!_server.Engine.Data.Journal.IsOn)
            return;
        LoadCount++;
        List<string> saved = Load("no");
        List<string> recorded = Load("yes");
        if (!saved.SequenceEqual(recorded))
        {
            throw new InvalidDataException("The append-only file is not the data. Saved:\n"
                + Some(saved.Except(recorded)) + "\nrecorded:\n" + Some(recorded.Except(saved)));
        }
    }

    private static string Some(IEnumerable<string> lines) =>
        string.Join('\n', lines.Take(ShownLineCount).Select(Request.Short));

    private List<string> Load(string isAppendOnly)
    {
        using TestServer server = TestServer.On(_disk.Files.AfterKill(), _server.Clock,
            ("appendonly", isAppendOnly), ("enable-debug-command", "yes"));
        server.Engine.Loading.Prepare();
        server.Engine.Loading.Begin(Loaded);
        server.Run();
        TestClient client = server.Connect();
        return DataText.Of(words => client.Call(words), DataDetail.Whole);
    }
}
