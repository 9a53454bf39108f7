using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;

namespace Cinnabar.Bench.Load;

/// <summary>Where the calling thread runs, and the processor time it has used.</summary>
internal static unsafe class LoadThread
{
    /// <summary>Keeps this process with all its threads on one core; where the system has no such call, does
    /// nothing.</summary>
    /// <exception cref="LoadException">The machine has no such core.</exception>
    public static void PinProcess(int core)
    {
        if (!OperatingSystem.IsLinux()) return;
        foreach (string thread in Directory.EnumerateDirectories("/proc/self/task"))
            Pin(int.Parse(Path.GetFileName(thread), CultureInfo.InvariantCulture), core);
    }

    private static void Pin(int thread, int core)
    {
        ulong* mask = stackalloc ulong[16];
        new Span<ulong>(mask, 16).Clear();
        mask[core / 64] = 1UL << (core % 64);
        if (LibC.sched_setaffinity(thread, 16 * sizeof(ulong), mask) < 0)
            throw new LoadException($"this machine has no core {core} for us");
    }

    /// <summary>The processor time of the calling thread in seconds; elsewhere than on Linux of the process,
    /// which has only one busy thread.</summary>
    public static double CpuSeconds()
    {
        if (!OperatingSystem.IsLinux()) return Process.GetCurrentProcess().TotalProcessorTime.TotalSeconds;
        long* time = stackalloc long[2];
        _ = LibC.clock_gettime(LibC.ThreadCpuClock, time);
        return time[0] + time[1] / 1e9;
    }
}
