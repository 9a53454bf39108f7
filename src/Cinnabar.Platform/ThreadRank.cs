using System;
using System.Threading;

namespace Cinnabar.Platform;

/// <summary>How much a thread matters to the system's scheduler.</summary>
public static unsafe class ThreadRank
{
    /// <summary>
    /// Has the calling thread run only while no other thread of the machine wants its processor, and give way
    /// at once (Linux: SCHED_IDLE); elsewhere as near to that as the system has it. There is no way back.
    /// </summary>
    public static void TakeLowest()
    {
        int priority = 0;
        // SAFETY: the call reads one int, the only member of its structure, from our stack. 0 is this thread.
        if (!OperatingSystem.IsLinux() || LibC.SetScheduler(0, LibC.SchedulerIdle, &priority) != 0)
            Thread.CurrentThread.Priority = ThreadPriority.Lowest;
    }
}
