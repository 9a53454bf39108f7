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

    [Theory]
    [InlineData(ThreadRank.LowerBy)]
    [InlineData(ThreadRank.LowestBy)]
    public void AThreadOfAnotherIsLoweredOnce(int steps)
    {
        // A name of its own: the system has a thread in its list for a moment longer than who joined it.
        string name = $"lowered-by-{steps}";
        using var isOver = new ManualResetEventSlim();
        using var isRunning = new ManualResetEventSlim();
        var thread = new Thread(() =>
        {
            isRunning.Set();
            isOver.Wait();
        })
        {
            Name = name,
        };
        Assert.False(ThreadRank.LowerOther(name, steps));
        thread.Start();
        try
        {
            isRunning.Wait();
            SchedulerAttributes main;
            if (!ThreadRank.TryRead(&main, Environment.ProcessId) || main.Policy != LibC.SchedulerNormal)
                return;
            int number = Assert.Single(ThreadNames.Find(name));
            Assert.True(ThreadRank.LowerOther(name, steps));
            Assert.True(ThreadRank.LowerOther(name, steps));
            SchedulerAttributes lowered;
            Assert.True(ThreadRank.TryRead(&lowered, number));
            Assert.Equal(Math.Min(main.Nice + steps, LibC.NiceMax), lowered.Nice);
        }
        finally
        {
            isOver.Set();
            thread.Join();
        }
    }

    /// <summary>A process is there until its threads have run once more, which those of the lowest rank do
    /// only where nobody else wants to.</summary>
    [Fact]
    public void AtTheEndNoThreadHasALowerRankWhereThatIsAllowed()
    {
        using var isOver = new ManualResetEventSlim();
        using var isRunning = new CountdownEvent(3);
        Thread[] threads = [Begin("below-the-rest", ThreadRank.TakeLowest),
            Begin("below-the-rest", ThreadRank.TakeLower), Begin("tried-first", ThreadRank.TakeLowest)];
        try
        {
            isRunning.Wait();
            SchedulerAttributes main;
            SchedulerAttributes own;
            if (!ThreadRank.TryRead(&main, Environment.ProcessId) || main.Policy != LibC.SchedulerNormal)
                return;
            int priority = 0;
            int tried = Assert.Single(ThreadNames.Find("tried-first"));
            bool isAllowed = LibC.SetScheduler(tried, LibC.SchedulerNormal, &priority) == 0;
            bool isRaised = ThreadRank.RaiseAll();
            Assert.Equal(isAllowed, isRaised);
            foreach (int thread in ThreadNames.Find("below-the-rest"))
            {
                Assert.True(ThreadRank.TryRead(&own, thread));
                Assert.Equal(isRaised, own.Policy == main.Policy && own.Nice == main.Nice);
            }

            Assert.Equal(2, ThreadNames.Find("below-the-rest").Count);
        }
        finally
        {
            isOver.Set();
            foreach (Thread thread in threads)
                thread.Join();
        }

        Thread Begin(string name, Action lower)
        {
            var thread = new Thread(() =>
            {
                lower();
                isRunning.Signal();
                isOver.Wait();
            })
            {
                Name = name,
            };
            thread.Start();
            return thread;
        }
    }
}
