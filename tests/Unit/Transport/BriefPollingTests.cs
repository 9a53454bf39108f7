using System;
using System.Threading;
using Cinnabar.Transport.Epoll;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

public sealed class BriefPollingTests
{
    private static readonly long s_tick = BriefPolling.TicksOf(microseconds: 1);
    private BriefPolling _polling;
    private long _now;

    [Fact]
    public void ItBeginsAfterAFewShortSleepsAndEndsWithALongOne()
    {
        Assert.False(_polling.IsOn);
        Assert.Equal(4, SleepsUntilOn(70));
        Sleep(1000);
        Assert.False(_polling.IsOn);
    }

    [Fact]
    public void LongSleepsNeverTurnItOn()
    {
        for (int count = 0; count < 10_000; count++)
        {
            Sleep(130);
            Assert.False(_polling.IsOn);
        }
    }

    [Fact]
    public void ItStaysOnWhileItFindsSomething()
    {
        SleepsUntilOn(70);
        for (int count = 0; count < 1000; count++)
        {
            _polling.Begin(_now);
            Assert.False(_polling.GivesUp(_now += 40 * s_tick));
            _polling.Succeed();
            Assert.True(_polling.IsOn);
        }
    }

    [Fact]
    public void EachFailureTakesTwiceAsManyShortSleepsToForget()
    {
        SleepsUntilOn(70);
        for (int wanted = 4; wanted <= 4096; wanted *= 2)
        {
            Fail();
            Assert.Equal(wanted, SleepsUntilOn(70));
        }
        Fail();
        Assert.Equal(4096, SleepsUntilOn(70));
    }

    [Fact]
    public void SuccessMakesGoodForFailure()
    {
        SleepsUntilOn(70);
        for (int count = 0; count < 5; count++)
        {
            Fail();
            SleepsUntilOn(70);
        }
        for (int count = 0; count < 5; count++)
            _polling.Succeed();
        Fail();
        Assert.InRange(SleepsUntilOn(70), 4, 8);
    }

    [Fact]
    public void ItSleepsAndGivesWayWhileTheCompilerWorks()
    {
        if (!OperatingSystem.IsLinux())
            return;
        using EpollSet set = new();
        long count = 1;
        bool isOver = false;
        _polling = new BriefPolling(new CompilerWatch(() => isOver ? count : ++count, static () => { }));
        SleepsUntilOn(70);
        _polling.Wait(set, 1);
        Assert.Equal((0, 0), (_polling.PolledTicks, _polling.GiveWayCount));
        _polling.Wait(set, 0);
        Assert.Equal(1, _polling.GiveWayCount);
        isOver = true;
        Thread.Sleep(CompilerWatch.WorkUs / 1000 * 2);
        long giveWayCount = _polling.GiveWayCount;
        for (int waits = 0; waits < 10; waits++)
            _polling.Wait(set, 0);
        Assert.Equal(giveWayCount, _polling.GiveWayCount);
        SleepsUntilOn(70);
        _polling.Wait(set, 1);
        Assert.NotEqual(0, _polling.PolledTicks);
    }

    private void Fail()
    {
        _polling.Begin(_now);
        Assert.True(_polling.GivesUp(_now += 70 * s_tick));
        Assert.False(_polling.IsOn);
    }

    private int SleepsUntilOn(int microseconds)
    {
        int count = 0;
        for (; !_polling.IsOn && count < 10_000; count++)
            Sleep(microseconds);
        return count;
    }

    private void Sleep(int microseconds)
    {
        _polling.Begin(_now);
        _polling.EndSleep(_now += microseconds * s_tick);
    }
}
