using System;
using System.Diagnostics;
using System.Threading;
using Cinnabar.Bench.Report;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;
using Cinnabar.Load.Waits;

namespace Cinnabar.Bench.Suites.Durability;

/// <summary>The measurements of a <see cref="SavingSuite"/> on a filled server.</summary>
internal sealed class SavingRun(MeasuredServer server, LoadOptions load, Round round) : IDisposable
{
    private static readonly TimeSpan s_warmUpTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_momentTime = TimeSpan.FromMilliseconds(100);
    private readonly MeasuredServer _server = server;
    private readonly ServerLink _link = server.Link();
    private readonly LoadOptions _load = load;
    private readonly Round _round = round;

    private string Name => _server.Spec.Name;

    private string Keys => $"{_load.Keys.Count:N0} keys";

    public void Dispose() => _link.Dispose();

    /// <summary>How long another client waits in the first tenth of a second of a save, without a
    /// load.</summary>
    /// <exception cref="LoadException">The server failed.</exception>
    public void MeasureMoment()
    {
        _round.Live.ShowStep("wait at the snapshot's moment");
        using var probe = _round.Probe(_server);
        using var probing = ProbeThread.Start(probe, _round.LoadCores);
        Thread.Sleep(s_warmUpTime);
        WaitFigures before = probe.BeginStretch();
        Thread.Sleep(s_warmUpTime);
        WaitFigures moment = probe.BeginStretch();
        BackgroundSave save = BackgroundSave.Begin(_server, _link);
        Thread.Sleep(s_momentTime);
        WaitFigures after = probe.BeginStretch();
        save.Wait();
        probing.Stop();
        Add("before a snapshot", before, false);
        Add("at its moment", moment, true);
        Add("while it is saved", after, false);

        void Add(string name, WaitFigures waits, bool isHeadline) => _round.Report.Add(
            $"{Keys}, longest wait of another client {name}", "µs", Name, waits.InTurn.MaxNs / 1e3,
            isHeadline);
    }

    /// <summary>Throughput while saving, against that right before.</summary>
    /// <param name="name">The name of the rows.</param>
    /// <param name="saverCore">The core that the saver is moved to; null: it stays.</param>
    /// <exception cref="LoadException">The server failed.</exception>
    public void MeasureThroughput(string name, int? saverCore)
    {
        using var generator = new LoadGenerator(_load);
        _round.Live.ShowStep($"{name}: not saving");
        generator.Run(s_warmUpTime.TotalSeconds);
        long start = Stopwatch.GetTimestamp();
        double usual = Rate(RateSlices.RunWhile(generator,
            () => Stopwatch.GetElapsedTime(start).TotalSeconds < _round.Seconds));
        _round.Live.ShowStep($"{name}: saving");
        BackgroundSave save = BackgroundSave.Begin(_server, _link);
        if (saverCore is { } core) save.MoveTo(core);
        double saving = Rate(RateSlices.RunWhile(generator, save.IsRunning));
        double seconds = save.Elapsed.TotalSeconds;
        name = $"{Keys}, {name}";
        _round.Report.Add($"{name}, throughput when not saving", "ops/s", Name, usual);
        _round.Report.Add($"{name}, throughput while saving", "ops/s", Name, saving);
        _round.Report.Add($"{name}, throughput while saving against not saving", "×", Name, saving / usual,
            isHeadline: true);
        _round.Report.Add($"{name}, time of the save under load", "s", Name, seconds);
    }

    /// <summary>The memory of server and saver while every key is overwritten at full speed.</summary>
    /// <exception cref="LoadException">The server failed.</exception>
    public void MeasureMemory()
    {
        _round.Live.ShowStep("memory under overwrites");
        ProcessUsage usage = Round.UsageOf(_server);
        _ = Round.SettledBytes(_server);
        long before = usage.UnsharedBytes();
        long peak = before;
        using var generator = new LoadGenerator(_load with { Commands = [CommandTemplate.Set()] });
        BackgroundSave save = BackgroundSave.Begin(_server, _link);
        (long requests, double seconds) = RateSlices.RunWhile(generator, () =>
        {
            peak = long.Max(peak, usage.UnsharedBytes());
            return save.IsRunning();
        });
        SuiteReport report = _round.Report;
        report.Add($"{Keys}, peak memory while saving under overwrites, over before", "×", Name,
            peak / (double)before, isHeadline: true);
        report.Add($"{Keys}, overwrites meanwhile", "a key", Name, requests / (double)_load.Keys.Count);
        report.Add($"{Keys}, overwrites meanwhile", "ops/s", Name, requests / seconds);
    }

    private static double Rate((long Requests, double Seconds) run) => run.Requests / run.Seconds;
}
