using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>The machine that figures were measured on. Facts that the system does not report are
/// empty.</summary>
internal sealed record MachineFacts
{
    /// <summary>The processor's name.</summary>
    public string Processor { get; init; } = "";

    /// <summary>How many cores the system has.</summary>
    public int CoreCount { get; init; }

    /// <summary>Its memory, in bytes.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>The kernel's release.</summary>
    public string Kernel { get; init; } = "";

    /// <summary>The system's name.</summary>
    public string System { get; init; } = "";

    /// <summary>TCP's congestion control, which acts on 127.0.0.1 too.</summary>
    public string CongestionControl { get; init; } = "";

    /// <summary>The .NET runtime.</summary>
    public string Runtime { get; init; } = "";

    /// <summary>Reads them.</summary>
    public static MachineFacts Read() => new()
    {
        Processor = Line("/proc/cpuinfo", "model name", ':') ?? $"{RuntimeInformation.ProcessArchitecture}",
        CoreCount = Cores(),
        MemoryBytes = Memory(),
        Kernel = Text("/proc/sys/kernel/osrelease") ?? Environment.OSVersion.VersionString,
        System = Line("/etc/os-release", "PRETTY_NAME", '=')?.Trim('"') ?? RuntimeInformation.OSDescription,
        CongestionControl = Text("/proc/sys/net/ipv4/tcp_congestion_control") ?? "",
        Runtime = RuntimeInformation.FrameworkDescription,
    };

    // This process is kept on one core, so the runtime would say 1.
    private static int Cores() => File.Exists("/proc/cpuinfo")
        ? File.ReadLines("/proc/cpuinfo")
            .Count(line => line.StartsWith("processor", StringComparison.Ordinal))
        : Environment.ProcessorCount;

    private static long Memory() => Line("/proc/meminfo", "MemTotal", ':') is { } text
        ? long.Parse(text.Split(' ')[0], CultureInfo.InvariantCulture) * 1024
        : GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;

    private static string? Text(string file) => File.Exists(file) ? File.ReadAllText(file).Trim() : null;

    private static string? Line(string file, string name, char parting) => !File.Exists(file) ? null
        : File.ReadLines(file).Where(line => line.StartsWith(name, StringComparison.Ordinal))
            .Select(line => line[(line.IndexOf(parting, StringComparison.Ordinal) + 1)..].Trim())
            .FirstOrDefault();
}
