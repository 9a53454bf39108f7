using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using Cinnabar.Bench.Suites.Durability;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Replicating;

/// <summary>A master and a replica of the same kind. A stream of SETs that a replica applies, on the server's
/// core, sent from the load's; SETs at a master with a sink that reads and acknowledges, beside the same
/// without; and with the master on one core and the replica on the other, the time of a full synchronisation
/// and the master's memory meanwhile, under overwrites; and how long a failover by Sentinels takes.</summary>
internal sealed class ReplicationSuite : ISuite
{
    private const int ValueSize = 64;
    private const int StreamCount = 400_000;
    private const int SynchronisingSecondsMax = 600;
    private static readonly TimeSpan s_warmUpTime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_pollTime = TimeSpan.FromMilliseconds(5);

    public string Name => "replication";

    public string Title => "A replica's stream of SETs, SETs at a master with a sink, full synchronisation";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 5;

    public void Measure(ServerSpec spec, Round round)
    {
        spec = DataFolder.WithOptions(spec, "--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0");
        MeasureReplica(spec, round);
        MeasureMaster(spec, round);
        MeasureSynchronisation(spec, round);
        round.Report.Add("without a master at a failover by Sentinel (down after 1 s)", "s", spec.Name,
            FailoverMeasure.Seconds(spec, round), isHeadline: true);
    }

    private static void MeasureReplica(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        using var master = new StreamMaster(round.IsQuick ? StreamCount / 20 : StreamCount);
        using ServerLink link = server.Link();
        Follow(link, master.Port);
        master.Accept();
        round.Live.ShowStep("stream, warm up");
        master.SendOnce();
        round.Live.ShowStep("stream");
        round.Report.Add("stream of SETs applied by a replica", "ops/s", spec.Name,
            master.SendFor(round.Seconds), isHeadline: true);
    }

    private static void MeasureMaster(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        long count = round.IsQuick ? 20_000 : 1_000_000;
        LoadOptions load = round.Load(server, count, ValueSize) with
        {
            ClientCount = LoadShape.Deep.ClientCount,
            Depth = LoadShape.Deep.Depth,
            Commands = [CommandTemplate.Set()],
        };
        round.Fill(server, load, count);
        using var generator = new LoadGenerator(load);
        double alone = Rate(generator, round, "SET without a replica");
        using StreamSink sink = StreamSink.Follow(server.Address, round.LoadCores.Select(core => (int?)core)
            .FirstOrDefault());
        double beside = Rate(generator, round, "SET with a sink");
        using ServerLink link = server.Link();
        sink.Await(long.Parse(link.Info("master_repl_offset")!, CultureInfo.InvariantCulture));
        round.Report.Add("SET 30 deep at a master without a replica", "ops/s", spec.Name, alone);
        round.Report.Add("SET 30 deep at a master with a sink", "ops/s", spec.Name, beside, isHeadline: true);
        round.Report.Add("SET 30 deep with a sink against none", "×", spec.Name, beside / alone,
            isHeadline: true);
    }

    private static double Rate(LoadGenerator generator, Round round, string name)
    {
        round.Live.ShowStep(name);
        generator.Run(Math.Min(s_warmUpTime.TotalSeconds, round.Seconds));
        LoadResult result = generator.Run();
        return result.ErrorCount == 0 ? result.Rate : throw new LoadException($"SET: {result.FirstError}");
    }

    private static void MeasureSynchronisation(ServerSpec spec, Round round)
    {
        long count = round.KeyCount ?? (round.IsQuick ? 20_000 : 5_000_000);
        using MeasuredServer master = round.Start(spec);
        LoadOptions load = round.Load(master, count, ValueSize);
        round.Fill(master, load, count);
        Round other = round with { ServerCores = round.LoadCores };
        using (MeasuredServer replica = other.Start(spec))
        {
            using ServerLink link = replica.Link();
            round.Live.ShowStep("full synchronisation");
            long start = Stopwatch.GetTimestamp();
            Follow(link, master.Address.Port);
            while (!IsSynchronised(link, start)) Thread.Sleep(s_pollTime);
            round.Report.Add($"full synchronisation of {count:N0} keys", "s", spec.Name,
                Stopwatch.GetElapsedTime(start).TotalSeconds, isHeadline: true);
            if (link.Ask("DBSIZE") != count.ToString(CultureInfo.InvariantCulture))
                throw new LoadException($"the replica of {spec.Name} has other keys than its master");
        }
        using (MeasuredServer replica = other.Start(spec))
            MeasureMemory(master, replica, load, round);
    }

    private static void MeasureMemory(
        MeasuredServer master, MeasuredServer replica, LoadOptions load, Round round)
    {
        round.Live.ShowStep("memory while synchronising");
        ProcessUsage usage = Round.UsageOf(master);
        using ServerLink masterLink = master.Link();
        using ServerLink link = replica.Link();
        _ = Round.SettledBytes(master);
        long before = Bytes();
        long peak = before;
        using var generator = new LoadGenerator(load with { Commands = [CommandTemplate.Set()] });
        long start = Stopwatch.GetTimestamp();
        Follow(link, master.Address.Port);
        (long requests, double seconds) = RateSlices.RunWhile(generator, () =>
        {
            peak = long.Max(peak, Bytes());
            return !IsSynchronised(link, start);
        });
        string keys = $"{load.Keys.Count:N0} keys";
        round.Report.Add($"{keys}, peak memory of the master while synchronising, over before", "×",
            master.Spec.Name, peak / (double)before, isHeadline: true);
        round.Report.Add("overwrites meanwhile", "ops/s", master.Spec.Name, requests / seconds);

        // What replicas have not read, and the backlog, are not counted.
        long Bytes() => usage.UnsharedBytes()
            - long.Parse(masterLink.Info("mem_total_replication_buffers")!, CultureInfo.InvariantCulture);
    }

    private static void Follow(ServerLink link, int port) =>
        link.Ask("REPLICAOF", "127.0.0.1", port.ToString(CultureInfo.InvariantCulture));

    private static bool IsSynchronised(ServerLink link, long start)
    {
        if (Stopwatch.GetElapsedTime(start).TotalSeconds > SynchronisingSecondsMax)
            throw new LoadException("the replica is not synchronised after ten minutes");
        return link.Info("master_link_status") == "up";
    }
}
