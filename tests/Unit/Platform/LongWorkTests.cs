using System;
using System.Diagnostics;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed class LongWorkTests
{
    private static readonly TimeSpan s_workTime = TimeSpan.FromMilliseconds(5);

    [Fact]
    public void ItGivesWayOnTheWay()
    {
        var work = new LongWork();
        Work(work.Breathe);
        Assert.InRange(work.BreathCount, 1, long.MaxValue);
    }

    [Fact]
    public void SmallStepsLookAtTheClockNowAndThen()
    {
        var work = new LongWork();
        Work(() => work.Breathe(step: 1));
        Assert.Equal(0, work.BreathCount);
        int step = 0;
        Work(() => work.Breathe(step++));
        Assert.InRange(work.BreathCount, 1, step);
    }

    private static void Work(Action breathe)
    {
        var time = Stopwatch.StartNew();
        while (time.Elapsed < s_workTime)
            breathe();
    }
}
