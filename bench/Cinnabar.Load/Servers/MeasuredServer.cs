using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net;
using System.Threading;
using Cinnabar.Load.Sockets;

namespace Cinnabar.Load.Servers;

/// <summary>A server that answers: one started on a free port, on Linux optionally on given cores, or one
/// that was running. Disposing stops only a started one.</summary>
public sealed class MeasuredServer : IDisposable
{
    private const int StartMsMax = 60_000;
    private const int StopMsMax = 20_000;
    private const int SignalTerminate = 15;
    private const int LineCountMax = 100;
    private static readonly TimeSpan s_startPause = TimeSpan.FromMicroseconds(500);
    // A server that loads its data has better things to do than to refuse commands.
    private static readonly TimeSpan s_loadingPause = TimeSpan.FromMilliseconds(5);
    private readonly Queue<string> _lines = new();
    private readonly Process? _process;
    private readonly string? _folder;
    private readonly ReservedPort? _port;
    private bool _isStarted;

    private MeasuredServer(ServerSpec spec, IReadOnlyList<int> cores)
    {
        Spec = spec;
        if (spec.Address is not null)
        {
            Address = spec.Address;
            return;
        }
        _port = new ReservedPort();
        Address = new ServerAddress("127.0.0.1", _port.Number);
        if (spec.Folder is null || spec.HasSocket)
            _folder = Directory.CreateTempSubdirectory("cinnabar-bench-").FullName;
        string socket = Path.Combine(_folder ?? "", "socket");
        if (spec.HasSocket) UnixAddress = new ServerAddress(UnixSocket: socket);
        var words = new List<string>(spec.Words(Address.Port, socket));
        if (OperatingSystem.IsLinux() && cores.Count > 0)
            words.InsertRange(0, ["taskset", "-c", string.Join(',', cores)]);
        var start = new ProcessStartInfo(words[0], words[1..])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = spec.Folder ?? _folder,
        };
        foreach ((string name, string value) in spec.Environment) start.Environment[name] = value;
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += Keep;
        _process.ErrorDataReceived += Keep;
    }

    /// <summary>Which server this is.</summary>
    public ServerSpec Spec { get; }

    /// <summary>Where it listens.</summary>
    public ServerAddress Address { get; }

    /// <summary>Its unix socket, if it was started with one.</summary>
    public ServerAddress? UnixAddress { get; }

    /// <summary>How long it took from the start of its process to its first answer; null for one that was
    /// running.</summary>
    public TimeSpan? StartTime { get; private set; }

    /// <summary>Its process's usage; null for one on another machine, or whose process is not
    /// known.</summary>
    public ProcessUsage? Usage { get; private set; }

    /// <summary>The version that it reports; empty if it reports none.</summary>
    public string Version { get; private set; } = "";

    /// <summary>Starts a server, or finds a running one, and waits until it answers PING.</summary>
    /// <exception cref="LoadException">It ended, or did not answer within a minute.</exception>
    public static MeasuredServer Start(ServerSpec spec, IReadOnlyList<int> cores,
        SessionOptions? session = null)
    {
        var server = new MeasuredServer(spec, cores);
        try
        {
            server.Start();
            server.Identify(session ?? new SessionOptions());
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <summary>A connection for questions; to be disposed of.</summary>
    /// <exception cref="LoadException">The server cannot be reached.</exception>
    public ServerLink Link(SessionOptions? session = null) => new(Address, session ?? new SessionOptions());

    /// <summary>The last lines that a started server printed.</summary>
    public string[] LastLines()
    {
        lock (_lines) return [.. _lines];
    }

    /// <summary>Moves what saves in the background, which are children and threads of a name, to a core where
    /// it gets the time that others leave. Linux only.</summary>
    /// <returns>How many threads that were.</returns>
    /// <exception cref="LoadException">The system refuses, or the process is not known.</exception>
    public int MoveSavers(string threadName, int core)
    {
        if (Usage is null) throw new LoadException($"{Spec.Name} is no process of this machine");
        IReadOnlyList<int> threads = Usage.ThreadsBeside(threadName);
        foreach (int thread in threads) ProcessorPin.YieldOn(thread, core);
        return threads.Count;
    }

    /// <summary>Sends a signal to a started server.</summary>
    public void Signal(int number)
    {
        if (_process is not null && OperatingSystem.IsLinux()) _ = LibC.kill(_process.Id, number);
    }

    public void Dispose()
    {
        if (_process is null) return;
        if (_isStarted && !_process.HasExited)
        {
            if (OperatingSystem.IsWindows()) _process.Kill();
            else _ = LibC.kill(_process.Id, SignalTerminate);
            if (!_process.WaitForExit(StopMsMax)) _process.Kill(entireProcessTree: true);
            _process.WaitForExit();
        }
        _process.Dispose();
        _port?.Dispose();
        if (_folder is not null) Directory.Delete(_folder, recursive: true);
    }

    private void Start()
    {
        long start = Stopwatch.GetTimestamp();
        if (_process is not null)
        {
            _isStarted = _process.Start();
            _process.BeginOutputReadLine();
            _process.BeginErrorReadLine();
            Usage = new ProcessUsage(_process.Id);
        }
        for (StartStage stage; (stage = Stage()) != StartStage.Answering;)
        {
            bool isOver = Stopwatch.GetElapsedTime(start).TotalMilliseconds > StartMsMax;
            if (_process is null) throw new LoadException($"{Spec.Name} does not answer at {Address}");
            if (_process.HasExited || isOver)
                throw new LoadException($"{Spec.Name} does not start: {string.Join(" | ", LastLines())}");
            Thread.Sleep(stage == StartStage.Loading ? s_loadingPause : s_startPause);
        }
        if (_process is not null) StartTime = Stopwatch.GetElapsedTime(start);
    }

    // Any answer will do except LOADING: a server may want a password.
    private StartStage Stage()
    {
        try
        {
            using var link = new ServerLink(Address, new SessionOptions());
            return link.Ask("PING") is not null ? StartStage.Answering : StartStage.Silent;
        }
        catch (LoadException failure)
        {
            if (!failure.Message.Contains("answered an error", StringComparison.Ordinal))
                return StartStage.Silent;
            return failure.Message.Contains("LOADING", StringComparison.Ordinal) ? StartStage.Loading
                : StartStage.Answering;
        }
    }

    private void Identify(SessionOptions session)
    {
        using ServerLink link = Link(session);
        try
        {
            Version = link.Info("cinnabar_version") ?? link.Info("valkey_version")
                ?? link.Info("redis_version") ?? "";
            bool isLocal = _process is null && Address.UnixSocket is not null
                || IPAddress.TryParse(Address.Host, out IPAddress? host) && IPAddress.IsLoopback(host)
                || Address.Host == "localhost";
            if (Usage is null && isLocal && int.TryParse(link.Info("process_id"),
                CultureInfo.InvariantCulture, out int process) && Directory.Exists($"/proc/{process}"))
                Usage = new ProcessUsage(process);
        }
        catch (LoadException)
        {
            Version = ""; // A server that has no INFO is measured all the same.
        }
    }

    private void Keep(object sender, DataReceivedEventArgs output)
    {
        if (output.Data is null) return;
        lock (_lines)
        {
            _lines.Enqueue(output.Data);
            if (_lines.Count > LineCountMax) _lines.Dequeue();
        }
    }
}
