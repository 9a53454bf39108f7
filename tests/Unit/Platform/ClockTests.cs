using System;
using System.Diagnostics;
using System.Threading;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed class ClockTests
{
    [Fact]
    public void TheSystemClockAgreesWithTheRuntimes()
    {
        SystemClock clock = new();
        long before = (DateTime.UtcNow.Ticks - DateTime.UnixEpoch.Ticks) / 10;
        long now = clock.UnixMicroseconds;
        long after = (DateTime.UtcNow.Ticks - DateTime.UnixEpoch.Ticks) / 10;
        Assert.InRange(now, before - 1, after + 1);
    }

    [Fact]
    public void MonotonicTimePassesInNanoseconds()
    {
        SystemClock clock = new();
        long outerStart = Stopwatch.GetTimestamp();
        long start = clock.MonotonicNanoseconds;
        Thread.Sleep(20);
        long elapsed = clock.MonotonicNanoseconds - start;
        double outerElapsed = Stopwatch.GetElapsedTime(outerStart).TotalNanoseconds;
        Assert.InRange(elapsed, 19_000_000, outerElapsed + 1000);
    }

    [Fact]
    public void AManualClockMovesOnlyOnRequest()
    {
        ManualClock clock = new(5_000_000);
        long monotonic = clock.MonotonicNanoseconds;
        clock.Advance(1500);
        Assert.Equal(5_001_500, clock.UnixMicroseconds);
        Assert.Equal(monotonic + 1_500_000, clock.MonotonicNanoseconds);
        clock.JumpTo(7);
        Assert.Equal(7, clock.UnixMicroseconds);
        Assert.Equal(monotonic + 1_500_000, clock.MonotonicNanoseconds);
    }
}
