// What the server has counted, over all its loops. Each loop counts for itself without any synchronisation,
// and only the loop writes its counters; so CONFIG RESETSTAT, which may run on any loop, does not set them to
// zero: it remembers what they were, and everything shown is the difference. Gauges that need the past
// (rates, the memory peak) are sampled by the cron of the first loop.

using System;
using System.Threading;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Statistics;

/// <summary>
/// The server's statistics since its start or the last CONFIG RESETSTAT. Any thread may read.
/// </summary>
internal sealed class ServerStatistics
{
    private const long SampleIntervalMs = 100;

    private readonly ServerEngine _engine;
    private readonly Lock _lock = new();
    private readonly RateSamples _commands = new();
    private readonly RateSamples _bytesIn = new();
    private readonly RateSamples _bytesOut = new();
    private readonly RateSamples _turns = new();
    private readonly RateSamples _turnTimes = new();
    private StatisticsTotals _earlierTotals;
    private CommandStatistics[]? _earlierCommands;
    private long _sampledMs;
    private (long Bytes, long UnixS) _memoryPeak;
    private long _residentBytes;
    private long _residentMs;

    /// <summary>Makes it, with nothing counted.</summary>
    public ServerStatistics(ServerEngine engine) => _engine = engine;

    /// <summary>Commands executed a second, lately.</summary>
    public long CommandsPerSecond => _commands.PerSecond;

    /// <summary>Bytes received a second, lately.</summary>
    public long BytesInPerSecond => _bytesIn.PerSecond;

    /// <summary>Bytes sent a second, lately.</summary>
    public long BytesOutPerSecond => _bytesOut.PerSecond;

    /// <summary>Turns of a loop a second, lately; the mean of all loops.</summary>
    public long TurnsPerSecond => _turns.PerSecond / _engine.LoopCount;

    /// <summary>Microseconds that a turn took, lately.</summary>
    public long TurnUs => _turnTimes.PerSecond / 1000;

    /// <summary>Time spent executing commands, in nanoseconds.</summary>
    public long CommandElapsedNs
    {
        get
        {
            long sum = 0;
            foreach (Loop loop in _engine.Loops)
            {
                foreach (ref readonly CommandStatistics one in loop.Statistics.Commands.AsSpan())
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
            foreach (Loop loop in _engine.Loops)
                count += loop.KeyspaceStatistics.Changes;
            return count;
        }
    }

    /// <summary>The sums of all loops.</summary>
    public StatisticsTotals Totals
    {
        get
        {
            lock (_lock)
                return StatisticsTotals.Of(_engine).Since(in _earlierTotals);
        }
    }

    /// <summary>The most bytes that were in use, at least as much as are now, and when that was so, in
    /// seconds since 1970.</summary>
    public (long Bytes, long UnixS) MemoryPeak(long usedBytes)
    {
        lock (_lock)
        {
            if (usedBytes > _memoryPeak.Bytes)
                _memoryPeak = (usedBytes, _engine.Clock.UnixMicroseconds / 1_000_000);
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
                    (_residentBytes, _residentMs) = (_engine.Residence.Bytes, nowMs);
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
    /// <param name="sum">Is overwritten, if something was measured.</param>
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
        StatisticsTotals totals = StatisticsTotals.Of(_engine);
        MemoryPeak(_engine.Keyspace.UsedBytes);
        lock (_lock)
        {
            _commands.Take(nowMs, totals.CommandCount);
            _bytesIn.Take(nowMs, totals.BytesReceived);
            _bytesOut.Take(nowMs, totals.BytesSent);
            _turns.Take(nowMs, totals.TurnCount);
            // So much a thousand turns.
            _turnTimes.Take(totals.TurnCount, totals.TurnUs);
        }
    }

    /// <summary>CONFIG RESETSTAT: starts all counters over.</summary>
    public void Reset()
    {
        var commands = new CommandStatistics[CommandTable.IdCount];
        for (int id = 0; id < commands.Length; id++)
        {
            commands[id] = SumOf(id);
            var latency = new LatencyHistogram();
            if (TryAddUp(id, latency))
                commands[id].Latency = latency;
        }

        lock (_lock)
        {
            _earlierTotals = StatisticsTotals.Of(_engine);
            // ORDER: the counters come before the array that they are in, which nobody changes any more.
            Volatile.Write(ref _earlierCommands, commands);
            _commands.Clear();
            _bytesIn.Clear();
            _bytesOut.Clear();
            _turns.Clear();
            _turnTimes.Clear();
        }

        foreach (Loop loop in _engine.Loops)
            loop.Run(() => (loop.Statistics.TurnUsMax, loop.Statistics.TurnCommandCountMax) = (0, 0));

        _engine.Keyspace.ResetFreedCount();
        _engine.Errors.Reset();
        _engine.Sessions.ResetStatistics();
    }

    private CommandStatistics SumOf(int id)
    {
        CommandStatistics sum = default;
        foreach (Loop loop in _engine.Loops)
        {
            ref CommandStatistics one = ref loop.Statistics.Commands[id];
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
        foreach (Loop loop in _engine.Loops)
        {
            if (loop.Statistics.Commands[id].Latency is not { } one)
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
