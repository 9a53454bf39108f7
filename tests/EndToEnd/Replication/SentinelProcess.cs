using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.EndToEnd.Replication;

/// <summary>A Sentinel: Debian's redis-server in its other role.</summary>
internal sealed class SentinelProcess : IDisposable
{
    private const int StartMsMax = 300_000;
    private const int PollMs = 20;

    private readonly ReservedPort _port = new();
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-sentinel-");
    private readonly StringBuilder _log = new();
    private readonly Process _process;

    /// <summary>Starts it.</summary>
    /// <param name="masterPort">The port of the master that it watches, as <c>watched</c>.</param>
    /// <param name="downAfterMs">How long a server must be silent to count as down.</param>
    public SentinelProcess(int masterPort, int downAfterMs)
    {
        string path = Path.Combine(_directory.FullName, "sentinel.conf");
        File.WriteAllText(path, string.Create(CultureInfo.InvariantCulture, $"""
            port {Port}
            dir {_directory.FullName}
            sentinel monitor watched 127.0.0.1 {masterPort} 2
            sentinel down-after-milliseconds watched {downAfterMs}
            sentinel failover-timeout watched 60000

            """));
        var start = new ProcessStartInfo("redis-server", [path, "--sentinel"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => Take(line.Data);
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        Await();
    }

    /// <summary>Its port on 127.0.0.1.</summary>
    public int Port => _port.Number;

    /// <summary>What it has logged.</summary>
    public string Log
    {
        get
        {
            lock (_log)
                return _log.ToString();
        }
    }

    /// <summary>A field of what it knows of the master.</summary>
    public string Field(string name)
    {
        using var client = new RespClient(Port);
        var items = client.Call("SENTINEL", "MASTER", "watched").Items;
        for (int index = 0; index + 1 < items.Count; index += 2)
        {
            if (items[index].Text == name)
                return items[index + 1].Text;
        }

        return "";
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        _port.Dispose();
        _directory.Delete(recursive: true);
    }

    private void Await()
    {
        for (long start = Environment.TickCount64; ; Thread.Sleep(PollMs))
        {
            try
            {
                using var client = new RespClient(Port);
                if (client.Run("PING") == "+PONG")
                    return;
            }
            catch (Exception fault) when (fault is SocketException or IOException)
            {
                // It does not listen yet.
            }

            if (_process.HasExited || Environment.TickCount64 - start > StartMsMax)
                throw new InvalidOperationException($"the Sentinel does not start; it said:\n{Log}");
        }
    }

    private void Take(string? line)
    {
        if (line is null)
            return;
        lock (_log)
            _log.Append(line).Append('\n');
    }
}
