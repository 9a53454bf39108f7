// What the server has counted, over all its loops. Each loop counts for itself without any synchronisation,
// and only the loop writes its counters; so CONFIG RESETSTAT, which may run on any loop, does not zero them:
// it saves their values, and INFO shows the differences. The cron of the first loop samples rates and the
// memory peak.

using Cinnabar.Engine.Specs;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Statistics;

/// <summary>
/// The server's statistics since its start or the last CONFIG RESETSTAT. Any thread may read.
/// </summary>
/// <param name="loops">The counters of all loops, and last those of the link to a master.</param>
/// <param name="keyspace">The key space.</param>
/// <param name="residence">Measures the memory of the process.</param>
internal sealed class ServerStatistics(
    LoopStatistics[] loops, Keyspace.Keyspace keyspace, ResidentMemory residence)
{
    private const long SampleIntervalMs = 100;

    private readonly LoopStatistics[] _loops = loops;
    private readonly Keyspace.Keyspace _keyspace = keyspace;
    private readonly ResidentMemory _residence = residence;
    private readonly Lock _lock = new();
    private readonly RateSamples _commands = new();
    private readonly RateSamples _bytesIn = new();
    private readonly RateSamples _bytesOut = new();
    private readonly RateSamples _masterBytesIn = new();
    private readonly RateSamples _replicaBytesOut = new();
    private readonly RateSamples _turns = new();
    private readonly RateSamples _turnTimes = new();
    private StatisticsTotals _earlierTotals;
    private CommandStatistics[]? _earlierCommands;
    private long _sampledMs;
    private (long Bytes, long UnixS) _memoryPeak;
    private long _residentBytes;
    private long _residentMs;

    /// <summary>The import of another server's data; null: there is none.</summary>
    public ImportProgress? Import { get; set; }

    /// <summary>Commands executed a second, lately.</summary>
    public long CommandsPerSecond => _commands.PerSecond;

    /// <summary>Bytes received a second, lately.</summary>
    public long BytesInPerSecond => _bytesIn.PerSecond;

    /// <summary>Bytes sent a second, lately.</summary>
    public long BytesOutPerSecond => _bytesOut.PerSecond;

    /// <summary>Bytes received from the master a second, lately.</summary>
    public long MasterBytesInPerSecond => _masterBytesIn.PerSecond;

    /// <summary>Bytes sent to replicas a second, lately.</summary>
    public long ReplicaBytesOutPerSecond => _replicaBytesOut.PerSecond;

    /// <summary>Turns of a loop a second, lately; the mean of all loops.</summary>
    public long TurnsPerSecond => _turns.PerSecond / (_loops.Length - 1);

    /// <summary>Microseconds that a turn took, lately.</summary>
    public long TurnUs => _turnTimes.PerSecond / 1000;

    /// <summary>Time spent executing commands, in nanoseconds.</summary>
    public long CommandElapsedNs
    {
        get
        {
            long sum = 0;
            foreach (LoopStatistics loop in _loops)
            {
                foreach (ref readonly CommandStatistics one in loop.Commands.AsSpan())
                    sum += one.ElapsedNs;
            }

            foreach (ref readonly CommandStatistics one in Volatile.Read(ref _earlierCommands).AsSpan())
                sum -= one.ElapsedNs;
            return sum;
        }
    }

    /// <summary>Changes to the data set since the start; a reset leaves them alone.</summary>
    public long ChangeCount
    {
        get
        {
            long count = 0;
            foreach (LoopStatistics loop in _loops)
                count += loop.Keyspace.Changes;
            return count;
        }
    }

    /// <summary>The sums of all loops.</summary>
    public StatisticsTotals Totals
    {
        get
        {
            lock (_lock)
                return StatisticsTotals.Of(_loops).Since(in _earlierTotals);
        }
    }

    /// <summary>The most bytes that were in use, at least the present use, and when, in seconds since
    /// 1970.</summary>
    public (long Bytes, long UnixS) MemoryPeak(long usedBytes)
    {
        lock (_lock)
        {
            if (usedBytes > _memoryPeak.Bytes)
                _memoryPeak = (usedBytes, _keyspace.Clock.UnixMicroseconds / 1_000_000);
            return _memoryPeak;
        }
    }

    /// <summary>Bytes of the process in physical memory. The system is asked ten times a second at most: its
    /// answer takes longer than the rest of INFO memory.</summary>
    public long ResidentBytes
    {
        get
        {
            lock (_lock)
            {
                long nowMs = Environment.TickCount64;
                if (_residentBytes == 0 || nowMs - _residentMs >= SampleIntervalMs)
                    (_residentBytes, _residentMs) = (_residence.Bytes, nowMs);
                return _residentBytes;
            }
        }
    }

    /// <summary>The counters of a command, without the histogram.</summary>
    public CommandStatistics CountsOf(CommandSpec spec)
    {
        CommandStatistics sum = SumOf((int)spec.Id);
        if (Volatile.Read(ref _earlierCommands) is { } earlier)
        {
            ref readonly CommandStatistics one = ref earlier[(int)spec.Id];
            sum.CallCount -= one.CallCount;
            sum.ElapsedNs -= one.ElapsedNs;
            sum.RejectedCount -= one.RejectedCount;
            sum.FailedCount -= one.FailedCount;
        }

        return sum;
    }

    /// <summary>How long a command's executions took.</summary>
    /// <param name="spec">The command.</param>
    /// <param name="sum">Overwritten if something was measured.</param>
    /// <returns>False: nothing was.</returns>
    public bool TryReadLatency(CommandSpec spec, LatencyHistogram sum)
    {
        if (!TryAddUp((int)spec.Id, sum))
            return false;
        if (Volatile.Read(ref _earlierCommands)?[(int)spec.Id].Latency is not { } earlier)
            return true;
        sum.Subtract(earlier);
        return sum.TotalCount > 0;
    }

    /// <summary>Takes the samples that are due; the cron of the first loop calls it.</summary>
    public void Sample(long nowMs)
    {
        if (nowMs - _sampledMs < SampleIntervalMs && nowMs >= _sampledMs)
            return;
        _sampledMs = nowMs;
        StatisticsTotals totals = StatisticsTotals.Of(_loops);
        MemoryPeak(_keyspace.UsedBytes);
        lock (_lock)
        {
            _commands.Take(nowMs, totals.CommandCount);
            _bytesIn.Take(nowMs, totals.BytesReceived);
            _bytesOut.Take(nowMs, totals.BytesSent);
            _masterBytesIn.Take(nowMs, totals.MasterBytesReceived);
            _replicaBytesOut.Take(nowMs, totals.ReplicaBytesSent);
            _turns.Take(nowMs, totals.TurnCount);
            // Per thousand turns.
            _turnTimes.Take(totals.TurnCount, totals.TurnUs);
        }
    }

    /// <summary>Starts the counters of all loops over.</summary>
    public void Reset()
    {
        var commands = new CommandStatistics[CommandTable.IdCount];
        CommandStatistics[]? earlier = Volatile.Read(ref _earlierCommands);
        var latency = new LatencyHistogram();
        for (int id = 0; id < commands.Length; id++)
        {
            commands[id] = SumOf(id);
            // Most commands have not run since the last reset.
            if (earlier is not null && earlier[id].CallCount == commands[id].CallCount)
            {
                commands[id].Latency = earlier[id].Latency;
                continue;
            }

            if (!TryAddUp(id, latency))
                continue;
            commands[id].Latency = latency;
            latency = new LatencyHistogram();
        }

        lock (_lock)
        {
            _earlierTotals = StatisticsTotals.Of(_loops);
            // ORDER: the counters come before the array that they are in, which does not change from here on.
            Volatile.Write(ref _earlierCommands, commands);
            _commands.Clear();
            _bytesIn.Clear();
            _bytesOut.Clear();
            _masterBytesIn.Clear();
            _replicaBytesOut.Clear();
            _turns.Clear();
            _turnTimes.Clear();
        }
    }

    private CommandStatistics SumOf(int id)
    {
        CommandStatistics sum = default;
        foreach (LoopStatistics loop in _loops)
        {
            ref CommandStatistics one = ref loop.Commands[id];
            sum.CallCount += one.CallCount;
            sum.ElapsedNs += one.ElapsedNs;
            sum.RejectedCount += one.RejectedCount;
            sum.FailedCount += one.FailedCount;
        }

        return sum;
    }

    private bool TryAddUp(int id, LatencyHistogram sum)
    {
        bool isFirst = true;
        foreach (LoopStatistics loop in _loops)
        {
            if (loop.Commands[id].Latency is not { } one)
                continue;
            if (isFirst)
                sum.CopyFrom(one);
            else
                sum.Add(one);
            isFirst = false;
        }

        return !isFirst;
    }
}
