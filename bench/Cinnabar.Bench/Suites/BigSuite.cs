using System;
using System.Diagnostics;
using System.Threading;
using Cinnabar.Bench.Report;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;
using Cinnabar.Load.Waits;

namespace Cinnabar.Bench.Suites;

/// <summary>Huge collections: the costs of commands on them, and how long another client waits meanwhile
/// (<see cref="WaitProbe"/>), in the two seconds that begin with the command, and in the two
/// before.</summary>
internal sealed class BigSuite : ISuite
{
    private const int DataSize = 16;
    private const int RepeatCount = 5;
    private static readonly TimeSpan s_warmUpTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_stretchTime = TimeSpan.FromSeconds(2);

    public string Name => "big";

    public string Title => "Huge collections: speed, and the wait of another client";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 2;

    public void Measure(ServerSpec spec, Round round)
    {
        long count = round.KeyCount ?? (round.IsQuick ? 20_000 : 10_000_000);
        using MeasuredServer server = round.Start(spec);
        using ServerLink link = server.Link();
        LoadOptions load = round.Load(server, count, DataSize);
        MeasureSortedSet(load, server, round);
        link.Ask("FLUSHALL");
        MeasureMillion(load, long.Max(count / 10, 1), server, round);
        link.Ask("FLUSHALL");
        foreach (string[] end in new string[][] { ["DEL", "set"], ["UNLINK", "set"], ["PEXPIRE", "set", "1"],
                     ["FLUSHALL"] })
        {
            round.FillWith("SADD set __key__", load);
            MeasureWait($"{end[0]} of {count:N0} members", end, server, round);
        }
    }

    private static void MeasureSortedSet(LoadOptions load, MeasuredServer server, Round round)
    {
        round.FillWith("ZADD zset __rand_int__ __key__", load);
        foreach (string command in new[] { "ZADD zset __rand_int__ __key__", "ZRANK zset __key__" })
        {
            string name = $"{command[..command.IndexOf(' ', StringComparison.Ordinal)]} among "
                + $"{load.Keys.Count:N0}, 16 deep";
            round.Live.ShowStep(name);
            using var generator = new LoadGenerator(load with
            {
                Depth = 16,
                Commands = [CommandTemplate.Parse(command)],
            });
            round.Report.Add(name, "ops/s", server.Spec.Name, Checked(generator.Run(), server).Rate,
                isHeadline: true);
        }
    }

    private static void MeasureMillion(LoadOptions load, long count, MeasuredServer server, Round round)
    {
        var first = new KeySpace { Maximum = count - 1 };
        round.FillWith("SADD a __key__", load with { Keys = first });
        round.FillWith("SADD b __key__", load with
        {
            Keys = new KeySpace { Minimum = count / 2, Maximum = count / 2 + count - 1 },
        });
        MeasureTime($"SINTER of two sets of {count:N0}", "SINTER a b", load, server, round);
        round.FillWith("RPUSH list __rand_int__", load with { Keys = first });
        MeasureTime($"SORT of {count:N0}", "SORT list", load, server, round);
        MeasureWait($"SORT of {count:N0}", ["SORT", "list", "LIMIT", "0", "1"], server, round);
    }

    private static void MeasureTime(
        string name, string command, LoadOptions load, MeasuredServer server, Round round)
    {
        round.Live.ShowStep(name);
        using var generator = new LoadGenerator(load with
        {
            ClientCount = 1,
            Seconds = null,
            RequestCount = RepeatCount,
            Commands = [CommandTemplate.Parse(command)],
        });
        LoadResult result = Checked(generator.Run(), server);
        round.Report.Add(name, "ms", server.Spec.Name, result.Latency.PercentileNs(0.5) / 1e6,
            isHeadline: true);
    }

    private static void MeasureWait(string name, string[] command, MeasuredServer server, Round round)
    {
        round.Live.ShowStep($"wait during {name}");
        using var probe = round.Probe(server);
        using ServerLink link = server.Link();
        using var probing = ProbeThread.Start(probe, round.LoadCores);
        Thread.Sleep(s_warmUpTime);
        WaitFigures before = probe.BeginStretch();
        Thread.Sleep(s_stretchTime);
        WaitFigures during = probe.BeginStretch();
        long start = Stopwatch.GetTimestamp();
        do link.Ask(command);
        while (command[0] == "SORT" && Stopwatch.GetElapsedTime(start) < s_stretchTime);
        TimeSpan left = s_stretchTime - Stopwatch.GetElapsedTime(start);
        if (left > TimeSpan.Zero) Thread.Sleep(left);
        probing.Stop();
        new WaitRows(round.Report, server.Spec.Name).Add($"wait during {name}", before, during);
    }

    private static LoadResult Checked(LoadResult result, MeasuredServer server) =>
        result.ErrorCount == 0 ? result : throw new LoadException($"{server.Spec.Name}: {result.FirstError}");
}
