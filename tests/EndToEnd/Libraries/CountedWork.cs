using System;
using System.Threading;
using Hangfire;

namespace Cinnabar.Tests.EndToEnd.Libraries;

/// <summary>Jobs that say how many units of work they have done. The library finds them by their names and
/// runs them without an object: what they count belongs to the process.</summary>
public static class CountedWork
{
    private static int s_failureCount;
    private static int s_unitCount;

    /// <summary>Units done.</summary>
    public static int UnitCount => Volatile.Read(ref s_unitCount);

    /// <summary>Does some units.</summary>
    public static void Do(int unitCount) => Interlocked.Add(ref s_unitCount, unitCount);

    /// <summary>Fails when it is called for the first time, then does one unit.</summary>
    [AutomaticRetry(Attempts = 3, DelaysInSeconds = [0])]
    public static void FailOnce()
    {
        if (Interlocked.Increment(ref s_failureCount) == 1)
            throw new InvalidOperationException("A job fails once, as the test wants.");
        Do(1);
    }
}
