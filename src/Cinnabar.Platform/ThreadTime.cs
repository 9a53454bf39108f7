using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>The processor time of threads. Linux only.</summary>
[SupportedOSPlatform("linux")]
public static unsafe class ThreadTime
{
    private const long NanosecondsPerSecond = 1_000_000_000;
    private const int ThisThreadsClock = 3; // CLOCK_THREAD_CPUTIME_ID

    /// <summary>What the calling thread has used until now, in nanoseconds.</summary>
    public static long NanosecondsOfThisThread
    {
        get
        {
            TimeSpec time;
            // SAFETY: the call writes one TimeSpec to our stack.
            bool isKnown = LibC.GetThreadTime(ThisThreadsClock, &time) == 0;
            return isKnown ? (time.Seconds * NanosecondsPerSecond) + time.Nanoseconds : 0;
        }
    }
}
