using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>The processor time of one thread, for whoever asks. Linux only.</summary>
[SupportedOSPlatform("linux")]
public sealed unsafe class ThreadTime
{
    private const long NanosecondsPerSecond = 1_000_000_000;

    private readonly int _clock;

    private ThreadTime(int clock) => _clock = clock;

    /// <summary>The calling thread's; null where the system does not tell.</summary>
    public static ThreadTime? OfThisThread()
    {
        int clock;
        // SAFETY: the call writes one int to our stack.
        return LibC.FindThreadClock(LibC.ThisThread(), &clock) == 0 ? new ThreadTime(clock) : null;
    }

    /// <summary>What it has used until now, in nanoseconds; 0 when it has ended.</summary>
    public long Nanoseconds => Read(_clock);

    private static long Read(int clock)
    {
        TimeSpec time;
        // SAFETY: the call writes one TimeSpec to our stack.
        bool isKnown = LibC.GetThreadTime(clock, &time) == 0;
        return isKnown ? (time.Seconds * NanosecondsPerSecond) + time.Nanoseconds : 0;
    }
}
