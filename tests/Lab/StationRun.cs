using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Text;
using System.Threading;

namespace Cinnabar.Tests.Lab;

/// <summary>A built station as a process, on a port of its own choice, until disposed.</summary>
internal sealed class StationRun : IDisposable
{
    /// <summary>Far more than anything here takes: it only ends a test that hangs.</summary>
    private const int HangMs = 300_000;

    private readonly StringBuilder _output = new();
    private readonly ManualResetEventSlim _ready = new();
    private readonly Process _process;
    private int _port;

    /// <summary>Starts a station's executable.</summary>
    /// <param name="program">Its name, in the tests' own folder.</param>
    /// <param name="options">Its command line but for the port.</param>
    public StationRun(string program, params string[] options)
        : this(Path.Combine(AppContext.BaseDirectory, program), AppContext.BaseDirectory,
            ["--port", "0", .. options])
    {
    }

    /// <summary>Starts a program.</summary>
    /// <param name="program">Its path, or a name that the system finds.</param>
    /// <param name="folder">Where it starts.</param>
    /// <param name="arguments">Its whole command line.</param>
    public StationRun(string program, string folder, string[] arguments)
    {
        ProcessStartInfo start = new(program)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder,
        };
        foreach (string argument in arguments) start.ArgumentList.Add(argument);
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => Take(line.Data);
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    /// <summary>What it has said so far, errors too.</summary>
    public string Output
    {
        get
        {
            lock (_output) return _output.ToString();
        }
    }

    /// <summary>Its port on 127.0.0.1, which its ready line ends with; waits for that line.</summary>
    public int Port => _ready.Wait(HangMs)
        ? _port
        : throw new TimeoutException($"the station is not ready; it said:\n{Output}");

    /// <summary>Whether it has ended, which it should only on request.</summary>
    public bool HasEnded => _process.HasExited;

    /// <summary>Sends a signal.</summary>
    public void Signal(string name)
    {
        using Process kill = Process.Start("kill", ["-" + name, $"{_process.Id}"]);
        kill.WaitForExit();
    }

    /// <summary>Sends SIGTERM and waits for the end; the answer is the exit code.</summary>
    public int Terminate()
    {
        Signal("TERM");
        if (!_process.WaitForExit(HangMs))
            throw new TimeoutException($"the station does not end; it said:\n{Output}");
        _process.WaitForExit();
        return _process.ExitCode;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_process.HasExited) _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        _ready.Dispose();
    }

    private void Take(string? line)
    {
        if (line is null) return;
        lock (_output) _output.Append(line).Append('\n');
        if (!line.Contains(": ready on ", StringComparison.Ordinal)) return;
        _port = int.Parse(line.AsSpan(line.LastIndexOf(':') + 1), CultureInfo.InvariantCulture);
        _ready.Set();
    }
}
