using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Cinnabar.Bench.Load;

namespace Cinnabar.Bench.Servers;

/// <summary>A running server on a free port and, on Linux, on a core of its own. Disposing stops
/// it.</summary>
internal sealed class ServerProcess : IDisposable
{
    private const int StartMsMax = 30_000;
    private const int StopMsMax = 10_000;
    private const int SignalTerminate = 15;
    private readonly Process _process;
    private readonly string _folder;
    private bool _isStarted;
    private readonly Queue<string> _lastLines = new();

    private ServerProcess(ServerSpec spec, int core)
    {
        Spec = spec;
        Port = FreePort();
        _folder = Directory.CreateTempSubdirectory("cinnabar-bench-").FullName;
        var words = new List<string>(spec.Words(Port));
        if (OperatingSystem.IsLinux()) words.InsertRange(0, ["taskset", "-c", core.ToString()]);
        var start = new ProcessStartInfo(words[0], words[1..])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = _folder,
        };
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += Keep;
        _process.ErrorDataReceived += Keep;
    }

    /// <summary>What was started.</summary>
    public ServerSpec Spec { get; }

    /// <summary>The port of 127.0.0.1 that the server listens on.</summary>
    public int Port { get; }

    /// <summary>How long the server took from the start of its process to its first answer.</summary>
    public TimeSpan StartTime { get; private set; }

    /// <summary>The server's resident memory, in bytes.</summary>
    public long ResidentBytes
    {
        get
        {
            _process.Refresh();
            return _process.WorkingSet64;
        }
    }

    /// <summary>The processor time that the server has used, in seconds.</summary>
    public double CpuSeconds
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime.TotalSeconds;
        }
    }

    /// <summary>Starts a server and waits until it answers PING (the null server: accepts).</summary>
    /// <exception cref="LoadException">It ended, or did not answer within 30 s.</exception>
    public static ServerProcess Start(ServerSpec spec, int core)
    {
        var server = new ServerProcess(spec, core);
        try
        {
            long start = Stopwatch.GetTimestamp();
            server._isStarted = server._process.Start();
            server._process.BeginOutputReadLine();
            server._process.BeginErrorReadLine();
            while (!server.Answers())
            {
                bool isOver = Stopwatch.GetElapsedTime(start).TotalMilliseconds > StartMsMax;
                if (server._process.HasExited || isOver)
                    throw new LoadException($"{spec.Name} does not start: {server.LastLines()}");
                Thread.Sleep(TimeSpan.FromMicroseconds(500));
            }
            server.StartTime = Stopwatch.GetElapsedTime(start);
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <summary>Sends one command and gives its reply's text; null for a null reply.</summary>
    /// <exception cref="LoadException">The reply is an error.</exception>
    public string? Ask(params string[] words)
    {
        using var client = new TcpClient("127.0.0.1", Port);
        client.ReceiveTimeout = StartMsMax;
        var request = new StringBuilder($"*{words.Length}\r\n");
        foreach (string word in words) request.Append($"${word.Length}\r\n{word}\r\n");
        NetworkStream stream = client.GetStream();
        stream.Write(Encoding.ASCII.GetBytes(request.ToString()));
        int size = 0;
        return new ReplyReader(stream).Read(ref size);
    }

    /// <summary>A field of INFO; null where the server has none of that name.</summary>
    public string? Info(string field)
    {
        if (Spec.IsFloor) return null;
        foreach (string line in Ask("INFO")?.Split("\r\n") ?? [])
            if (line.StartsWith(field + ":", StringComparison.Ordinal)) return line[(field.Length + 1)..];
        return null;
    }

    public void Dispose()
    {
        if (_isStarted && !_process.HasExited)
        {
            if (OperatingSystem.IsWindows()) _process.Kill();
            else _ = LibC.kill(_process.Id, SignalTerminate);
            if (!_process.WaitForExit(StopMsMax)) _process.Kill();
            _process.WaitForExit();
        }
        _process.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private bool Answers()
    {
        try
        {
            if (!Spec.IsFloor) return Ask("PING") == "PONG";
            using var client = new TcpClient("127.0.0.1", Port);
            return true;
        }
        catch (Exception failure) when (failure is SocketException or IOException or LoadException)
        {
            return false; // Not listening yet, or still loading: asked again until its time is over.
        }
    }

    private void Keep(object sender, DataReceivedEventArgs output)
    {
        if (output.Data is null) return;
        lock (_lastLines)
        {
            _lastLines.Enqueue(output.Data);
            if (_lastLines.Count > 5) _lastLines.Dequeue();
        }
    }

    private string LastLines()
    {
        lock (_lastLines) return string.Join(" | ", _lastLines);
    }
}
