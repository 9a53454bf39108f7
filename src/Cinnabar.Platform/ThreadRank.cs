namespace Cinnabar.Platform;

/// <summary>How much a thread matters to the system's scheduler.</summary>
public static unsafe class ThreadRank
{
    /// <summary>The shortest slice that Linux grants, in nanoseconds.</summary>
    internal const ulong ShortestSliceNs = 100_000;

    /// <summary>By how much a lower rank is nicer to others; each step is 1.25 times less of a
    /// processor.</summary>
    internal const int LowerBy = 10;

    private static readonly nint s_getAttributes = IsArm ? 275 : 315;
    private static readonly nint s_setAttributes = IsArm ? 274 : 314;

    private static bool IsArm => RuntimeInformation.ProcessArchitecture == Architecture.Arm64;

    /// <summary>
    /// Has the calling thread ask for its share of the processor in the shortest slices there are. It gets no
    /// more of it, but gets it at once when it wakes up: another thread of the same processor would go on for
    /// 3 ms else, or until the next tick. For threads that wake up often and work briefly. Without effect
    /// where the system knows no slices (before Linux 6.12).
    /// </summary>
    /// <returns>Whether the system was asked.</returns>
    public static bool TakeShortSlices() => TakeSlices(ShortestSliceNs);

    /// <summary>
    /// Has the calling thread ask for slices of the system's own length again: a thread has those of the one
    /// that made it, and one with slices as short as theirs runs on to the next tick when a thread of
    /// <see cref="TakeShortSlices"/> wakes up just after it began.
    /// </summary>
    /// <returns>Whether the system was asked.</returns>
    public static bool TakeUsualSlices() => TakeSlices(0);

    /// <summary>
    /// Has the calling thread give way to those of normal rank, but not starve beside them: on Linux it gets
    /// a tenth of a processor that another one wants whole, and a thread that wakes up there runs at once.
    /// There is no way back.
    /// </summary>
    public static void TakeLower()
    {
        SchedulerAttributes attributes;
        if (!TryRead(&attributes) || attributes.Policy != LibC.SchedulerNormal)
        {
            Thread.CurrentThread.Priority = ThreadPriority.BelowNormal;
            return;
        }
        attributes.Flags = 0;
        attributes.Nice = Math.Min(attributes.Nice + LowerBy, LibC.NiceMax);
        // With slices as short as those of the loop that may have made it, it would not make way for that.
        attributes.RuntimeNs = 0;
        // SAFETY: the call reads one structure, which holds its size, from our stack. 0 is this thread.
        if (LibC.SystemCall(s_setAttributes, 0, &attributes, 0, 0) != 0)
            Thread.CurrentThread.Priority = ThreadPriority.BelowNormal;
    }

    /// <summary>How the system schedules a thread of this process; false where that cannot be
    /// asked.</summary>
    /// <param name="attributes">What is filled.</param>
    /// <param name="thread">The thread's number; 0 is the calling one.</param>
    internal static bool TryRead(SchedulerAttributes* attributes, int thread = 0)
    {
        *attributes = default;
        if (!OperatingSystem.IsLinux()
            || RuntimeInformation.ProcessArchitecture is not (Architecture.X64 or Architecture.Arm64))
            return false;
        // SAFETY: the call writes at most the given size of the caller's structure.
        return LibC.SystemCall(s_getAttributes, thread, attributes, sizeof(SchedulerAttributes), 0) == 0;
    }

    // No length is the system's own.
    private static bool TakeSlices(ulong ns)
    {
        SchedulerAttributes attributes;
        if (!TryRead(&attributes) || attributes.Policy != LibC.SchedulerNormal)
            return false;
        attributes.Flags = 0;
        attributes.RuntimeNs = ns;
        // SAFETY: the call reads one structure, which holds its size, from our stack. 0 is this thread.
        return LibC.SystemCall(s_setAttributes, 0, &attributes, 0, 0) == 0;
    }
}
