using Cinnabar.Load;

namespace Cinnabar.Bench.Report;

/// <summary>Adds a load's results to a report, in rows with a common prefix.</summary>
internal sealed class ResultRows(SuiteReport report, string server, string prefix)
{
    /// <summary>Adds rates, costs and the usual percentiles.</summary>
    /// <param name="result">The load's result.</param>
    /// <param name="serverCpuSeconds">The server's processor time meanwhile; null where it is not
    /// known.</param>
    public void AddUsual(LoadResult result, double? serverCpuSeconds)
    {
        Add("throughput", "ops/s", result.Rate, isHeadline: true);
        if (serverCpuSeconds is { } cpu && result.RequestCount > 0)
            Add("server's CPU", "µs/op", cpu * 1e6 / result.RequestCount, isHeadline: true);
        Add("load generator busy", "%", result.BusyShare * 100);
        Add("p50", "µs", result.Latency.PercentileNs(0.5) / 1e3);
        Add("p99", "µs", result.Latency.PercentileNs(0.99) / 1e3);
        Add("p99.9", "µs", result.Latency.PercentileNs(0.999) / 1e3);
        foreach (string warning in result.Warnings()) report.Note($"{server}{Place}: {warning}");
    }

    /// <summary>Adds everything.</summary>
    /// <param name="result">The load's result.</param>
    /// <param name="serverCpuSeconds">The server's processor time meanwhile; null where it is not
    /// known.</param>
    public void AddAll(LoadResult result, double? serverCpuSeconds)
    {
        AddUsual(result, serverCpuSeconds);
        Add("load generator's CPU", "µs/op", result.CpuMicrosecondsPerRequest);
        Add("maximum", "µs", result.Latency.MaxNs / 1e3);
        Add("mean", "µs", result.Latency.MeanNs / 1e3);
        Add("p90", "µs", result.Latency.PercentileNs(0.9) / 1e3);
        Add("p99.99", "µs", result.Latency.PercentileNs(0.9999) / 1e3);
        if (result.Commands.Count > 1)
            foreach (CommandResult command in result.Commands)
            {
                Add($"{command.Name}", "ops/s", command.Latency.Count / result.Seconds);
                Add($"{command.Name} p50", "µs", command.Latency.PercentileNs(0.5) / 1e3);
                Add($"{command.Name} p99", "µs", command.Latency.PercentileNs(0.99) / 1e3);
            }
        Add("sent", "MB/s", result.SentBytes / 1e6 / result.Seconds);
        Add("received", "MB/s", result.ReceivedBytes / 1e6 / result.Seconds);
        Add("missing", "%", result.MissingCount * 100.0 / result.RequestCount);
        if (result.ErrorCount > 0) Add("errors", "%", result.ErrorCount * 100.0 / result.RequestCount);
        Add("load generator without a core", "%", result.CoreWaitShare * 100);
        if (result.WantedRate is not null)
            Add("load generator late, p99", "µs", result.SendLag.PercentileNs(0.99) / 1e3);
    }

    private string Place => prefix.Length == 0 ? "" : $", {prefix}";

    // A value per request is not a number if none was answered.
    private void Add(string name, string unit, double value, bool isHeadline = false)
    {
        if (!double.IsFinite(value)) return;
        report.Add(prefix.Length == 0 ? name : $"{prefix}, {name}", unit, server, value, isHeadline);
    }
}
