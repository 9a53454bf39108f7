using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench;

/// <summary>Puts the load that the command line describes on one server, or on several in turn: rounds
/// outside, servers inside, so that a change of the machine affects all servers alike. A running server is
/// never emptied; its keys are set only on request, once.</summary>
internal sealed class LoadVerb(BenchOptions options)
{
    private readonly LoadArguments _arguments = options.Load!;
    private readonly Dictionary<string, LatencyHistogram> _latencies = [];
    private readonly HashSet<string> _populated = [];
    private SuiteReport _report = null!;

    /// <summary>Runs the load, shows and keeps its results.</summary>
    /// <exception cref="LoadException">An option is wrong, or a measurement is void.</exception>
    public void Run()
    {
        LoadOptions load = _arguments.ToOptions();
        List<ServerSpec> servers = Servers(load);
        int rounds = options.Rounds ?? 1;
        _report = new SuiteReport("load", Title(load))
        {
            Rounds = rounds,
            Seconds = load.Seconds ?? 0,
            Reference = options.Reference,
        };
        if (load.Cores.Count > 0) ProcessorPin.ThisProcess(load.Cores[0]);
        LiveProgress.Show("load", rounds * servers.Count, live =>
        {
            for (int round = 1; round <= rounds; round++)
                foreach (ServerSpec server in servers)
                {
                    live.Begin(rounds > 1 ? $"{round}/{rounds} {server.Name}:" : $"{server.Name}:");
                    Measure(server, load, live);
                    live.End();
                }
        });
        foreach ((string server, LatencyHistogram latency) in _latencies)
            _report.Curves[server] = [.. CurvePoint.Of(latency)];
        new ReportStore(options.Root).Keep(_report);
        if (options.JsonPath is not null) ReportStore.Copy([_report], options.JsonPath);
    }

    private List<ServerSpec> Servers(LoadOptions load)
    {
        var known = new KnownServers(options.Root);
        List<ServerSpec> servers = [.. options.Servers.Select(server =>
            known.Parse(server, load.Data.Maximum))];
        if (servers.Count > 0 && _arguments.HasServer)
            throw new LoadException("a load has a host (-h, -p, -s, -u) or servers (--server), not both");
        if (servers.Count == 0)
            servers.Add(new() { Name = load.Server.ToString(), Address = load.Server });
        if (servers.DistinctBy(server => server.Name).Count() < servers.Count)
            throw new LoadException("two servers have the same name");
        if (options.Reference is { } wanted && servers.All(server => server.Name != wanted))
            throw new LoadException($"no server is called {wanted}");
        return servers;
    }

    // A child of a process that is pinned to the load's core would stay there.
    private IReadOnlyList<int> ServerCores(LoadOptions load)
    {
        if (options.ServerCores is not null || load.Cores.Count == 0) return options.ServerCores ?? [];
        int[] others = [.. Enumerable.Range(0, MachineText.CoreCount()).Except(load.Cores)];
        return others.Length > 0 ? others : load.Cores;
    }

    private void Measure(ServerSpec spec, LoadOptions load, LiveProgress live)
    {
        live.ShowStep(spec.Address is null ? "start" : "connect");
        using MeasuredServer server = MeasuredServer.Start(spec, ServerCores(load), load.Session);
        _report.Versions[spec.Name] = server.Version;
        load = load with { Server = server.Address };
        bool isPopulating = _arguments.IsPopulating && (spec.Address is null || _populated.Add(spec.Name));
        if (isPopulating)
        {
            live.ShowStep("set keys");
            long before = server.Usage?.ResidentBytes() ?? 0;
            LoadGenerator.Populate(load, live);
            if (spec.Address is null && server.Usage is { } usage)
                _report.Add("memory", "bytes a key", spec.Name,
                    (usage.ResidentBytes() - before) / (double)load.Keys.Count);
        }
        using LoadGenerator generator = WarmedUp(load, live);
        live.ShowStep("measure");
        double? cpu = server.Usage?.CpuSeconds();
        LoadResult result = generator.Run(live);
        cpu = server.Usage?.CpuSeconds() - cpu;
        new ResultRows(_report, spec.Name, "").AddAll(result, cpu);
        if (server.Usage is { } after)
            _report.Add("server's resident memory", "MB", spec.Name, after.ResidentBytes() / 1e6);
        if (!_latencies.TryGetValue(spec.Name, out LatencyHistogram? sum))
            _latencies[spec.Name] = sum = new LatencyHistogram();
        sum.Add(result.Latency);
    }

    // A warm-up at a rate that the server cannot serve leaves unusable connections.
    private LoadGenerator WarmedUp(LoadOptions load, LiveProgress live)
    {
        var generator = new LoadGenerator(load);
        double seconds = options.WarmUpSeconds ?? (load.RequestCount is null && !load.IsEachKeyOnce ? 1 : 0);
        if (seconds == 0) return generator;
        live.ShowStep("warm up");
        generator.Run(seconds);
        if (generator.IsUsable) return generator;
        generator.Dispose();
        return new LoadGenerator(load);
    }

    private static string Title(LoadOptions load)
    {
        string commands = string.Join(", ", load.Commands.Select(command => load.Commands.Count > 1
            ? $"{command.Name} × {command.Weight}" : string.Join(' ', command.Words)));
        string clients = load.ThreadCount > 1 ? $"{load.ThreadCount} × {load.ClientCount}"
            : $"{load.ClientCount}";
        string pace = load.Rate is { } rate ? $", open loop at {rate:N0}/s"
            : load.ClientRate is { } limit ? $", at most {limit:N0}/s a client" : "";
        return $"{commands}; {clients} clients, {load.Depth} deep, {load.Data.Text} bytes, "
            + $"{load.Keys.Count:N0} keys{pace}";
    }
}
