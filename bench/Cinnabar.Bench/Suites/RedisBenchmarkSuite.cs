using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>The real redis-benchmark with each of its tests for commands that Cinnabar has. All servers run
/// at once, and each test measures them one right after the other, so that changes in the machine's speed
/// affect a ratio little; they take turns at being first. Its client costs more than a fast server, so
/// pipelined it shows only a lower bound of the server's rate; the server's processor time a request, shown
/// beside it, has no such bound.</summary>
internal sealed class RedisBenchmarkSuite : ISideBySideSuite
{
    // Those of LRANGE fill a list first, which one run of the four does once.
    private static readonly string[] s_tests =
    [
        "ping_inline", "ping_mbulk", "set", "get", "incr", "lpush", "rpush", "lpop", "rpop", "sadd", "hset",
        "spop", "zadd", "zpopmin", "lrange_100,lrange_300,lrange_500,lrange_600", "mset", "xadd",
    ];

    private static readonly string[] s_headlines = ["set", "get", "lpush", "mset"];

    private const double FlatRate = 100_000;
    private const double DeepRate = 600_000;

    public string Name => "redis-benchmark";

    public string Title => "redis-benchmark, -P 1 and -P 16";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 2;

    public void Measure(ServerSpec spec, Round round) => Measure([spec], round);

    public void Measure(IReadOnlyList<ServerSpec> specs, Round round)
    {
        var servers = new List<MeasuredServer>();
        try
        {
            foreach (ServerSpec spec in specs) servers.Add(round.Start(spec));
            foreach ((int depth, double rate) in new[] { (1, FlatRate), (16, DeepRate) })
                foreach (string test in s_tests)
                {
                    round.Live.ShowStep($"redis-benchmark -P {depth} {test}");
                    foreach (MeasuredServer server in servers)
                        Measure(server, round, test, (depth, (long)(rate * round.Seconds)));
                    servers.Reverse();
                }
        }
        finally
        {
            foreach (MeasuredServer server in servers) server.Dispose();
        }
    }

    private static void Measure(MeasuredServer server, Round round, string test, (int Depth, long Count) load)
    {
        string name = server.Spec.Name;
        double before = server.Usage?.CpuSeconds() ?? 0;
        string output = Run(server.Address, round, test, load);
        double cpuSeconds = (server.Usage?.CpuSeconds() ?? 0) - before;
        var rows = output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => line.Split("\",\""))
            .Where(cells => cells.Length >= 2 && cells[0] != "\"test").ToList();
        foreach (string[] cells in rows)
            round.Report.Add($"{cells[0].TrimStart('"')} -P {load.Depth}", "ops/s", name,
                double.Parse(cells[1], CultureInfo.InvariantCulture), s_headlines.Contains(test));
        if (rows.Count != 1 || server.Usage is null) return;
        round.Report.Add($"{rows[0][0].TrimStart('"')} -P {load.Depth}, server's processor time",
            "µs a request", name, cpuSeconds * 1e6 / load.Count);
    }

    private static string Run(ServerAddress server, Round round, string test, (int Depth, long Count) load)
    {
        string[] words = ["redis-benchmark", "-h", server.Host, "-p", $"{server.Port}", "-t", test, "-n",
            $"{load.Count}", "-r", "100000", "-P", $"{load.Depth}", "--csv"];
        if (OperatingSystem.IsLinux() && round.LoadCores.Count > 0)
            words = ["taskset", "-c", string.Join(',', round.LoadCores), .. words];
        var start = new ProcessStartInfo(words[0], words[1..]) { RedirectStandardOutput = true };
        using Process process = Process.Start(start)
            ?? throw new LoadException("redis-benchmark does not start");
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0) throw new LoadException($"redis-benchmark ended with {process.ExitCode}");
        return output;
    }
}
