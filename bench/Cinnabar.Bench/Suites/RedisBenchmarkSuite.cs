using System;
using System.Diagnostics;
using System.Globalization;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>The real redis-benchmark with each of its tests for commands that Cinnabar has. Its client costs
/// more than a fast server, so pipelined it shows a lower bound of what the server can do.</summary>
internal sealed class RedisBenchmarkSuite : ISuite
{
    private const string Tests = "ping_inline,ping_mbulk,set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,"
        + "zadd,zpopmin,lrange_100,lrange_300,lrange_500,lrange_600,mset,xadd";
    private const double FlatRate = 100_000;
    private const double DeepRate = 600_000;

    public string Name => "redis-benchmark";

    public string Title => "redis-benchmark, -P 1 and -P 16";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 2;

    public void Measure(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        foreach ((int depth, double rate) in new[] { (1, FlatRate), (16, DeepRate) })
        {
            round.Live.Tell($"redis-benchmark -P {depth}");
            string output = Run(server.Address, round, depth, (long)(rate * round.Seconds));
            foreach (string line in output.Split('\n', StringSplitOptions.RemoveEmptyEntries))
            {
                string[] cells = line.Split("\",\"");
                if (cells.Length < 2 || cells[0] == "\"test") continue;
                double perSecond = double.Parse(cells[1], CultureInfo.InvariantCulture);
                round.Report.Add($"{cells[0].TrimStart('"')} -P {depth}", "ops/s", spec.Name, perSecond);
            }
        }
    }

    private static string Run(ServerAddress server, Round round, int depth, long count)
    {
        string[] words = ["redis-benchmark", "-h", server.Host, "-p", $"{server.Port}", "-t", Tests, "-n",
            $"{count}", "-r", "100000", "-P", $"{depth}", "--csv"];
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
