using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using Cinnabar.Commands;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Directives;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Files;

namespace Cinnabar.Tests.Support.Engine;

/// <summary>
/// An engine with several loops and sessions in one thread, without sockets and, with a manual clock, without
/// time. Work of the slow lane runs when the loops do. Memory is checked: a leak fails <see cref="Dispose"/>.
/// </summary>
public sealed class TestServer : IDisposable
{
    private const int RoundCountMax = 10_000;

    private readonly ConcurrentQueue<IThreadPoolWorkItem> _slowLane = new();
    private readonly ConcurrentQueue<Func<bool>> _savers = new();
    private readonly List<TestClient> _clients = [];
    private int _portNext = 50_000;

    /// <summary>Makes a server.</summary>
    /// <param name="loopCount">Number of loops.</param>
    /// <param name="clock">Its time; none: the system's.</param>
    /// <param name="configuration">Directives that are not at their defaults.</param>
    public TestServer(int loopCount = 1, Clock? clock = null,
        params ReadOnlySpan<(string Directive, string Value)> configuration)
        : this(Execution.LoopCostNsDefault, loopCount, clock, configuration)
    {
    }

    /// <summary>Makes a server of one loop with the data of a disk.</summary>
    /// <param name="files">The disk.</param>
    /// <param name="clock">Its time.</param>
    /// <param name="configuration">Directives that are not at their defaults.</param>
    public static TestServer On(SimulatedFileSystem files, Clock clock,
        params ReadOnlySpan<(string Directive, string Value)> configuration) =>
        new(files, Execution.LoopCostNsDefault, (1, 0), clock, configuration);

    /// <summary>Loads the data of its disk.</summary>
    /// <returns>What has prevented that; null: nothing.</returns>
    public Exception? Load()
    {
        Exception? fault = null;
        Engine.Loading.Prepare();
        Engine.Loading.Begin(ended => fault = ended);
        return fault;
    }

    /// <summary>Makes a server with another limit of what is too long for a loop.</summary>
    /// <param name="loopCostNsMax">What a command may cost there, in nanoseconds.</param>
    /// <param name="loopCount">Number of loops.</param>
    /// <param name="clock">Its time; none: the system's.</param>
    /// <param name="configuration">Directives that are not at their defaults.</param>
    public TestServer(long loopCostNsMax, int loopCount, Clock? clock,
        params ReadOnlySpan<(string Directive, string Value)> configuration)
        : this(new SimulatedFileSystem(), loopCostNsMax, (loopCount, 0), clock, configuration)
    {
    }

    /// <summary>Makes a server whose scripts run again wherever they can.</summary>
    /// <param name="interval">Every so manyth command that a script calls makes it run again.</param>
    /// <param name="loopCount">Number of loops.</param>
    /// <param name="clock">Its time; none: the system's.</param>
    public static TestServer Rerunning(int interval, int loopCount = 1, Clock? clock = null) =>
        new(new SimulatedFileSystem(), Execution.LoopCostNsDefault, (loopCount, interval), clock, []);

    private TestServer(SimulatedFileSystem files, long loopCostNsMax, (int Loops, int RerunInterval) counts,
        Clock? clock, ReadOnlySpan<(string Directive, string Value)> configuration)
    {
        Files = files;
        Configuration = new ConfigurationRegistry();
        Configuration.Override("save", "");
        Files.CreateDirectory(System.IO.Directory.GetCurrentDirectory());
        foreach ((string directive, string value) in configuration)
            Configuration.Override(directive, value);
        Engine = new ServerEngine(new ServerOptions
        {
            Configuration = Configuration,
            Log = Log,
            LoopCount = counts.Loops,
            IsMemoryChecked = true,
            Clock = clock ?? new SystemClock(),
            RandomSeed = Seeded.Seed(),
            SlowLaneScheduler = _slowLane.Enqueue,
            SaverScheduler = _savers.Enqueue,
            Files = Files,
            LoopCostNsMax = loopCostNsMax,
            ScriptRerunInterval = counts.RerunInterval,
        })
        {
            Faulted = fault => Fault = fault,
        };
        foreach (Loop loop in Engine.Loops)
            loop.Attach(new TestTransport());
    }

    /// <summary>The engine.</summary>
    public ServerEngine Engine { get; }

    /// <summary>Its configuration.</summary>
    public ConfigurationRegistry Configuration { get; }

    /// <summary>Its disk, in memory.</summary>
    public SimulatedFileSystem Files { get; }

    /// <summary>Whether what a snapshot has waits to be written until this is false again.</summary>
    public bool IsSaverHeld { get; set; }

    /// <summary>Its log.</summary>
    public TestLog Log { get; } = new();

    /// <summary>A fault of the engine's own, if there was one.</summary>
    public Exception? Fault { get; private set; }

    /// <summary>Expects a fault: the engine is used on after it.</summary>
    /// <returns>The fault; null: there was none.</returns>
    public Exception? TakeFault()
    {
        Exception? fault = Fault;
        Fault = null;
        return fault;
    }

    /// <summary>Whether what is submitted to the slow lane waits until this is false again.</summary>
    public bool IsSlowLaneHeld { get; set; }

    /// <summary>Opens a session.</summary>
    /// <param name="loop">Index of its loop.</param>
    /// <param name="protocol">2 or 3.</param>
    public TestClient Connect(int loop = 0, int protocol = 2)
    {
        int port = _portNext++;
        var endpoint = new SessionEndpoint(
            $"127.0.0.1:{port}", "127.0.0.1:6379", port, ConnectionKind.Tcp, IsLoopback: true);
        TestClient client = Connect(loop, endpoint);
        if (protocol == 3)
            client.Call("HELLO", "3");
        return client;
    }

    /// <summary>Opens a session of an endpoint; a refusal is the client's only output.</summary>
    public TestClient Connect(int loop, SessionEndpoint endpoint)
    {
        var client = new TestClient(this, Engine.Loops[loop]);
        Session? session = Engine.Loops[loop].OpenSession(endpoint, out ReadOnlySpan<byte> refusal);
        if (session is null)
        {
            client.TakeOutput(refusal);
            client.IsClosed = true;
            return client;
        }

        session.TransportState = client;
        client.Session = session;
        _clients.Add(client);
        return client;
    }

    /// <summary>Lets a second and more pass, with what the journal and the loops have to do in it.</summary>
    /// <param name="clock">The server's clock.</param>
    public void Settle(ManualClock clock)
    {
        for (int step = 0; step < 12; step++)
        {
            clock.Advance(microseconds: 100_000);
            Engine.Data.Journal.Step();
            Run();
        }
    }

    /// <summary>Runs all loops until nothing is left to do.</summary>
    public void Run()
    {
        for (int round = 0; round < RoundCountMax; round++)
        {
            bool isBusy = Turn();
            foreach (Loop loop in Engine.Loops)
            {
                isBusy |= loop.BeginWait() == 0;
                loop.EndWait();
            }

            if (!isBusy)
                return;
        }

        throw new InvalidOperationException($"the loops find no rest in {RoundCountMax} rounds");
    }

    /// <summary>Gives all loops what they have room for and runs each once, then the slow lane.</summary>
    /// <returns>Whether there was input, or work of the slow lane.</returns>
    public bool Turn()
    {
        bool isBusy = false;
        foreach (TestClient client in _clients)
            isBusy |= client.Feed();
        foreach (Loop loop in Engine.Loops)
            loop.Turn();
        while (!IsSlowLaneHeld && _slowLane.TryDequeue(out IThreadPoolWorkItem? item))
        {
            item.Execute();
            isBusy = true;
        }

        isBusy |= StepSaver();
        Check();
        return isBusy;
    }

    /// <summary>Has a saver do what it can do now.</summary>
    /// <returns>Whether it has ended; else it goes on when the loops have copied more.</returns>
    public bool StepSaver()
    {
        if (IsSaverHeld || !_savers.TryDequeue(out Func<bool>? step))
            return false;
        if (!step())
            return true;
        _savers.Enqueue(step);
        return false;
    }

    /// <summary>Gives one loop what it has room for and runs it once; not the slow lane.</summary>
    public void TurnLoop(int index)
    {
        Loop loop = Engine.Loops[index];
        foreach (TestClient client in _clients)
        {
            if (client.Loop == loop)
                client.Feed();
        }

        loop.Turn();
        Check();
    }

    /// <summary>Runs what has come to the slow lane first.</summary>
    /// <returns>Whether there was something.</returns>
    public bool StepSlowLane()
    {
        if (!_slowLane.TryDequeue(out IThreadPoolWorkItem? item))
            return false;
        item.Execute();
        Check();
        return true;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (TestClient client in _clients)
            client.Disconnect();
        IsSlowLaneHeld = IsSaverHeld = false;
        Run();
        Engine.Dispose();
        string[] leaks = Engine.Keyspace.Pages.LeakReport();
        if (leaks.Length > 0)
            throw new InvalidOperationException($"the engine leaks: {string.Join("; ", leaks)}");
    }

    private void Check()
    {
        if (Fault is not null)
            throw new InvalidOperationException("the engine failed", Fault);
    }
}
