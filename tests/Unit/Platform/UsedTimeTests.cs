using System;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

/// <summary>The processor time of threads and processes, on Linux.</summary>
[SupportedOSPlatform("linux")]
public sealed class UsedTimeTests
{
    public UsedTimeTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux only.");

    [Fact]
    public void AThreadsTimeIsItsOwn()
    {
        long startNs = ThreadTime.NanosecondsOfThisThread;
        var other = new Thread(static () =>
        {
            long endNs = ThreadTime.NanosecondsOfThisThread + 50_000_000;
            while (ThreadTime.NanosecondsOfThisThread < endNs)
                Thread.SpinWait(100);
        });
        other.Start();
        other.Join();
        Assert.InRange(ThreadTime.NanosecondsOfThisThread - startNs, 0, 40_000_000);
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
        // The thread itself gets a more exact time, and no reader gets less than an earlier one.
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
}
