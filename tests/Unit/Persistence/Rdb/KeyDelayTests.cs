using System.Diagnostics;
using System.Threading;
using Cinnabar.Persistence.Rdb.Writing;
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
