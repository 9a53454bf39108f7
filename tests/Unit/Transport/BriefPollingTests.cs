using System;
using Cinnabar.Transport.Epoll;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

public sealed class BriefPollingTests
{
    private BriefPolling _polling = new();
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
            Assert.False(_polling.GivesUp(_now += 40 * BriefPolling.TicksPerUs));
            _polling.Succeed();
            Assert.True(_polling.IsOn);
        }
    }

    [Fact]
    public void EachFailureTakesTwiceAsManyShortSleepsToForget()
    {
        SleepsUntilOn(70);
        for (int wanted = 8; wanted <= 64; wanted *= 2)
        {
            Fail();
            Assert.Equal(wanted, SleepsUntilOn(70));
        }
        Fail();
        Assert.Equal(64, SleepsUntilOn(70));
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

    /// <summary>Long gaps, as of a machine whose other programs were busy, do not keep it off for
    /// long.</summary>
    [Fact]
    public void ItRecoversAfterManyFailures()
    {
        const int GapCountMax = 1_000;
        for (int count = 0; count < 10_000; count++)
            Gap(90);
        int gapCount = 0;
        for (; !HasFound(gapCount % 50 == 25 ? 200 : 20) && gapCount < GapCountMax; gapCount++)
        {
        }

        Assert.InRange(gapCount, 0, GapCountMax - 1);
        int foundCount = 0;
        for (int count = 0; count < GapCountMax; count++)
            foundCount += HasFound(count % 50 == 25 ? 200 : 20) ? 1 : 0;
        Assert.InRange(foundCount, GapCountMax / 2, GapCountMax);
    }

    [Fact]
    public void TimeWithoutAFailureMakesGoodForFailures()
    {
        SleepsUntilOn(70);
        for (int count = 0; count < 5; count++)
        {
            Fail();
            SleepsUntilOn(70);
        }

        for (int count = 0; count < 5; count++)
            Sleep(200_000);
        Assert.InRange(SleepsUntilOn(70), 1, 4);
    }

    // A gap between two requests, as the loop spends it.
    private bool HasFound(int microseconds)
    {
        bool isPolling = _polling.IsOn;
        Gap(microseconds);
        return isPolling && _polling.IsOn;
    }

    private void Gap(int microseconds)
    {
        long end = _now + (microseconds * BriefPolling.TicksPerUs);
        if (_polling.IsOn)
        {
            _polling.Begin(_now);
            _now = Math.Min(end, _now + (70 * BriefPolling.TicksPerUs));
            if (!_polling.GivesUp(_now))
                _polling.Succeed();
        }

        if (_now == end)
            return;
        _polling.Begin(_now);
        _polling.EndSleep(_now = end);
    }

    private void Fail()
    {
        _polling.Begin(_now);
        Assert.True(_polling.GivesUp(_now += 70 * BriefPolling.TicksPerUs));
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
        _polling.EndSleep(_now += microseconds * BriefPolling.TicksPerUs);
    }
}
