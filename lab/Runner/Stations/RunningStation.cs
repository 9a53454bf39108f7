using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Load.Servers;

namespace Cinnabar.Lab.Runner.Stations;

/// <summary>A station as a process, on Linux kept on a core, and with all that it starts in a group of its
/// own: a command may be a shell's, and what a shell has started does not end with it. Disposing ends them:
/// with SIGTERM, or harder where that does not help.</summary>
internal sealed class RunningStation : IDisposable
{
    private const int StopMsMax = 10_000;
    private const int EndMsMax = 5_000;
    private const int CollectMsMax = 60_000;
    private const int AskAgainMs = 2;
    private const int LineCountMax = 12;
    private const string GarbageMark = "gc ";

    // The runtime does not count calls while new methods are compiled; a station whose only core is busy
    // would run unoptimised code for many seconds. This changes when methods are optimised, not how.
    private const string CompileDelayVariable = "DOTNET_TC_CallCountingDelayMs";
    private readonly ReservedPort? _port;
    private readonly Process _process;
    private readonly Queue<string> _lines = new();
    private readonly AutoResetEvent _garbageCame = new(false);
    private string? _garbage;
    private bool _isStarted;

    private RunningStation(StationEntry entry, string root, int? core)
    {
        Entry = entry;
        _port = entry.Port is null ? new ReservedPort() : null;
        Port = entry.Port ?? _port!.Number;
        List<string> words = [.. entry.Words(Port)];
        if (core is { } number) words.InsertRange(0, ["taskset", "-c", $"{number}"]);
        if (OperatingSystem.IsLinux()) words.Insert(0, "setsid");
        var start = new ProcessStartInfo(words[0], words[1..])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = root,
        };
        if (entry.Managed) start.Environment[CompileDelayVariable] = "0";
        foreach ((string name, string value) in entry.Environment) start.Environment[name] = value;
        _process = new Process { StartInfo = start };
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => Take(line.Data);
    }

    /// <summary>What was started.</summary>
    public StationEntry Entry { get; }

    /// <summary>Its port of 127.0.0.1.</summary>
    public int Port { get; }

    /// <summary>From the start of the process to its first answer, in milliseconds.</summary>
    public double StartMs { get; private set; }

    /// <summary>Its resident memory, in bytes.</summary>
    public long ResidentBytes
    {
        get
        {
            _process.Refresh();
            return _process.WorkingSet64;
        }
    }

    /// <summary>The processor time that it has used, in seconds; Linux counts it in hundredths.</summary>
    public double CpuSeconds
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime.TotalSeconds;
        }
    }

    /// <summary>Starts a station and waits until it answers PING.</summary>
    /// <exception cref="LabException">It does not start, ends, or does not answer in time.</exception>
    public static RunningStation Start(StationEntry entry, string root, int? core, TimeSpan limit)
    {
        var station = new RunningStation(entry, root, core);
        try
        {
            station.Begin(limit);
            return station;
        }
        catch
        {
            station.Dispose();
            throw;
        }
    }

    /// <summary>How often it has collected garbage in its youngest generation; null where it does not say.
    /// </summary>
    public long? Collections() => Entry.Collections is { } field
        && long.TryParse(StationClient.Info(Port, field), CultureInfo.InvariantCulture, out long count)
            ? count : null;

    /// <summary>Makes it collect its garbage, or give back what it holds in reserve. Returns the figures that
    /// it printed; null if it prints none.</summary>
    /// <exception cref="LabException">It ended, or did not answer.</exception>
    public GarbageFigures? Collect()
    {
        if (Entry.Purge.Count > 0) StationClient.Ask(Port, Entry.Purge);
        if (Entry.Collect is null) return null;
        Signal(Entry.Collect);
        return _garbageCame.WaitOne(CollectMsMax) ? GarbageFigures.Parse(_garbage!)
            : throw new LabException($"it did not answer {Entry.Collect}; {Describe()}");
    }

    /// <summary>Its state after a failure: a connection's end is seen before the process's, so this waits a
    /// moment.</summary>
    public string DescribeEnd()
    {
        _process.WaitForExit(EndMsMax);
        return Describe();
    }

    /// <summary>Ends it at once, from any thread.</summary>
    public void Kill()
    {
        try
        {
            if (_isStarted && OperatingSystem.IsLinux()) Signal("SIGKILL");
            else if (_isStarted) _process.Kill(entireProcessTree: true);
        }
        catch (InvalidOperationException)
        {
            // It has ended meanwhile, which is what was wanted.
        }
    }

    /// <summary>Its state: running or ended, and its last output.</summary>
    public string Describe()
    {
        string state = !_isStarted ? "it was not started"
            : _process.HasExited ? $"it ended with exit code {_process.ExitCode}" : "it is running";
        lock (_lines) return _lines.Count == 0 ? state : $"{state}; it said: {string.Join(" | ", _lines)}";
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_isStarted)
        {
            if (!_process.HasExited) Signal("SIGTERM");
            _process.WaitForExit(StopMsMax);
            Kill(); // Also what it has left behind, which would hold a fixed port.
            WaitForEnd();
        }
        _process.Dispose();
        _port?.Dispose();
        _garbageCame.Dispose();
    }

    private void Begin(TimeSpan limit)
    {
        long start = Stopwatch.GetTimestamp();
        try
        {
            _isStarted = _process.Start();
        }
        catch (System.ComponentModel.Win32Exception missing)
        {
            throw new LabException(missing.Message);
        }
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        while (!Answers())
        {
            if (_process.HasExited) WaitForEnd();
            if (_process.HasExited || Stopwatch.GetElapsedTime(start) > limit)
                throw new LabException($"it does not start; {Describe()}");
            Thread.Sleep(AskAgainMs);
        }
        StartMs = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
    }

    private bool Answers()
    {
        try
        {
            return StationClient.Ask(Port, "PING") == "PONG";
        }
        catch (Exception failure) when (failure is SocketException or IOException or LabException)
        {
            return false; // Not listening yet, or still loading: asked again until its time is over.
        }
    }

    // Waits for its end and its last lines, but not for ever: a process that has left its group may keep the
    // output open.
    private void WaitForEnd()
    {
        using var limit = new CancellationTokenSource(EndMsMax);
        try
        {
            _process.WaitForExitAsync(limit.Token).GetAwaiter().GetResult();
        }
        catch (OperationCanceledException)
        {
            // Its output up to now must do.
        }
    }

    // By kill(1): the framework can end a process, but not signal it or a group. The process may have ended
    // already, which is no fault.
    private void Signal(string name)
    {
        if (OperatingSystem.IsWindows())
        {
            Kill();
            return;
        }
        bool isGroup = OperatingSystem.IsLinux() && name != Entry.Collect;
        string target = isGroup ? $"-{_process.Id}" : $"{_process.Id}";
        string signal = name.Replace("SIG", "", StringComparison.Ordinal);
        var start = new ProcessStartInfo("kill", ["-s", signal, "--", target])
        {
            RedirectStandardError = true,
        };
        using Process kill = Process.Start(start)!;
        kill.StandardError.ReadToEnd();
        kill.WaitForExit();
    }

    private void Take(string? line)
    {
        if (line is null) return;
        if (line.StartsWith(GarbageMark, StringComparison.Ordinal))
        {
            _garbage = line;
            _garbageCame.Set();
            return;
        }
        lock (_lines)
        {
            _lines.Enqueue(line);
            if (_lines.Count > LineCountMax) _lines.Dequeue();
        }
    }
}
