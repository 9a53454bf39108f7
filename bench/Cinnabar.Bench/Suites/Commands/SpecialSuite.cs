using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using Cinnabar.Bench.Suites.Replicating;
using Cinnabar.Load;
using Cinnabar.Load.Listening;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Commands;

/// <summary>What one command alone does not show: transactions, very long pipelines, values of a megabyte,
/// one and a thousand connections, messages to many, and a mix of SET and GET beside what else a server does.
/// Over TCP. Servers run side by side, as in <see cref="CommandsSuite"/>.</summary>
internal sealed class SpecialSuite : ISideBySideSuite
{
    private const int DataSize = 64;
    private const double WarmUpShare = 0.3;
    private const int WaitMs = 20;
    private const int WaitCountMax = 3000;

    public string Name => "special";

    public string Title => "Transactions, long pipelines, 1 MB values, connections, PUBLISH, other work";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 1;

    public void Measure(ServerSpec spec, Round round) => Measure([spec], round);

    public void Measure(IReadOnlyList<ServerSpec> specs, Round round)
    {
        var servers = new List<MeasuredServer>();
        try
        {
            foreach (ServerSpec spec in specs) servers.Add(round.Start(spec));
            foreach (MeasuredServer server in servers) Prepare(server, round);
            foreach (SpecialLoad load in SpecialLoad.All.Where(load => round.Has(load.Name)))
            {
                foreach (MeasuredServer server in servers) MeasureOne(load, server, round);
                servers.Reverse();
            }
        }
        finally
        {
            foreach (MeasuredServer server in servers) server.Dispose();
        }
    }

    private static LoadOptions Load(MeasuredServer server, Round round) =>
        round.Load(server, round.KeyCount ?? (round.IsQuick ? 1_000 : 100_000), DataSize);

    private static void Prepare(MeasuredServer server, Round round)
    {
        LoadOptions load = Load(server, round);
        round.Fill(server, load, load.Keys.Count);
        Ask(server, ["CONFIG SET client-output-buffer-limit 'pubsub 0 0 0'", "CONFIG SET maxclients 5000"]);
        using ServerLink link = server.Link();
        link.Ask("SET", "big", new string('x', 1_000_000));
    }

    private static void Ask(MeasuredServer server, IReadOnlyList<string> requests)
    {
        using ServerLink link = server.Link();
        foreach (string request in requests) link.Ask([.. CommandTemplate.SplitWords(request)]);
        // The file of a server that has begun to append is written by a child or a thread.
        for (int count = 0; link.Info("aof_rewrite_in_progress") == "1"; count++)
        {
            if (count == WaitCountMax)
                throw new LoadException("the append-only file is not there after a minute");
            Thread.Sleep(WaitMs);
        }
    }

    private static void MeasureOne(SpecialLoad load, MeasuredServer server, Round round)
    {
        round.Live.ShowStep(load.Name);
        int? core = round.LoadCores.Select(core => (int?)core).FirstOrDefault();
        if (load.On.Count > 0) Ask(server, load.On);
        using (StreamSink? sink = load.HasSink ? StreamSink.Follow(server.Address, core) : null)
        using (Subscribers? listeners = load.SubscriberCount == 0 ? null
            : new Subscribers(server.Address, SpecialLoad.Channel, load.SubscriberCount, core))
        using (var generator = new LoadGenerator(Load(server, round) with
        {
            ClientCount = load.ClientCount,
            Depth = load.Depth,
            Commands = load.Commands,
            Data = DataSizes.Fixed(load.DataSize),
            BeginsWithFirst = load.Commands[0].Name == "MULTI",
        }))
        {
            long count = Run(load, generator, server, round);
            listeners?.Await(count * load.SubscriberCount);
            using ServerLink link = server.Link();
            sink?.Await(long.Parse(link.Info("master_repl_offset")!, CultureInfo.InvariantCulture));
        }

        if (load.Off.Count > 0) Ask(server, load.Off);
    }

    /// <summary>Warms up and measures.</summary>
    /// <returns>How many requests there were in all.</returns>
    private static long Run(SpecialLoad load, LoadGenerator generator, MeasuredServer server, Round round)
    {
        string name = server.Spec.Name;
        long count = generator.Run(round.Seconds * WarmUpShare).RequestCount;
        double cpu = Round.UsageOf(server).CpuSeconds();
        LoadResult result = generator.Run();
        cpu = Round.UsageOf(server).CpuSeconds() - cpu;
        if (result.ErrorCount > 0) throw new LoadException($"{name}, {load.Name}: {result.FirstError}");
        round.Report.Add(load.Name, "ops/s", name, result.Rate, isHeadline: true);
        round.Report.Add($"{load.Name}, server's CPU", "µs/op", name, cpu * 1e6 / result.RequestCount);
        return count + result.RequestCount;
    }
}
