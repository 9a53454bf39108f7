using System;
using System.Diagnostics;
using System.Threading;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed class LongWorkTests
{
    private static readonly TimeSpan s_workTime = TimeSpan.FromMilliseconds(5);

    [Fact]
    public void AThreadOfLongWorkGivesWay() => Assert.True(BreathsOf(isLong: true, LongWork.Breathe) > 0);

    [Fact]
    public void OthersNeverDo() => Assert.Equal(0, BreathsOf(isLong: false, LongWork.Breathe));

    [Fact]
    public void SmallStepsLookAtTheClockNowAndThen()
    {
        int step = 1;
        Assert.Equal(0, BreathsOf(isLong: true, () => LongWork.Breathe(step)));
        Assert.True(BreathsOf(isLong: true, () => LongWork.Breathe(step++)) > 0);
    }

    private static long BreathsOf(bool isLong, Action breathe)
    {
        long count = -1;
        var thread = new Thread(() =>
        {
            if (isLong)
                LongWork.BeginOnThisThread();
            var time = Stopwatch.StartNew();
            while (time.Elapsed < s_workTime)
                breathe();
            count = LongWork.BreathCount;
        });
        thread.Start();
        thread.Join();
        return count;
    }
}
