using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using Cinnabar.Load.Loops;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Waits;

namespace Cinnabar.Load;

/// <summary>Generates the load that its options describe. Its connections are opened once and serve any
/// number of runs (a warm-up and a measurement, for instance), one at a time.</summary>
public sealed class LoadGenerator : IDisposable
{
    private const int ProgressMs = 1000;
    private static readonly long s_gapTicksMin = WaitProbe.GapNsMin * Stopwatch.Frequency / 1_000_000_000;
    private readonly LoadOptions _options;
    private readonly RequestPlan _plan;
    private readonly List<LoadLoop> _loops = [];
    private bool _isOver;

    /// <summary>Opens the connections.</summary>
    /// <exception cref="LoadException">An option makes no sense, the server cannot be reached or
    /// refuses.</exception>
    public LoadGenerator(LoadOptions options)
    {
        options.Check();
        _options = options;
        _plan = new RequestPlan(options);
        try
        {
            for (int thread = 0; thread < options.ThreadCount; thread++)
                _loops.Add(new LoadLoop(options, _plan, thread));
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Whether it can run again: false after a run that failed, or in which requests were given up
    /// whose replies may still come.</summary>
    public bool IsUsable => !_isOver && !_loops.Any(loop => loop.IsBroken);

    /// <summary>Runs the load on threads of its own until its time is over or its requests are
    /// answered.</summary>
    /// <exception cref="LoadException">A connection broke, a reply was none, or none came for long; the
    /// generator is of no further use.</exception>
    public LoadResult Run(IProgress<LoadProgress>? progress = null) => Run(_options.Seconds, progress);

    /// <summary>Runs the load for another time than its options say, as a warm-up does.</summary>
    /// <exception cref="LoadException">As the other form.</exception>
    public LoadResult Run(double? seconds, IProgress<LoadProgress>? progress = null)
    {
        if (!IsUsable)
            throw new LoadException("a load whose run failed or was given up cannot run again");
        long errors = _loops.Sum(loop => loop.ErrorCount);
        long missing = _loops.Sum(loop => loop.MissingCount);
        var failures = new Exception?[_loops.Count];
        Thread[] threads = [.. Enumerable.Range(0, _loops.Count).Select(index =>
            new Thread(() => failures[index] = RunLoop(index, seconds)) { IsBackground = true })];
        foreach (Thread thread in threads) thread.Start();
        long start = Stopwatch.GetTimestamp();
        foreach (Thread thread in threads)
            while (!thread.Join(ProgressMs)) progress?.Report(Progress(start, seconds));
        Exception? failure = failures.FirstOrDefault(failure => failure is not null);
        if (failure is null) return Result(errors, missing);
        _isOver = true;
        throw Rethrown(failure);
    }

    /// <summary>Runs this load on one thread with a probe that measures another client's waits. The thread
    /// steps the probe after each batch. While the thread stands still (others took its processor) nothing is
    /// due: catching up would exceed the wanted rate.</summary>
    /// <exception cref="LoadException">As <see cref="Run(IProgress{LoadProgress}?)"/>.</exception>
    public LoadResult RunBeside(IProbe probe)
    {
        if (_loops.Count != 1) throw new LoadException("a load that shares its thread has only one");
        Exception? failure = null;
        var thread = new Thread(() => failure = RunLoop(_loops[0], probe)) { IsBackground = true };
        thread.Start();
        thread.Join();
        if (failure is null) return Result(0, 0);
        _isOver = true;
        throw Rethrown(failure);
    }

    /// <summary>Sets each of the options' keys once, over connections of its own.</summary>
    /// <exception cref="LoadException">It failed, or the server answered an error.</exception>
    public static LoadResult Populate(LoadOptions options, IProgress<LoadProgress>? progress = null)
    {
        using var generator = new LoadGenerator(options.ForPopulating());
        LoadResult result = generator.Run(progress);
        return result.ErrorCount == 0 ? result
            : throw new LoadException($"the keys could not be set: {result.FirstError}");
    }

    public void Dispose()
    {
        foreach (LoadLoop loop in _loops) loop.Dispose();
        _plan.Dispose();
        _isOver = true;
    }

    // Gives what ended the loop, since an exception on a thread would end the process.
    private Exception? RunLoop(int index, double? seconds)
    {
        LoadLoop loop = _loops[index];
        try
        {
            if (_options.Cores.Count > 0)
                ProcessorPin.ThisThread(_options.Cores[index % _options.Cores.Count]);
            ProcessorPin.WakeOnTime();
            double cpu = ProcessorPin.ThreadCpuSeconds();
            double wait = ProcessorPin.ThreadCoreWaitSeconds();
            loop.Start(seconds, _options.RequestCount, (double)index / _loops.Count);
            while (loop.Turn(mayWait: true)) ;
            loop.Figures.CpuSeconds = ProcessorPin.ThreadCpuSeconds() - cpu;
            loop.Figures.CoreWaitSeconds = ProcessorPin.ThreadCoreWaitSeconds() - wait;
            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
    }

    private Exception? RunLoop(LoadLoop loop, IProbe probe)
    {
        try
        {
            if (_options.Cores.Count > 0) ProcessorPin.ThisThread(_options.Cores[0]);
            if (_options.IsFirst) ProcessorPin.GoFirst();
            loop.Start(_options.Seconds, _options.RequestCount, 0);
            probe.Start();
            var rest = new ProbeRest(probe);
            long looked = Stopwatch.GetTimestamp();
            while (loop.Turn(mayWait: false))
            {
                probe.Step(isAsking: true);
                long now = Stopwatch.GetTimestamp();
                if (now - looked >= s_gapTicksMin) loop.Postpone(now - looked);
                looked = rest.AfterRest(now);
            }
            while (!probe.IsAnswered) probe.Step(isAsking: false);
            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
    }

    private static Exception Rethrown(Exception failure) => failure is LoadException
        ? new LoadException(failure.Message)
        : new InvalidOperationException("a load's thread failed", failure);

    private LoadProgress Progress(long start, double? seconds)
    {
        double elapsed = Stopwatch.GetElapsedTime(start).TotalSeconds;
        long count = _loops.Sum(loop => loop.Figures.ReplyCount);
        long? wanted = _options.IsEachKeyOnce ? _options.Keys.Count
            : _options.RequestCount * _options.ClientCount * _options.ThreadCount;
        double share = Math.Max(elapsed / seconds ?? 0, (double?)count / wanted ?? 0);
        return new LoadProgress(count, elapsed, Math.Clamp(share, 0, 1));
    }

    private LoadResult Result(long errorsBefore, long missingBefore)
    {
        var figures = _loops.Select(loop => loop.Figures).ToList();
        CommandResult[] commands = [.. _plan.Names.Select((name, command) =>
            new CommandResult(name, Sum(figures.Select(loop => loop.Latencies[command]))))];
        long ticks = figures.Max(loop => loop.EndedAt) - figures.Min(loop => loop.StartedAt);
        return new LoadResult
        {
            RequestCount = figures.Sum(loop => loop.ReplyCount),
            Seconds = Math.Max(ticks, 1) / (double)Stopwatch.Frequency,
            ErrorCount = _loops.Sum(loop => loop.ErrorCount) - errorsBefore,
            MissingCount = _loops.Sum(loop => loop.MissingCount) - missingBefore,
            FirstError = _loops.Select(loop => loop.FirstError).FirstOrDefault(error => error is not null),
            SentBytes = figures.Sum(loop => loop.SentBytes),
            ReceivedBytes = figures.Sum(loop => loop.ReceivedBytes),
            Latency = Sum(commands.Select(command => command.Latency)),
            Commands = commands,
            SendLag = Sum(figures.Select(loop => loop.SendLag)),
            UnansweredCount = figures.Sum(loop => loop.UnansweredCount),
            WantedRate = _options.Rate,
            Threads = [.. figures.Select(loop => Share(loop))],
        };
    }

    // A closed loop waits in the system's call only, so that its processor time is its work; an open loop may
    // ask instead of waiting, and counts the time that it asked in vain. Whether it had a core when it wanted
    // one is measured by how late it sent.
    private ThreadResult Share(LoopFigures loop)
    {
        double seconds = Math.Max(loop.EndedAt - loop.StartedAt, 1) / (double)Stopwatch.Frequency;
        bool isPaced = _options.Rate is not null || _options.ClientRate is not null;
        double work = isPaced ? seconds - loop.IdleTicks / (double)Stopwatch.Frequency : loop.CpuSeconds;
        double wait = isPaced ? 0 : Math.Clamp(loop.CoreWaitSeconds / seconds, 0, 1);
        return new ThreadResult(seconds, loop.CpuSeconds, Math.Clamp(work / seconds, 0, 1), wait);
    }

    private static LatencyHistogram Sum(IEnumerable<LatencyHistogram> histograms)
    {
        var sum = new LatencyHistogram();
        foreach (LatencyHistogram histogram in histograms) sum.Add(histogram);
        return sum;
    }
}
