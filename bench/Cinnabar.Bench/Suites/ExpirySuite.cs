using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using Cinnabar.Bench.Report;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;
using Cinnabar.Load.Waits;

namespace Cinnabar.Bench.Suites;

/// <summary>Keys that expire: how long another client waits while a million do in one instant, and how late
/// keys are removed whose deadlines follow each other (<see cref="LatenessProbe"/>), by an idle server and by
/// one at half load, and how late their events come at four fifths of its load.</summary>
internal sealed class ExpirySuite : ISuite
{
    private const int ValueSize = 64;
    private const int KeysPerMs = 10;
    private const double RemovalSecondsMax = 60;
    private const double HighShare = 0.8;
    private static readonly TimeSpan s_fillTimePerMillion = TimeSpan.FromSeconds(7);
    private static readonly TimeSpan s_warmUpTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_stretchTime = TimeSpan.FromSeconds(2);

    public string Name => "expiry";

    public string Title => "A million keys that expire at once, and how late keys are removed";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 2;

    public void Measure(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        MeasureInstant(server, round, round.KeyCount ?? (round.IsQuick ? 20_000 : 1_000_000));
        MeasureLateness(server, round, "idle", null);
        LoadOptions load = round.Load(server, 1000, ValueSize) with
        {
            Commands = [CommandTemplate.Set()],
            Depth = 10,
        };
        double rate;
        round.Live.ShowStep("full speed");
        using (var generator = new LoadGenerator(load)) rate = generator.Run(round.Seconds).Rate;
        MeasureLateness(server, round, "half load", load with { Rate = rate / 2 });
        MeasureEvents(server, round, load with { Rate = rate * HighShare });
    }

    private static void MeasureInstant(MeasuredServer server, Round round, long count)
    {
        LoadOptions load = round.Load(server, count, ValueSize);
        DateTime instant = DateTime.UtcNow + s_fillTimePerMillion * Math.Max(count / 1e6, 0.5);
        long instantMs = UnixMs(instant);
        round.FillWith($"SET __key__ __data__ PXAT {instantMs}", load);
        using var probe = round.Probe(server);
        using ServerLink link = server.Link();
        SleepUntil(instant - s_stretchTime - s_warmUpTime);
        round.Live.ShowStep($"{count:N0} keys expire");
        using var probing = ProbeThread.Start(probe, round.LoadCores);
        SleepUntil(instant - s_stretchTime);
        WaitFigures before = probe.BeginStretch();
        SleepUntil(instant - TimeSpan.FromMilliseconds(1));
        if (Count(link) != count)
            throw new LoadException("not all keys were there when they should have expired");
        WaitFigures during = probe.BeginStretch();
        SleepUntil(instant + s_stretchTime);
        probing.Stop();
        string name = $"{count:N0} keys expire in one instant";
        new WaitRows(round.Report, server.Spec.Name).Add($"wait while {name}", before, during);
        long start = Stopwatch.GetTimestamp();
        while (Count(link) > 0 && Stopwatch.GetElapsedTime(start).TotalSeconds < RemovalSecondsMax)
            Thread.Sleep(1);
        round.Report.Add($"{name}, seconds until the last was removed (2 at least)", "s", server.Spec.Name,
            (DateTime.UtcNow - instant).TotalSeconds);
    }

    private static void MeasureLateness(
        MeasuredServer server, Round round, string name, LoadOptions? load)
    {
        round.Live.ShowStep($"lateness, {name}");
        using ServerLink link = server.Link();
        long others = Count(link);
        long[] deadlinesMs = SetKeys(link, round);
        using var probe = new LatenessProbe(round.Load(server, 1, 1), deadlinesMs, others);
        double busy = Run(server, round, probe, deadlinesMs, load);
        Add(round, server, $"removal too late, {name}", probe.Lateness);
        round.Report.Add($"server busy, {name}", "%", server.Spec.Name, busy);
    }

    private static void MeasureEvents(MeasuredServer server, Round round, LoadOptions load)
    {
        string name = $"{HighShare:P0} load";
        round.Live.ShowStep($"events, {name}");
        using ServerLink link = server.Link();
        link.Ask("CONFIG", "SET", "notify-keyspace-events", "Ex");
        long[] deadlinesMs = SetKeys(link, round);
        using var probe = new EventLatenessProbe(round.Load(server, 1, 1), deadlinesMs);
        double busy = Run(server, round, probe, deadlinesMs, load);
        if (probe.Count == 0) throw new LoadException("no key has expired");
        Add(round, server, $"expired event too late, {name}", probe.Lateness);
        round.Report.Add($"expired events that came in time to be measured, {name}", "%", server.Spec.Name,
            100.0 * probe.Count / deadlinesMs.Length);
        round.Report.Add($"server busy, events, {name}", "%", server.Spec.Name, busy);
    }

    private static void Add(Round round, MeasuredServer server, string name, LatencyHistogram lateness)
    {
        round.Report.Add($"{name}, p99", "ms", server.Spec.Name, lateness.PercentileNs(0.99) / 1e6,
            isHeadline: true);
        round.Report.Add($"{name}, maximum", "ms", server.Spec.Name, lateness.MaxNs / 1e6);
    }

    /// <summary>Sets keys that expire one after the other, from a moment on that is soon.</summary>
    /// <returns>Their deadlines.</returns>
    private static long[] SetKeys(ServerLink link, Round round)
    {
        int count = (int)(round.Seconds * 1000) * KeysPerMs;
        // Setting them one by one takes less than 0.5 ms each, even where the machine has other work.
        DateTime first = DateTime.UtcNow + TimeSpan.FromMilliseconds(500 + count / 2.0);
        long[] deadlinesMs = [.. Enumerable.Range(0, count).Select(key => UnixMs(first) + key / KeysPerMs)];
        for (int key = 0; key < count; key++)
            link.Ask("SET", EventLatenessProbe.KeyOf(key), "x", "PXAT",
                deadlinesMs[key].ToString(CultureInfo.InvariantCulture));
        if (DateTime.UtcNow > first) throw new LoadException("the keys took longer than their deadlines");
        return deadlinesMs;
    }

    /// <summary>Runs a probe while the keys expire, beside a load where there is one.</summary>
    /// <returns>The share of a core that the server took, in percent.</returns>
    private static double Run(
        MeasuredServer server, Round round, IProbe probe, long[] deadlinesMs, LoadOptions? load)
    {
        SleepUntil(DateTimeOffset.FromUnixTimeMilliseconds(deadlinesMs[0]).UtcDateTime
            - TimeSpan.FromMilliseconds(100));
        double cpu = Round.UsageOf(server).CpuSeconds();
        long start = Stopwatch.GetTimestamp();
        double seconds = round.Seconds + 0.1;
        if (load is null)
        {
            using var probing = ProbeThread.Start(probe, round.LoadCores);
            Thread.Sleep(TimeSpan.FromSeconds(seconds));
            probing.Stop();
        }
        else
        {
            using var generator = new LoadGenerator(load with { Seconds = seconds });
            generator.RunBeside(probe);
        }
        cpu = Round.UsageOf(server).CpuSeconds() - cpu;
        return 100 * cpu / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private static long Count(ServerLink link) =>
        long.Parse(link.Ask("DBSIZE")!, CultureInfo.InvariantCulture);

    private static long UnixMs(DateTime time) => new DateTimeOffset(time).ToUnixTimeMilliseconds();

    private static void SleepUntil(DateTime time)
    {
        TimeSpan left = time - DateTime.UtcNow;
        if (left > TimeSpan.Zero) Thread.Sleep(left);
    }
}
