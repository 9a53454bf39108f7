namespace Cinnabar.Platform;

/// <summary>The C library's <c>struct rusage</c>: only the times.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct ResourceUsage
{
    private const int OtherFieldCount = 14;

    private readonly nint _userSeconds;
    private readonly nint _userMicroseconds;
    private readonly nint _systemSeconds;
    private readonly nint _systemMicroseconds;
    private fixed long _others[OtherFieldCount];

    /// <summary>Time in user mode, in ticks of a <see cref="TimeSpan"/>.</summary>
    internal readonly long UserTicks => Ticks(_userSeconds, _userMicroseconds);

    /// <summary>Time in the kernel, in ticks of a <see cref="TimeSpan"/>.</summary>
    internal readonly long SystemTicks => Ticks(_systemSeconds, _systemMicroseconds);

    private static long Ticks(long seconds, long microseconds) =>
        (seconds * TimeSpan.TicksPerSecond) + (microseconds * TimeSpan.TicksPerMicrosecond);
}
