using System;
using System.Diagnostics;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

/// <summary>What threads and processors have used, as Linux tells it.</summary>
[SupportedOSPlatform("linux")]
public sealed class UsedTimeTests
{
    public UsedTimeTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux only.");

    [Fact]
    public void AThreadsTimeIsSeenByOthersAndIsItsOwn()
    {
        ThreadTime? time = null;
        using var isDone = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim();
        var thread = new Thread(() =>
        {
            time = ThreadTime.OfThisThread();
            long end = time!.Nanoseconds + 20_000_000;
            while (time.Nanoseconds < end)
                Thread.SpinWait(100);
            isDone.Set();
            mayEnd.Wait();
        });
        thread.Start();
        isDone.Wait();
        long usedNs = time!.Nanoseconds;
        Assert.True(usedNs >= 20_000_000);
        Spin(TimeSpan.FromMilliseconds(20));
        Assert.InRange(time.Nanoseconds - usedNs, 0, 10_000_000);
        mayEnd.Set();
        thread.Join();
    }

    [Fact]
    public void AThreadsTimesAreItsOwnAndEndWithIt()
    {
        ThreadUsage? usage = null;
        TimeSpan own = default;
        using var isDone = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim();
        var thread = new Thread(() =>
        {
            usage = ThreadUsage.OfThisThread();
            while ((own = Total(usage!)) < TimeSpan.FromMilliseconds(30))
                Thread.SpinWait(1000);
            isDone.Set();
            mayEnd.Wait();
        });
        thread.Start();
        isDone.Wait();
        TimeSpan used = Total(usage!);
        // The thread itself is told more exactly, and nobody less than anybody was.
        Assert.True(used >= TimeSpan.FromMilliseconds(30));
        Assert.True(own <= used, $"{own} itself, {used} for another");
        mayEnd.Set();
        thread.Join();
        // The system forgets the thread a little after it is joined.
        Assert.True(SpinWait.SpinUntil(() => usage!.Read() == default, TimeSpan.FromMinutes(1)));
        usage!.Dispose();
    }

    private static TimeSpan Total(ThreadUsage usage)
    {
        (TimeSpan user, TimeSpan system) = usage.Read();
        return user + system;
    }

    [Fact]
    public void ProcessorsAreThoseOfThisProcess()
    {
        using ProcessorTime processors = ProcessorTime.TryOpen()!;
        processors.Read();
        // A quota of the processors' time makes the former smaller.
        Assert.InRange(Environment.ProcessorCount, 1, processors.Count);
        (long totalTicks, long idleTicks) = (processors.TotalTicks, processors.IdleTicks);
        Assert.InRange(idleTicks, 0, totalTicks);
        Spin(TimeSpan.FromMilliseconds(100));
        processors.Read();
        Assert.True(processors.TotalTicks > totalTicks);
        // Time may move from waiting for a disk to idle, of which the system tells whole ticks each.
        Assert.InRange(processors.IdleTicks - idleTicks, -processors.Count,
            processors.TotalTicks - totalTicks + processors.Count);
    }

    private static void Spin(TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        while (watch.Elapsed < time)
            Thread.SpinWait(100);
    }
}
