using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Commands;

/// <summary>Every command of <see cref="LoadCatalog"/>, 16 deep and 1 deep, over a unix socket where the
/// server has one (<see cref="TypesSuite"/> says why): throughput, and the server's processor time for a
/// request of the round. All servers run at once and each command is measured on one right after the other,
/// in turning order, so that a change of the machine meets all of them. A command that a server does not know
/// is measured on the others.</summary>
internal sealed class CommandsSuite : ISideBySideSuite
{
    private const int DataSize = 16;
    private const int ClientCount = 50;
    private const int KeyCount = 10_000;
    private const int QuickKeyCount = 1000;
    private const double WarmUpShare = 0.25;
    private static readonly int[] s_depths = [16, 1];

    public string Name => "commands";

    public string Title => "Every command, 16 deep and 1 deep, 50 clients, unix socket";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 0.2;

    public void Measure(ServerSpec spec, Round round) => Measure([spec], round);

    public void Measure(IReadOnlyList<ServerSpec> specs, Round round)
    {
        var servers = new List<MeasuredServer>();
        try
        {
            foreach (ServerSpec spec in specs) servers.Add(round.Start(spec));
            foreach (CommandFamily family in LoadCatalog.Families) Measure(family, servers, round);
        }
        finally
        {
            foreach (MeasuredServer server in servers) server.Dispose();
        }
    }

    private static void Measure(CommandFamily family, List<MeasuredServer> servers, Round round)
    {
        var loads = family.Loads.Where(load => round.Has(load.Name)).ToList();
        if (loads.Count == 0) return;
        foreach (MeasuredServer server in servers) Prepare(family, server, round);
        foreach (CommandLoad load in loads)
        {
            var knowing = servers.Where(server => Knows(server, load)).ToList();
            if (knowing.Count == 0) throw new LoadException($"no server knows {load.Name}");
            foreach (int depth in s_depths)
            {
                foreach (MeasuredServer server in knowing) Measure(load, depth, server, round);
                knowing.Reverse();
            }
        }
    }

    private static void Prepare(CommandFamily family, MeasuredServer server, Round round)
    {
        using ServerLink link = server.Link();
        link.Ask("FLUSHALL");
        foreach (string request in family.Setup)
            if (request.Contains(CommandTemplate.KeyPlace, StringComparison.Ordinal))
                round.FillWith(request, Load(server, round));
            else link.Ask([.. CommandTemplate.SplitWords(request)]);
    }

    private static bool Knows(MeasuredServer server, CommandLoad load)
    {
        using ServerLink link = server.Link();
        return !string.IsNullOrWhiteSpace(link.Ask("COMMAND", "INFO", load.Command));
    }

    private static LoadOptions Load(MeasuredServer server, Round round) =>
        round.Load(server, round.KeyCount ?? (round.IsQuick ? QuickKeyCount : KeyCount), DataSize) with
        {
            Server = server.UnixAddress ?? server.Address,
            ClientCount = ClientCount,
        };

    private static void Measure(CommandLoad load, int depth, MeasuredServer server, Round round)
    {
        string name = $"{load.Name}, {depth} deep";
        round.Live.ShowStep(name);
        using var generator = new LoadGenerator(Load(server, round) with
        {
            Depth = depth,
            Commands = load.Templates(),
            BeginsWithFirst = true,
        });
        generator.Run(round.Seconds * WarmUpShare);
        double cpu = Round.UsageOf(server).CpuSeconds();
        LoadResult result = generator.Run();
        cpu = Round.UsageOf(server).CpuSeconds() - cpu;
        if (result.ErrorCount > 0)
            throw new LoadException($"{server.Spec.Name}, {name}: {result.FirstError}");
        round.Report.Add(name, "ops/s", server.Spec.Name, result.Rate);
        round.Report.Add($"{name}, server's CPU", "µs/op", server.Spec.Name,
            cpu * 1e6 / result.RequestCount);
    }
}
