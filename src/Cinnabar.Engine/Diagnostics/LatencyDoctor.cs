using System.Linq;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Observing;

namespace Cinnabar.Engine.Diagnostics;

/// <summary>LATENCY DOCTOR: the recorded events in words, with advice.</summary>
internal static class LatencyDoctor
{
    /// <summary>Explains what the server's latency monitor has recorded.</summary>
    public static string Explain(ServerEngine engine)
    {
        LatencyReport[] reports = engine.Observation.Latency.Reports();
        if (reports.Length == 0)
        {
            return engine.Settings.LatencyMonitorThresholdMs > 0
                ? "No latency spike has been recorded: nothing took as long as latency-monitor-threshold.\n"
                : "The latency monitor is off: CONFIG SET latency-monitor-threshold <ms> turns it on.\n";
        }

        long nowSeconds = engine.Clock.UnixMicroseconds / 1_000_000;
        var text = new StringBuilder("Latency spikes have been recorded:\n\n");
        for (int index = 0; index < reports.Length; index++)
            Describe(text, index + 1, reports[index], nowSeconds);
        Advise(text, reports, engine.Settings);
        return text.ToString();
    }

    private static void Describe(StringBuilder text, int number, LatencyReport report, long nowSeconds)
    {
        LatencySample[] samples = report.Samples;
        long meanMs = samples.Sum(static sample => sample.LatencyMs) / samples.Length;
        long deviationMs = samples.Sum(sample => Math.Abs(sample.LatencyMs - meanMs)) / samples.Length;
        double periodSeconds = (double)Math.Max(nowSeconds - samples[0].UnixSeconds, 1) / samples.Length;
        text.Append(CultureInfo.InvariantCulture,
            $"{number}. {report.Name}: {samples.Length} latency spikes (average {meanMs}ms, mean deviation "
            + $"{deviationMs}ms, period {periodSeconds:F2} sec). Worst all time event "
            + $"{report.LongestMs}ms.\n");
    }

    private static void Advise(StringBuilder text, LatencyReport[] reports, Settings settings)
    {
        text.Append("\nWhat to do:\n\n");
        bool Has(string name) => Array.Exists(reports, report => report.Name == name);
        long monitorUs = settings.LatencyMonitorThresholdMs * 1000;
        if (Has(LatencyMonitor.Command) || Has(LatencyMonitor.FastCommand))
        {
            if (settings.SlowLogThresholdUs < 0 || settings.SlowLogThresholdUs > monitorUs)
            {
                text.Append(CultureInfo.InvariantCulture,
                    $"- Let the slow log see them: CONFIG SET slowlog-log-slower-than {monitorUs}\n");
            }

            text.Append("- See which commands took so long: SLOWLOG GET\n");
        }

        if (Has(LatencyMonitor.FastCommand))
        {
            text.Append("- Fast commands are slow where something keeps the process from running: look for "
                + "other load on the machine, swapping, and a hypervisor that takes time away.\n");
        }

        if (Has(LatencyMonitor.ExpireCycle))
        {
            text.Append("- Removing expired keys takes turns of a fraction of a millisecond; one that took "
                + "longer was kept from running, too, or met very large values.\n");
        }

        if (Has(LatencyMonitor.EvictionCycle) || Has(LatencyMonitor.EvictionDelete))
        {
            text.Append("- Commands wait while keys are evicted: maxmemory-eviction-tenacity bounds how "
                + "long. Evicting a very large value takes longest; keep values small where keys are "
                + "evicted.\n");
        }
    }
}
