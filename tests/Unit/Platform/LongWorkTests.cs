using System;
using System.Diagnostics;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed class LongWorkTests
{
    private static readonly TimeSpan s_workTime = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(5);

    [Fact]
    public void ItGivesWayOnTheWay()
    {
        var work = new LongWork();
        WorkUntilItGivesWay(work, work.Breathe);
        Assert.Equal(1, work.BreathCount);
    }

    [Fact]
    public void SmallStepsLookAtTheClockNowAndThen()
    {
        var work = new LongWork();
        var time = Stopwatch.StartNew();
        for (int count = 0; count < 1000 || time.Elapsed < s_workTime; count++)
            work.Breathe(step: 1);
        Assert.Equal(0, work.BreathCount);
        int step = 0;
        WorkUntilItGivesWay(work, () => work.Breathe(step++));
        Assert.Equal(1, work.BreathCount);
    }

    // Not for a time: a busy machine may take all of that away from a thread at once.
    private static void WorkUntilItGivesWay(LongWork work, Action breathe)
    {
        var time = Stopwatch.StartNew();
        while (work.BreathCount == 0)
        {
            Assert.True(time.Elapsed < s_patience, "it never gives way");
            breathe();
        }
    }
}
