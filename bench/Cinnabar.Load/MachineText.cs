using System;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;

namespace Cinnabar.Load;

/// <summary>Says what machine a figure was measured on.</summary>
public static class MachineText
{
    /// <summary>Processor, cores, memory, system and runtime, in one line.</summary>
    public static string Describe()
    {
        long gigabytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes >> 30;
        return $"{Processor()}, {CoreCount()} cores, {gigabytes} GiB, {RuntimeInformation.OSDescription}, "
            + RuntimeInformation.FrameworkDescription;
    }

    private static string Processor()
    {
        const string list = "/proc/cpuinfo";
        string? line = File.Exists(list)
            ? File.ReadLines(list).FirstOrDefault(line => line.StartsWith("model", StringComparison.Ordinal)
                && line.Contains("name", StringComparison.Ordinal))
            : null;
        return line is null ? RuntimeInformation.ProcessArchitecture.ToString()
            : line[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim();
    }

    /// <summary>How many cores the machine has; the runtime would say 1 if this process is pinned to
    /// one.</summary>
    public static int CoreCount()
    {
        const string list = "/proc/cpuinfo";
        return File.Exists(list)
            ? File.ReadLines(list).Count(line => line.StartsWith("processor", StringComparison.Ordinal))
            : Environment.ProcessorCount;
    }
}
