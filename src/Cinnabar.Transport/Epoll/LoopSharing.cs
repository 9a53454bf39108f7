using System;
using System.Diagnostics;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Engine;
using Cinnabar.Engine.Logging;
using Cinnabar.Platform;

namespace Cinnabar.Transport.Epoll;

/// <summary>
/// Has as many threads drive a server's loops as serve most (<see cref="SharingPolicy"/>): looks ten times a
/// second while the loops are at work, off the loops, and never while they sleep.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopSharing : IThreadPoolWorkItem, IDisposable
{
    private const long PeriodMs = 100;
    private const long LackMs = 1_000;

    private readonly EpollTransport[] _transports;
    private readonly ServerEngine _engine;
    private readonly SharingPolicy _policy;
    private readonly ProcessorTime _processors;
    private readonly Lock _lock = new();
    private int _threadCount = 1;
    private int _isLooking;
    private long _dueMs;
    private long _lookedTicks;
    private Totals _last;
    private bool _isDisposed;

    private LoopSharing(ServerEngine engine, EpollTransport[] transports, ProcessorTime processors)
    {
        _engine = engine;
        _transports = transports;
        _processors = processors;
        _policy = new SharingPolicy(transports.Length);
        foreach (EpollTransport transport in transports)
        {
            transport.Home.Sharing = this;
            transport.Home.Prepare();
            transport.MoveTo(transports[0].Home);
        }
    }

    /// <summary>Begins it for loops that have not started yet, where there are several, the configuration
    /// does not want a thread for each, and the system tells what they use.</summary>
    public static LoopSharing? Begin(ServerEngine engine, EpollTransport[] transports) =>
        transports.Length > 1 && !engine.Settings.HasThreadPerLoop
            && ProcessorTime.TryOpen() is { } processors
            ? new LoopSharing(engine, transports, processors)
            : null;

    /// <summary>A loop's thread is at work.</summary>
    public void Tell()
    {
        if (Environment.TickCount64 >= Volatile.Read(ref _dueMs)
            && Interlocked.Exchange(ref _isLooking, 1) == 0)
            Queue();
    }

    /// <inheritdoc/>
    public void Execute()
    {
        try
        {
            lock (_lock)
            {
                if (!_isDisposed)
                    Look();
            }
        }
        catch (Exception fault)
        {
            _engine.Fail(fault);
        }

        Volatile.Write(ref _dueMs, Environment.TickCount64 + PeriodMs);
        Volatile.Write(ref _isLooking, 0);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _processors.Dispose();
        }
    }

    private void Queue()
    {
        try
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
        catch (OutOfMemoryException)
        {
            // The runtime's word for no thread, which may be for want of descriptors: the loops stay as they
            // are. What is queued all the same does no harm.
            Volatile.Write(ref _dueMs, Environment.TickCount64 + LackMs);
            Volatile.Write(ref _isLooking, 0);
        }
    }

    private void Look()
    {
        long nowTicks = Stopwatch.GetTimestamp();
        double seconds = Stopwatch.GetElapsedTime(_lookedTicks, nowTicks).TotalSeconds;
        _lookedTicks = nowTicks;
        Totals now = Sum();
        Totals last = _last;
        _last = now;
        LoadSample sample = Compare(in now, in last, seconds);
        if (seconds > 3 * PeriodMs / 1000.0)
            _policy.LearnFromLong(in sample);
        else
            _policy.Learn(in sample);
        if (_policy.ThreadCount != _threadCount)
            Share(_policy.ThreadCount);
    }

    private LoadSample Compare(in Totals now, in Totals last, double seconds)
    {
        double idleShare = (double)(now.IdleTicks - last.IdleTicks)
            / Math.Max(now.ProcessorTicks - last.ProcessorTicks, 1);
        return new LoadSample
        {
            BusyCores = (now.BusySeconds - last.BusySeconds) / seconds,
            IdleCores = idleShare * _processors.Count,
            Rate = (now.CommandCount - last.CommandCount) / seconds,
        };
    }

    private void Share(int threadCount)
    {
        _threadCount = threadCount;
        _engine.Log.Write(LogLevel.Verbose, $"{_transports.Length} loops on {threadCount} threads");
        for (int index = 0; index < _transports.Length; index++)
            _transports[index].MoveTo(_transports[index % threadCount].Home);
    }

    private Totals Sum()
    {
        _processors.Read();
        var sum = new Totals { ProcessorTicks = _processors.TotalTicks, IdleTicks = _processors.IdleTicks };
        foreach (EpollTransport transport in _transports)
        {
            double usedNs = transport.Home.Time?.Nanoseconds ?? 0;
            sum.BusySeconds += (usedNs / 1e9)
                - ((double)transport.Home.PolledTicks / Stopwatch.Frequency);
            sum.CommandCount += transport.CommandCount;
        }

        return sum;
    }

    private struct Totals
    {
        public long ProcessorTicks;
        public long IdleTicks;
        public double BusySeconds;
        public long CommandCount;
    }
}
