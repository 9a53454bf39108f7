using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Observing;

namespace Cinnabar.Engine.Diagnostics;

/// <summary>LATENCY, without HISTOGRAM.</summary>
internal static class LatencyCommands
{
    /// <summary>LATENCY DOCTOR</summary>
    public static void Doctor(SessionExecution execution) =>
        ReplyText(execution, LatencyDoctor.Explain(execution.Engine));

    /// <summary>LATENCY GRAPH event</summary>
    public static void Graph(SessionExecution execution)
    {
        if (Find(execution) is { } report)
        {
            long nowSeconds = execution.Engine.Clock.UnixMicroseconds / 1_000_000;
            ReplyText(execution, LatencyGraph.Draw(report, nowSeconds));
            return;
        }

        execution.Reply.Error("ERR No samples available for event '"u8, execution.Argument(2), "'"u8);
    }

    /// <summary>LATENCY HISTORY event</summary>
    public static void History(SessionExecution execution)
    {
        LatencySample[] samples = Find(execution)?.Samples ?? [];
        execution.Reply.ArrayHeader(samples.Length);
        foreach (LatencySample sample in samples)
        {
            execution.Reply.ArrayHeader(2);
            execution.Reply.Integer(sample.UnixSeconds);
            execution.Reply.Integer(sample.LatencyMs);
        }
    }

    /// <summary>LATENCY LATEST</summary>
    public static void Latest(SessionExecution execution)
    {
        LatencyReport[] reports = execution.Engine.Observation.Latency.Reports();
        ref ReplyWriter reply = ref execution.Reply;
        reply.ArrayHeader(reports.Length);
        foreach (LatencyReport report in reports)
        {
            reply.ArrayHeader(4);
            reply.Bulk(Encoding.ASCII.GetBytes(report.Name));
            reply.Integer(report.Samples[^1].UnixSeconds);
            reply.Integer(report.Samples[^1].LatencyMs);
            reply.Integer(report.LongestMs);
        }
    }

    /// <summary>LATENCY RESET [event ...]</summary>
    public static void Reset(SessionExecution execution)
    {
        LatencyMonitor monitor = execution.Engine.Observation.Latency;
        if (execution.ArgumentCount == 2)
        {
            execution.Reply.Integer(monitor.Reset());
            return;
        }

        int count = 0;
        for (int index = 2; index < execution.ArgumentCount; index++)
            count += monitor.Reset(Encoding.Latin1.GetString(execution.Argument(index))) ? 1 : 0;
        execution.Reply.Integer(count);
    }

    /// <summary>LATENCY HISTOGRAM [command ...]</summary>
    public static void Histogram(SessionExecution execution) => LatencyDistribution.Reply(execution);

    private static LatencyReport? Find(SessionExecution execution) =>
        execution.Engine.Observation.Latency.ReportOf(Encoding.Latin1.GetString(execution.Argument(2)));

    private static void ReplyText(SessionExecution execution, string text) =>
        execution.Reply.Verbatim("txt"u8, Encoding.ASCII.GetBytes(text));
}
