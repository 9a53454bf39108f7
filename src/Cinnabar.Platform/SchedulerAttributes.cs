namespace Cinnabar.Platform;

/// <summary>Linux's <c>struct sched_attr</c> in its first form.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct SchedulerAttributes
{
    internal uint Size;
    internal uint Policy;
    internal ulong Flags;
    internal int Nice;
    internal uint Priority;
    internal ulong RuntimeNs;   // of a thread that is neither a deadline's nor in real time: its slice
    internal ulong DeadlineNs;
    internal ulong PeriodNs;
}
