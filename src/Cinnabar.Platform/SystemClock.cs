namespace Cinnabar.Platform;

/// <summary>The system's time. Stateless, so every server may have its own.</summary>
public sealed unsafe class SystemClock : Clock
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    public override long UnixMicroseconds
    {
        get
        {
            if (!OperatingSystem.IsLinux())
                return (DateTime.UtcNow.Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerMicrosecond;
            TimeSpec time = Read(LibC.ClockRealtimeLinux);
            return time.Seconds * 1_000_000 + time.Nanoseconds / 1000;
        }
    }

    public override long MonotonicNanoseconds
    {
        get
        {
            if (OperatingSystem.IsLinux())
            {
                TimeSpec time = Read(LibC.ClockMonotonicLinux);
                return time.Seconds * NanosecondsPerSecond + time.Nanoseconds;
            }
            long ticks = Stopwatch.GetTimestamp();
            long seconds = ticks / Stopwatch.Frequency;
            long rest = ticks % Stopwatch.Frequency;
            return seconds * NanosecondsPerSecond + rest * NanosecondsPerSecond / Stopwatch.Frequency;
        }
    }

    private static TimeSpec Read(int clock)
    {
        TimeSpec time;
        // SAFETY: the call writes one TimeSpec to our stack; it cannot fail for these two clocks.
        LibC.GetTime(clock, &time);
        return time;
    }
}
