using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Bench.Load;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;
using Cinnabar.Bench.Suites;
using Spectre.Console;

namespace Cinnabar.Bench;

/// <summary>Runs suites: rounds outside, servers inside, so that what changes on the machine meanwhile meets
/// all servers alike.</summary>
internal sealed class SuiteRunner(BenchOptions options)
{
    /// <summary>Every suite, in the order in which <c>all</c> runs them.</summary>
    public static IReadOnlyList<ISuite> All { get; } =
    [
        new MixSuite(), new MinuteSuite(), new RedisBenchmarkSuite(), new MemorySuite(), new LatencySuite(),
        new StartSuite(), new IdleSuite(),
    ];

    /// <summary>Runs the suites that the options name and keeps their reports.</summary>
    /// <exception cref="LoadException">A name is not known, or a measurement is void.</exception>
    public void Run()
    {
        var store = new ReportStore(options.Root);
        var suites = options.Suites.SequenceEqual(["all"]) ? All : [.. options.Suites.Select(Find)];
        foreach (ISuite suite in suites) store.Keep(Run(suite));
        if (options.IsMarkdown) store.WriteMarkdown();
    }

    private static ISuite Find(string name) => All.FirstOrDefault(suite => suite.Name == name)
        ?? throw new LoadException($"no suite is called {name}");

    private SuiteReport Run(ISuite suite)
    {
        int rounds = options.Rounds ?? suite.Rounds;
        double seconds = suite.Seconds == 0 ? 0 : options.Seconds ?? suite.Seconds;
        List<ServerSpec> servers = options.Servers.Count > 0 ? options.Servers
            : [.. suite.Servers.Split(',').Select(name => ServerSpec.Parse(name, options.Root))];
        var report = new SuiteReport(suite.Name, suite.Title) { Rounds = rounds, Seconds = seconds };
        // Drawn between steps only: a redraw would take time from the load.
        AnsiConsole.Progress().AutoRefresh(false).Start(progress =>
        {
            ProgressTask task = progress.AddTask(suite.Name, maxValue: rounds * servers.Count);
            for (int round = 1; round <= rounds; round++)
                foreach (ServerSpec server in servers)
                {
                    string place = $"{suite.Name} {round}/{rounds} ";
                    suite.Measure(server, new Round(seconds, options.ServerCore, options.LoadCore,
                        options.KeyCount, step =>
                        {
                            task.Description = Markup.Escape(place + step);
                            progress.Refresh();
                        }), report);
                    task.Increment(1);
                    progress.Refresh();
                }
        });
        return report;
    }
}
