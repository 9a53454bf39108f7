using System;
using System.Diagnostics;
using System.Threading;
using Cinnabar.Persistence.Rdb;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Rdb;

/// <summary>What a key that is written, or a command that is loaded, waits for.</summary>
public sealed class KeyDelayTests
{
    /// <summary>Delays that are shorter than the shortest sleep add up.</summary>
    [Theory]
    [InlineData(100, 1000, 95)]
    [InlineData(1500, 20, 25)]
    [InlineData(-2, 20_000, 9)]
    public void DelaysAddUp(long delayUs, int count, int msMin)
    {
        var delay = new KeyDelay { DelayUs = delayUs };
        long start = Stopwatch.GetTimestamp();
        for (int index = 0; index < count; index++)
            delay.Wait(CancellationToken.None);
        Assert.InRange(Stopwatch.GetElapsedTime(start).TotalMilliseconds, msMin, double.MaxValue);
    }

    /// <summary>What sleeps take too long is taken off the next: but for the last, they take no more than is
    /// configured. The wait after a standstill counts as its tenth of a second.</summary>
    [Theory]
    [InlineData(1000, 300)]
    [InlineData(1500, 200)]
    [InlineData(300, 700)]
    public void TheMeanIsWhatIsConfigured(long delayUs, int count)
    {
        var delay = new KeyDelay { DelayUs = delayUs };
        double sumMs = 0;
        double lastMs = 0;
        for (int index = 0; index < count; index++)
        {
            double sleptMs = Math.Min(delay.Wait(CancellationToken.None), 100);
            sumMs += sleptMs;
            lastMs = sleptMs > 0 ? sleptMs : lastMs;
        }

        Assert.InRange(sumMs - lastMs, 0, delayUs * count / 1000.0);
    }

    /// <summary>A change, or the end of what waits, ends a wait.</summary>
    [Fact]
    public void AWaitEndsEarly()
    {
        var delay = new KeyDelay { DelayUs = long.MaxValue };
        using var stop = new CancellationTokenSource();
        stop.Cancel();
        delay.Wait(stop.Token);
        var changing = new Thread(() => delay.DelayUs = 0);
        changing.Start();
        while (delay.DelayUs != 0)
            delay.Wait(CancellationToken.None);
        changing.Join();
    }
}
