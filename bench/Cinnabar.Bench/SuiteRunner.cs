using System.Collections.Generic;
using System.Linq;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Suites;
using Cinnabar.Bench.Suites.Commands;
using Cinnabar.Bench.Suites.Durability;
using Cinnabar.Bench.Suites.Guarding;
using Cinnabar.Bench.Suites.Replicating;
using Cinnabar.Bench.Suites.Scaling;
using Cinnabar.Bench.Suites.Scripting;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench;

/// <summary>Runs suites: rounds outside, servers inside, so that a change of the machine affects all servers
/// alike.</summary>
internal sealed class SuiteRunner(BenchOptions options)
{
    private const double QuickSeconds = 0.5;
    private const int QuickRounds = 1;
    private const int FigureRounds = 3;

    /// <summary>Every suite, in the order in which <c>all</c> runs them.</summary>
    public static IReadOnlyList<ISuite> All { get; } =
    [
        ThroughputSuite.Pipeline(), new InsertSuite(), ThroughputSuite.Flat(), ThroughputSuite.Portable(),
        new RedisBenchmarkSuite(), new TypesSuite(), new MemorySuite(), new CollectionMemorySuite(),
        new BigSuite(), new StallSuite(), new ExpirySuite(), new StartSuite(), new IdleSuite(),
        new SavingSuite(), new FilesSuite(), new AppendSuite(), new ScriptsSuite(), new GuardSuite(),
        new HitSuite(), new TlsSuite(), new AccessSuite(), new ReplicationSuite(), new CommandsSuite(),
        new SpecialSuite(), new ScaleSuite(),
    ];

    /// <summary>The suites of <c>figures</c>, which compares builds: pass the other with
    /// <c>--also</c>.</summary>
    public static IReadOnlyList<string> Figures { get; } =
        ["pipeline", "inserts", "latency1", "types", "big", "stall", "memory", "start"];

    /// <summary>The suites of <c>durability</c>.</summary>
    public static IReadOnlyList<string> Durability { get; } = ["saving", "files", "appends"];

    /// <summary>The suites of <c>guard</c>; its own rows are those of memory limits.</summary>
    public static IReadOnlyList<string> Guard { get; } = ["guard", "hits", "tls", "access"];

    /// <summary>Runs the suites that the options name and keeps their reports.</summary>
    /// <exception cref="LoadException">A name is not known, or a measurement is void.</exception>
    public void Run()
    {
        var store = new ReportStore(options.Root);
        int loadCore = (options.LoadCores ?? [1])[0];
        bool isShared = loadCore >= MachineText.CoreCount();
        if (!isShared) ProcessorPin.ThisProcess(loadCore);
        using ReservedCores? reserved = options.IsReserving && !isShared
            ? new ReservedCores(options.ServerCores ?? [0]) : null;
        var reports = new List<SuiteReport>();
        foreach (ISuite suite in Suites(options.Suites))
        {
            SuiteReport report = Run(suite, isShared ? [] : [loadCore]);
            if (reserved is not null)
                report.Notes.Add($"{reserved.MovedCount} threads of other processes were kept off the "
                    + "servers' cores");
            if (isShared) report.Notes.Add("this machine has no second core: server and load shared one");
            store.Keep(report, isLast: !options.IsQuick && options.Only.Count == 0);
            reports.Add(report);
            // After each suite: an interrupted run keeps its results.
            if (options.JsonPath is not null) ReportStore.Copy(reports, options.JsonPath);
        }
        if (options.IsMarkdown) store.Publish();
    }

    /// <summary>The suites of some names; <c>all</c>, <c>figures</c> and <c>durability</c> stand for
    /// several.</summary>
    /// <exception cref="LoadException">A name is not known.</exception>
    internal static List<ISuite> Suites(IEnumerable<string> names) => [.. names.SelectMany(name => name switch
    {
        "all" => All,
        "figures" => Figures.Select(Find),
        "durability" => Durability.Select(Find),
        "guard" => Guard.Select(Find),
        _ => [Find(name)],
    })];

    private static ISuite Find(string name) => All.FirstOrDefault(suite => suite.Name == name)
        ?? throw new LoadException($"no suite is called {name}");

    private SuiteReport Run(ISuite suite, IReadOnlyList<int> loadCores)
    {
        int rounds = options.Rounds ?? (options.IsQuick ? QuickRounds
            : options.Suites.Contains("figures") ? FigureRounds : suite.Rounds);
        double seconds = suite.Seconds == 0 ? 0
            : options.Seconds ?? (options.IsQuick ? QuickSeconds : suite.Seconds);
        List<ServerSpec> servers = options.ServersOr(suite.Servers);
        var report = new SuiteReport(suite.Name, suite.Title)
        {
            Rounds = rounds,
            Seconds = seconds,
            Reference = options.Reference,
        };
        LiveProgress.Show(suite.Name, rounds * (suite is ISideBySideSuite ? 1 : servers.Count), live =>
        {
            Round one = new(report, live)
            {
                Seconds = seconds,
                ServerCores = options.ServerCores ?? (loadCores.Count > 0 ? [0] : []),
                LoadCores = loadCores,
                KeyCount = options.KeyCount,
                InsertRate = options.InsertRate,
                Only = options.Only,
                IsQuick = options.IsQuick,
                IsReserving = options.IsReserving && loadCores.Count > 0,
            };
            if (suite is IComparingSuite comparing)
            {
                live.Begin($"{suite.Name}:");
                comparing.Prepare(servers, one);
            }
            for (int round = 1; round <= rounds; round++)
                Measure(suite, servers, one, $"{suite.Name} {round}/{rounds}");
        });
        return report;
    }

    private static void Measure(ISuite suite, List<ServerSpec> servers, Round round, string name)
    {
        if (suite is ISideBySideSuite together)
        {
            round.Live.Begin($"{name}:");
            together.Measure(servers, round);
            round.Live.End();
            return;
        }
        foreach (ServerSpec server in servers)
        {
            round.Live.Begin($"{name} {server.Name}:");
            suite.Measure(server, round);
            round.Live.End();
        }
    }
}
