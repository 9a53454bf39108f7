using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;

namespace Cinnabar.Lab.Runner.Workloads;

/// <summary>Runs redis-benchmark, which is the load that line two's author had.</summary>
internal static class RedisBenchmark
{
    private const string Program = "redis-benchmark";
    private const int MoreRequests = 8;

    /// <summary>Runs one of its tests and gives its result, with the processor time of both sides.
    /// Its clock counts whole milliseconds, and may be set: a count that takes less than one, or less than
    /// none, gives no rate, and is repeated with more requests.</summary>
    /// <param name="station">The station.</param>
    /// <param name="test">The test's name for <c>-t</c>.</param>
    /// <param name="clients">The number of connections.</param>
    /// <param name="count">The least number of requests; the point has the number that was sent.</param>
    /// <param name="plan">Sizes and keys.</param>
    /// <exception cref="LabException">It fails, or prints no result.</exception>
    public static Point Measure(RunningStation station, string test, int clients, long count, LabPlan plan)
    {
        double serverCpu, loadCpu;
        double[] cells;
        while (true)
        {
            serverCpu = station.CpuSeconds;
            loadCpu = ProcessTimes.ChildrenSeconds();
            cells = Run(station.Port, test, clients, count, plan);
            serverCpu = station.CpuSeconds - serverCpu;
            loadCpu = ProcessTimes.ChildrenSeconds() - loadCpu;
            if (cells[0] > 0 && double.IsFinite(cells[0])) break;
            count *= MoreRequests;
        }
        double seconds = count / cells[0];
        // Opening a thousand connections takes longer than the requests, but mostly by waiting: the shares
        // are of the time of the requests, so what the opening cost makes them a little too large, never too
        // small. Cells: requests a second, then latencies in milliseconds: mean, least, 50, 95, 99 %,
        // greatest.
        return new Point
        {
            Command = test,
            Clients = clients,
            Operations = count,
            Seconds = seconds,
            OpsPerSecond = cells[0],
            ServerCpuUsPerOp = serverCpu * 1e6 / count,
            ServerBusy = serverCpu / seconds,
            LoadBusy = Math.Min(1, loadCpu / seconds),
            LatencyUs = [[50, cells[3] * 1e3], [95, cells[4] * 1e3], [99, cells[5] * 1e3],
                [100, cells[6] * 1e3]],
        };
    }

    private static double[] Run(int port, string test, int clients, long count, LabPlan plan)
    {
        string[] words = [Program, "-p", $"{port}", "-r", $"{plan.SweepKeyCount}",
            "-d", $"{plan.SweepValueSize}", "-t", test, "-n", $"{count}", "-c", $"{clients}", "--csv"];
        if (plan.LoadCore is { } core) words = ["taskset", "-c", $"{core}", .. words];
        var start = new ProcessStartInfo(words[0], words[1..])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start) ?? throw new LabException($"no {Program}");
        var errors = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        string? line = output.Split('\n').FirstOrDefault(line => line.Length > 0
            && !line.StartsWith("\"test\"", StringComparison.Ordinal));
        if (process.ExitCode != 0 || line is null)
            throw new LabException($"{Program} -t {test} -c {clients} ended with exit code "
                + $"{process.ExitCode}: {errors.Result.Trim()} {output.Trim()}");
        return Cells(line);
    }

    /// <summary>The numbers of a line of its CSV; a rate over no time at all is "inf" there, or
    /// "-nan".</summary>
    /// <exception cref="LabException">It holds something else.</exception>
    public static double[] Cells(string line) => [.. line.Split("\",\"").Skip(1)
        .Select(cell => cell.Trim('"'))
        .Select(cell => cell is "inf" ? double.PositiveInfinity : cell is "nan" or "-nan" ? double.NaN
            : double.TryParse(cell, CultureInfo.InvariantCulture, out double number) ? number
            : throw new LabException($"{Program} says \"{line}\""))];
}
