using System.Linq;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Scripts;

namespace Cinnabar.Engine.Information;

/// <summary>INFO scriptstats: which scripts and functions cost most.</summary>
internal static class ScriptInfo
{
    // As many lines as an operator reads, and a client gets at once.
    private const int LineCountMax = 100;
    private const double NsPerUs = 1000;

    /// <summary>Section scriptstats: those that have run, the most expensive first.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        text.Section("Scriptstats"u8);
        List<(byte[] Name, ScriptTotals Totals)> all = [];
        foreach (Script script in engine.Scripts.All)
            Add(all, "script_", script);
        foreach (FunctionLibrary library in engine.FunctionMachines.Libraries.Current.Libraries)
        {
            foreach (LibraryFunction function in library.Functions)
                Add(all, "function_", function);
        }

        all.Sort(static (left, right) => right.Totals.ElapsedNs.CompareTo(left.Totals.ElapsedNs));
        foreach ((byte[] name, ScriptTotals totals) in all.Take(LineCountMax))
            Write(text, name, in totals);
    }

    private static void Add(List<(byte[] Name, ScriptTotals Totals)> all, string kind, Runnable script)
    {
        if (script.Counters is { } counters)
            all.Add((Encoding.Latin1.GetBytes(kind + script.Name), counters.Total));
    }

    private static void Write(InfoText text, byte[] name, in ScriptTotals totals)
    {
        double us = totals.ElapsedNs / NsPerUs;
        double usPerCall = totals.CallCount == 0 ? 0 : us / totals.CallCount;
        text.Append($"{name}:calls={totals.CallCount},usec={(long)us},usec_per_call={usPerCall:F2},");
        text.Append($"longest_usec={(long)(totals.LongestNs / NsPerUs)},");
        text.Line($"reruns={totals.RerunCount},peak_memory={totals.PeakBytes}");
    }
}
