using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using Cinnabar.Load.Sockets;

namespace Cinnabar.Load;

/// <summary>Where threads of this process run, and the processor time they use. On systems that have no such
/// calls the former does nothing.</summary>
public static unsafe class ProcessorPin
{
    private const string ScheduleFile = "/proc/thread-self/schedstat";
    private const int MaskWordCount = 16;
    private const int OpenFilesLimit = 7;
    private const int OpenFilesWanted = 65_536;

    /// <summary>Keeps this process with all its threads, and those they will start, on one core.</summary>
    /// <exception cref="LoadException">This process may not use such a core.</exception>
    public static void ThisProcess(int core)
    {
        if (!OperatingSystem.IsLinux()) return;
        foreach (string thread in Directory.EnumerateDirectories("/proc/self/task"))
            Pin(int.Parse(Path.GetFileName(thread), CultureInfo.InvariantCulture), core);
    }

    /// <summary>Keeps the calling thread on one core.</summary>
    /// <exception cref="LoadException">This process may not use such a core.</exception>
    public static void ThisThread(int core)
    {
        if (OperatingSystem.IsLinux()) Pin(0, core);
    }

    /// <summary>Allows this process, and those it will start, as many open files as it may have; gives how
    /// many.</summary>
    // SAFETY: the calls read or fill in two numbers, for which there is room.
    public static long AllowOpenFiles()
    {
        if (!OperatingSystem.IsLinux()) return long.MaxValue;
        ulong* limits = stackalloc ulong[2];
        limits[0] = limits[1] = OpenFilesWanted;
        if (LibC.setrlimit(OpenFilesLimit, limits) == 0) return OpenFilesWanted;
        // Not allowed to raise the upper limit: then the lower one up to that.
        if (LibC.getrlimit(OpenFilesLimit, limits) < 0) return 0;
        limits[0] = limits[1];
        _ = LibC.setrlimit(OpenFilesLimit, limits);
        return (long)ulong.Min(limits[0], long.MaxValue);
    }

    /// <summary>Moves a thread of any process to one core, where it gets the time that others leave. A thread
    /// that has ended is no failure.</summary>
    /// <exception cref="LoadException">The system refuses.</exception>
    internal static void YieldOn(int thread, int core)
    {
        if (!OperatingSystem.IsLinux()) throw new LoadException("only Linux lets a thread be moved");
        const int OfThread = 0;
        const int LowestPriority = 19;
        if (LibC.setpriority(OfThread, thread, LowestPriority) < 0 || !TryPin(thread, core))
        {
            if (Marshal.GetLastPInvokeError() != LibC.NoSuchProcess)
                throw new LoadException($"thread {thread} cannot be moved to core {core}");
        }
    }

    /// <summary>Gives the calling thread priority over all others of its core that are not of this kind. It
    /// must rest now and then: the system takes the processor from it after 0.95 s of a second.</summary>
    /// <exception cref="LoadException">The system refuses.</exception>
    // SAFETY: the call reads one number.
    internal static void GoFirst()
    {
        int priority = 1;
        const int FirstInFirstOut = 1;
        if (OperatingSystem.IsLinux() && LibC.sched_setscheduler(0, FirstInFirstOut, &priority) < 0)
            throw new LoadException("only root may let a thread go first");
    }

    /// <summary>Asks the system to end the calling thread's waits when they should end, instead of up to 50
    /// µs later to save power.</summary>
    internal static void WakeOnTime()
    {
        if (OperatingSystem.IsLinux()) _ = LibC.prctl(LibC.SetTimerSlack, 1, 0, 0, 0);
    }

    /// <summary>The processor time of the calling thread in seconds; elsewhere than on Linux of the process.
    /// </summary>
    // SAFETY: the call fills in two numbers, for which there is room.
    internal static double ThreadCpuSeconds()
    {
        if (!OperatingSystem.IsLinux()) return Process.GetCurrentProcess().TotalProcessorTime.TotalSeconds;
        long* time = stackalloc long[2];
        _ = LibC.clock_gettime(LibC.ThreadCpuClock, time);
        return time[0] + time[1] / 1e9;
    }

    /// <summary>How long the calling thread could have run so far while others had its core, in seconds; 0
    /// where the system does not say.</summary>
    internal static double ThreadCoreWaitSeconds()
    {
        if (!File.Exists(ScheduleFile)) return 0;
        // Nanoseconds on a core, nanoseconds of waiting for one, turns.
        string[] fields = File.ReadAllText(ScheduleFile).Split(' ');
        return long.Parse(fields[1], CultureInfo.InvariantCulture) / 1e9;
    }

    /// <summary>The processor time of all threads of a process so far, also of those that have ended, in
    /// nanoseconds, exactly; 0 where there is no such process. Linux only.</summary>
    // SAFETY: the call fills in two numbers, for which there is room.
    internal static long ProcessCpuNs(int process)
    {
        long* time = stackalloc long[2];
        time[0] = time[1] = 0;
        // The kernel's number of the clock that counts what a process has run.
        const int ScheduledClock = 2;
        _ = LibC.clock_gettime((~process << 3) | ScheduledClock, time);
        return time[0] * 1_000_000_000 + time[1];
    }

    private static void Pin(int thread, int core)
    {
        if (!TryPin(thread, core)) throw new LoadException($"this machine has no core {core} for us");
    }

    // SAFETY: the mask has as many words as the call is given.
    private static bool TryPin(int thread, int core)
    {
        if (core is < 0 or >= MaskWordCount * 64) throw new LoadException($"there is no core {core}");
        ulong* mask = stackalloc ulong[MaskWordCount];
        new Span<ulong>(mask, MaskWordCount).Clear();
        mask[core / 64] = 1UL << (core % 64);
        return LibC.sched_setaffinity(thread, MaskWordCount * sizeof(ulong), mask) == 0;
    }
}
