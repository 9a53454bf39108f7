using Cinnabar.Engine.Configuration;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Observing;

/// <summary>
/// Records events that took <c>latency-monitor-threshold</c> milliseconds and more. Any thread.
/// </summary>
internal sealed class LatencyMonitor(Settings settings, Clock clock)
{
    /// <summary>The event of a command that is not of constant cost.</summary>
    public const string Command = "command";

    /// <summary>The event of a command of constant or logarithmic cost.</summary>
    public const string FastCommand = "fast-command";

    /// <summary>The event of removing keys past their deadline.</summary>
    public const string ExpireCycle = "expire-cycle";

    /// <summary>The event of making room before a command.</summary>
    public const string EvictionCycle = "eviction-cycle";

    /// <summary>The event of evicting one key.</summary>
    public const string EvictionDelete = "eviction-del";

    /// <summary>The event of a slice of defragmenting memory.</summary>
    public const string DefragCycle = "active-defrag-cycle";

    /// <summary>The event of a write to the append-only file.</summary>
    public const string AofWrite = "aof-write";

    /// <summary>The event of such a write while the file is being made durable, and of the time for which
    /// commands waited for that.</summary>
    public const string AofWritePendingFsync = "aof-write-pending-fsync";

    /// <summary>The event of such a write while a snapshot is written.</summary>
    public const string AofWriteActiveChild = "aof-write-active-child";

    /// <summary>The event of such a write otherwise.</summary>
    public const string AofWriteAlone = "aof-write-alone";

    /// <summary>The event of making the file durable before replies leave.</summary>
    public const string AofFsyncAlways = "aof-fsync-always";

    /// <summary>The event of renaming the files of a rewrite.</summary>
    public const string AofRename = "aof-rename";

    /// <summary>The event of asking how long a file is.</summary>
    public const string AofFstat = "aof-fstat";

    private readonly Lock _lock = new();
    private readonly List<LatencyEvent> _events = [];
    private readonly Clock _clock = clock;
    private readonly Settings _settings = settings;

    /// <summary>Records an event where it reaches the threshold.</summary>
    public void Note(string name, long elapsedUs)
    {
        long thresholdMs = _settings.LatencyMonitorThresholdMs;
        long elapsedMs = elapsedUs / 1000;
        if (thresholdMs <= 0 || elapsedMs < thresholdMs)
            return;
        var sample = new LatencySample(_clock.UnixMicroseconds / 1_000_000, elapsedMs);
        lock (_lock)
        {
            LatencyEvent? recorded = Find(name);
            if (recorded is null)
                _events.Add(recorded = new LatencyEvent(name));
            recorded.Add(sample);
        }
    }

    /// <summary>The reports of all events.</summary>
    public LatencyReport[] Reports()
    {
        lock (_lock)
            return [.. _events.ConvertAll(Report)];
    }

    /// <summary>The report of an event; null: none.</summary>
    public LatencyReport? ReportOf(string name)
    {
        lock (_lock)
            return Find(name) is { } recorded ? Report(recorded) : null;
    }

    /// <summary>Forgets an event.</summary>
    /// <returns>False if there was no such event.</returns>
    public bool Reset(string name)
    {
        lock (_lock)
            return Find(name) is { } recorded && _events.Remove(recorded);
    }

    /// <summary>Forgets all events.</summary>
    /// <returns>How many there were.</returns>
    public int Reset()
    {
        lock (_lock)
        {
            int count = _events.Count;
            _events.Clear();
            return count;
        }
    }

    private static LatencyReport Report(LatencyEvent recorded) =>
        new(recorded.Name, recorded.LongestMs, recorded.Samples);

    private LatencyEvent? Find(string name) =>
        _events.Find(recorded => recorded.Name.Equals(name, StringComparison.Ordinal));
}
