using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Cinnabar.Load.Servers;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>Cinnabar or redis-server as a process whose data lie in a directory that outlives it.</summary>
public sealed class StoredServer : IDisposable
{
    private const int StartMsMax = 300_000;
    private const int PollMs = 10;

    private readonly ProcessStartInfo _start;
    private Process _process;
    private readonly ReservedPort _port = new();
    private readonly StringBuilder _log = new();

    private StoredServer(
        string program, string directory, ReadOnlySpan<string> options, string? configuration = null)
    {
        _start = new ProcessStartInfo(program)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = directory,
        };
        if (configuration is not null)
        {
            string path = Path.Combine(directory, "server.conf");
            File.WriteAllText(path, $"port {Port}\ndir {directory}\nsave \"\"\n{configuration}\n");
            _start.ArgumentList.Add(path);
            _process = Begin();
            return;
        }

        string port = Port.ToString(CultureInfo.InvariantCulture);
        string[] own = ["--port", port, "--dir", directory, "--save", ""];
        foreach (string word in (IEnumerable<string>)[.. own, .. options])
            _start.ArgumentList.Add(word);
        _process = Begin();
    }

    /// <summary>Its port on 127.0.0.1.</summary>
    public int Port => _port.Number;

    /// <summary>What it has printed.</summary>
    public string Log
    {
        get
        {
            lock (_log)
                return _log.ToString();
        }
    }

    /// <summary>Starts Cinnabar and waits until its data are loaded.</summary>
    public static StoredServer StartOwn(string directory, params ReadOnlySpan<string> options) =>
        new StoredServer(ServerProgram.FilePath, directory, options).WaitUntilLoaded();

    /// <summary>Starts a program that becomes Cinnabar, and waits until its data are loaded.</summary>
    public static StoredServer StartProgram(
        string program, string directory, params ReadOnlySpan<string> options) =>
        new StoredServer(program, directory, options).WaitUntilLoaded();

    /// <summary>Starts Cinnabar or Debian's redis-server, configured by a file in the directory, which it may
    /// rewrite.</summary>
    public static StoredServer StartConfigured(string directory, string configuration, bool isOwn = true) =>
        new StoredServer(isOwn ? ServerProgram.FilePath : OracleServer.ProgramDefault, directory, [],
            configuration).WaitUntilLoaded();

    /// <summary>Starts the server that CINNABAR_ORACLE names, else Debian's redis-server, and waits until
    /// its data are loaded.</summary>
    public static StoredServer StartNamed(string directory, params ReadOnlySpan<string> options) =>
        new StoredServer(OracleServer.NamedOrDefault, directory, options).WaitUntilLoaded();

    /// <summary>Starts Debian's redis-server and waits until its data are loaded.</summary>
    public static StoredServer StartRedis(string directory, params ReadOnlySpan<string> options) =>
        new StoredServer(OracleServer.ProgramDefault, directory, options).WaitUntilLoaded();

    /// <summary>Starts Cinnabar with data that it cannot load.</summary>
    /// <returns>Its exit code and what it has printed.</returns>
    public static (int ExitCode, string Log) RunOwn(string directory, params ReadOnlySpan<string> options)
    {
        using var server = new StoredServer(ServerProgram.FilePath, directory, options);
        if (!server._process.WaitForExit(StartMsMax))
            throw new TimeoutException($"it does not end; it said:\n{server.Log}");
        server._process.WaitForExit();
        return (server._process.ExitCode, server.Log);
    }

    /// <summary>A new connection.</summary>
    public RespClient Connect() => new(Port);

    /// <summary>Ends it at once, as kill -9 does.</summary>
    public void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    /// <summary>Ends it at once, if it has not ended, starts it again with the same port, directory and
    /// options, and waits until its data are loaded.</summary>
    public void Restart()
    {
        if (!_process.HasExited)
            Kill();
        _process.Dispose();
        _process = Begin();
        WaitUntilLoaded();
    }

    /// <summary>Stops it as it is (SIGSTOP), or has it go on (SIGCONT).</summary>
    public void Freeze(bool isFrozen)
    {
        string id = _process.Id.ToString(CultureInfo.InvariantCulture);
        using Process kill = Process.Start("kill", [isFrozen ? "-STOP" : "-CONT", id]);
        kill.WaitForExit();
    }

    /// <summary>Ends it by SHUTDOWN and waits until it has ended.</summary>
    /// <param name="isSaving">Whether it saves before.</param>
    public void Stop(bool isSaving = false)
    {
        using RespClient client = Connect();
        client.Send("SHUTDOWN", isSaving ? "SAVE" : "NOSAVE");
        if (!_process.WaitForExit(StartMsMax))
            throw new TimeoutException($"it does not end; it said:\n{Log}");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_process.HasExited)
            Kill();
        _process.Dispose();
        _port.Dispose();
    }

    private Process Begin()
    {
        var process = new Process { StartInfo = _start };
        process.OutputDataReceived += (_, line) => Take(line.Data);
        process.ErrorDataReceived += (_, line) => Take(line.Data);
        process.Start();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return process;
    }

    private StoredServer WaitUntilLoaded()
    {
        for (long start = Environment.TickCount64; ; Thread.Sleep(PollMs))
        {
            if (_process.HasExited || Environment.TickCount64 - start > StartMsMax)
            {
                string log = Log;
                Dispose();
                throw new InvalidOperationException($"the server does not start; it said:\n{log}");
            }

            try
            {
                using RespClient client = Connect();
                if (client.Call("PING").Text == "PONG")
                    return this;
            }
            catch (Exception fault) when (fault is SocketException or IOException)
            {
                // It does not listen yet.
            }
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
