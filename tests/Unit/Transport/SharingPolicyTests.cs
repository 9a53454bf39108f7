using Cinnabar.Transport.Epoll;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport;

public sealed class SharingPolicyTests
{
    private const int BaseCount = 4;
    private const int TrialCount = 5;

    private readonly SharingPolicy _policy = new(4);

    public SharingPolicyTests()
    {
        Assert.Equal(1, _policy.ThreadCount);
        Learn(1, busy: 0.9, idle: 3, rate: 1000);
        Assert.Equal(4, _policy.ThreadCount);
    }

    [Fact]
    public void OneThreadServesUntilItIsBusyMostOfItsTime()
    {
        Learn(10, busy: 0.2, idle: 3, rate: 1000);
        Assert.Equal(1, _policy.ThreadCount);
        Learn(1000, busy: 0.7, idle: 3, rate: 1000);
        Assert.Equal(1, _policy.ThreadCount);
        Learn(1, busy: 0.8, idle: 3, rate: 1000);
        Assert.Equal(4, _policy.ThreadCount);
    }

    [Fact]
    public void AMomentWithLittleToDoChangesNothing()
    {
        for (int moment = 0; moment < 100; moment++)
        {
            Learn(2, busy: 0.1, idle: 3, rate: 1000);
            Learn(1, busy: 0.9, idle: 3, rate: 1000);
            Assert.Equal(4, _policy.ThreadCount);
        }
    }

    [Theory]
    [InlineData(0.2, 1)]
    [InlineData(2.5, 4)]
    public void WhatWasDoneInALongerTimeTellsWhetherItWasALot(double busy, int threadCount)
    {
        _policy.LearnFromLong(new LoadSample { BusyCores = busy, IdleCores = 1, Rate = 1000 });
        Assert.Equal(threadCount, _policy.ThreadCount);
    }

    [Theory]
    [InlineData(0.7, 3, 1)]
    [InlineData(0.9, 3, 4)]
    [InlineData(0.65, 0, 2)]
    public void OneThreadWithLongTurnsGetsHelp(double busy, double idle, int threadCount)
    {
        Learn(10, busy: 0.2, idle: 3, rate: 1000);
        for (int count = 0; count < 1 + BaseCount; count++)
            _policy.LearnFromLong(new LoadSample { BusyCores = busy, IdleCores = idle, Rate = 1000 });
        Assert.Equal(threadCount, _policy.ThreadCount);
    }

    [Fact]
    public void WhatFailedOnAFullMachineIsTriedAgainOnceThereIsRoom()
    {
        Learn(10, busy: 0.2, idle: 3, rate: 1000);
        for (int trial = 0; trial < 8; trial++)
        {
            while (_policy.ThreadCount == 1)
                Learn(1, busy: 0.65, idle: 0, rate: 100_000);
            Learn(TrialCount, busy: 0.7, idle: 0, rate: 100_000);
            Assert.Equal(1, _policy.ThreadCount);
        }

        Learn(BaseCount, busy: 1, idle: 3, rate: 120_000);
        Assert.Equal(2, _policy.ThreadCount);
    }

    [Fact]
    public void OnAFullMachineThreadsComeOneByOneIfTheyPay()
    {
        Learn(10, busy: 0.2, idle: 3, rate: 1000);
        Learn(1, busy: 0.65, idle: 0, rate: 100_000);
        Assert.Equal(1, _policy.ThreadCount);
        Learn(BaseCount, busy: 0.65, idle: 0, rate: 100_000);
        Assert.Equal(2, _policy.ThreadCount);
        Learn(TrialCount, busy: 1.3, idle: 0, rate: 150_000);
        Assert.Equal(2, _policy.ThreadCount);
        Learn(BaseCount, busy: 1.3, idle: 0, rate: 150_000);
        Assert.Equal(3, _policy.ThreadCount);
    }

    [Fact]
    public void NothingChangesWhereTheWorkNeedsItsThreads()
    {
        Learn(1000, busy: 3.3, idle: 0, rate: 100_000);
        Learn(1000, busy: 2.7, idle: 1, rate: 100_000);
        Assert.Equal(4, _policy.ThreadCount);
    }

    [Fact]
    public void FewerThreadsAreKeptOnAFullMachineIfTheyServeAsMuch()
    {
        Learn(BaseCount, busy: 3, idle: 0, rate: 100_000);
        Assert.Equal(3, _policy.ThreadCount);
        Learn(TrialCount, busy: 3, idle: 0, rate: 100_000);
        Assert.Equal(3, _policy.ThreadCount);
    }

    [Theory]
    [InlineData(0, 97_000)]
    [InlineData(1, 103_000)]
    public void FewerThreadsAreGivenUpIfTheyDoNotPay(double idle, double rate)
    {
        Learn(BaseCount, busy: 2.5, idle, rate: 100_000);
        Assert.Equal(3, _policy.ThreadCount);
        Learn(TrialCount, busy: 2.5, idle, rate);
        Assert.Equal(4, _policy.ThreadCount);
    }

    [Fact]
    public void FewerThreadsAreKeptElsewhereIfTheyServeMore()
    {
        Learn(BaseCount, busy: 2.5, idle: 1, rate: 100_000);
        Learn(TrialCount, busy: 2.5, idle: 1, rate: 105_000);
        Assert.Equal(3, _policy.ThreadCount);
    }

    [Fact]
    public void AFailedTrialIsRepeatedAfterTwiceAsLong()
    {
        int last = 0;
        for (int trial = 0; trial < 5; trial++)
        {
            int waited = 0;
            for (; _policy.ThreadCount == 4; waited++)
                Learn(1, busy: 3, idle: 0, rate: 100_000);
            Assert.True(waited > last, $"{waited} samples after {last}");
            last = waited;
            Learn(TrialCount, busy: 3, idle: 0, rate: 90_000);
        }
    }

    [Fact]
    public void ATrialEndsWithItsLoad()
    {
        Learn(BaseCount, busy: 3, idle: 0, rate: 100_000);
        Learn(1, busy: 0.01, idle: 3.9, rate: 10);
        Assert.Equal(4, _policy.ThreadCount);
    }

    [Fact]
    public void FullThreadsSoonTryAnIdleProcessor()
    {
        ShareAll();
        Learn(BaseCount, busy: 0.95, idle: 1, rate: 100_000);
        Assert.Equal(2, _policy.ThreadCount);
        Learn(TrialCount, busy: 1.9, idle: 1, rate: 150_000);
        Learn(BaseCount, busy: 1.9, idle: 1, rate: 150_000);
        Assert.Equal(3, _policy.ThreadCount);
        Learn(TrialCount, busy: 1.9, idle: 1, rate: 150_000);
        Assert.Equal(2, _policy.ThreadCount);
        Learn(2 * BaseCount, busy: 1.9, idle: 1, rate: 150_000);
        Assert.Equal(2, _policy.ThreadCount);
    }

    [Fact]
    public void OneMoreIsTriedFromTimeToTime()
    {
        ShareAll();
        int waited = 0;
        for (; _policy.ThreadCount == 1; waited++)
            Learn(1, busy: 1, idle: 0, rate: 100_000);
        Assert.InRange(waited, 50, 200);
        Learn(TrialCount, busy: 1.2, idle: 0, rate: 110_000);
        Assert.Equal(2, _policy.ThreadCount);
    }

    private void ShareAll()
    {
        for (int count = 4; count > 1; count--)
        {
            while (_policy.ThreadCount == count)
                Learn(1, busy: 0.9, idle: 0, rate: 100_000);
            Learn(TrialCount, busy: 0.9, idle: 0, rate: 110_000);
            Assert.Equal(count - 1, _policy.ThreadCount);
        }
    }

    private void Learn(int count, double busy, double idle, double rate)
    {
        for (int sample = 0; sample < count; sample++)
            _policy.Learn(new LoadSample { BusyCores = busy, IdleCores = idle, Rate = rate });
    }
}
