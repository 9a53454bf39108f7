using System;
using System.Threading;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed unsafe class ThreadRankTests
{
    [Fact]
    public void ShortSlicesChangeNothingElseOfAThread()
    {
        SchedulerAttributes before = default;
        SchedulerAttributes after = default;
        bool isTaken = false;
        var thread = new Thread(() =>
        {
            SchedulerAttributes read;
            ThreadRank.TryRead(&read);
            before = read;
            isTaken = ThreadRank.TakeShortSlices();
            ThreadRank.TryRead(&read);
            after = read;
        });
        thread.Start();
        thread.Join();
        Assert.True(OperatingSystem.IsLinux() || !isTaken);
        if (!isTaken)
            return;
        Assert.Equal(before.Policy, after.Policy);
        Assert.Equal(before.Nice, after.Nice);
        // Systems that know no slices ignore them.
        Assert.True(after.RuntimeNs == ThreadRank.ShortestSliceNs || after.RuntimeNs == before.RuntimeNs);
    }

    [Fact]
    public void AThreadHasTheSlicesOfItsMakerUntilItTakesTheUsualOnes()
    {
        SchedulerAttributes usual = default;
        SchedulerAttributes inherited = default;
        SchedulerAttributes taken = default;
        var child = new Thread(() =>
        {
            SchedulerAttributes read;
            ThreadRank.TryRead(&read);
            inherited = read;
            ThreadRank.TakeUsualSlices();
            ThreadRank.TryRead(&read);
            taken = read;
        });
        var maker = new Thread(() =>
        {
            SchedulerAttributes read;
            ThreadRank.TryRead(&read);
            usual = read;
            ThreadRank.TakeShortSlices();
            child.Start();
            child.Join();
        });
        maker.Start();
        maker.Join();
        ulong[] possible = [ThreadRank.ShortestSliceNs, usual.RuntimeNs];
        Assert.Contains(inherited.RuntimeNs, possible);
        Assert.Equal(usual.RuntimeNs, taken.RuntimeNs);
        Assert.Equal(usual.Nice, taken.Nice);
    }

    [Fact]
    public void ALowerRankIsStillAnOrdinaryOne()
    {
        SchedulerAttributes before = default;
        SchedulerAttributes after = default;
        bool isRead = false;
        var thread = new Thread(() =>
        {
            SchedulerAttributes read;
            isRead = ThreadRank.TryRead(&read);
            before = read;
            ThreadRank.TakeLower();
            ThreadRank.TryRead(&read);
            after = read;
        });
        thread.Start();
        thread.Join();
        if (!isRead)
            return;
        Assert.Equal(before.Policy, after.Policy);
        Assert.Equal(Math.Min(before.Nice + ThreadRank.LowerBy, LibC.NiceMax), after.Nice);
    }
}
