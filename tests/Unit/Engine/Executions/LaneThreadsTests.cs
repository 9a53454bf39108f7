using System;
using System.Threading;
using Cinnabar.Engine.Lanes;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

public sealed class LaneThreadsTests
{
    private const int WaitMsMax = 300_000;

    [Fact]
    public void WorkAddedTogetherRunsTogether()
    {
        using var threads = new LaneThreads();
        using var all = new Barrier(4);
        int count = 0;
        for (int item = 0; item < 3; item++)
        {
            threads.Add(new Item(() =>
            {
                Interlocked.Increment(ref count);
                all.SignalAndWait(WaitMsMax);
            }));
        }

        Assert.True(all.SignalAndWait(WaitMsMax));
        Assert.Equal(3, count);
    }

    [Fact]
    public void WhatThereIsNoThreadForRunsOnceThereIs()
    {
        bool isRefused = true;
        using var threads = new LaneThreads(run =>
        {
            if (isRefused)
                throw new OutOfMemoryException();
            new Thread(run).Start();
        });
        using var hasRun = new CountdownEvent(2);
        threads.Add(new Item(() => hasRun.Signal()));
        threads.Add(new Item(() => hasRun.Signal()));
        threads.StartLacking();
        Assert.Equal(2, hasRun.CurrentCount);
        isRefused = false;
        threads.StartLacking();
        Assert.True(hasRun.Wait(WaitMsMax));
    }

    [Fact]
    public void AThreadRunsOneItemAfterTheOther()
    {
        using var threads = new LaneThreads();
        Thread first = Run(threads);
        // It may not be idle yet: then another one is started.
        bool isSame = false;
        for (int attempt = 0; attempt < 1000 && !isSame; attempt++)
        {
            Thread.Sleep(1);
            isSame = ReferenceEquals(Run(threads), first);
        }

        Assert.True(isSame);
    }

    [Fact]
    public void ALoweredThreadRunsNothingElse()
    {
        using var threads = new LaneThreads();
        Thread lowered = Run(threads, threads.LowerThis);
        for (int attempt = 0; attempt < 20; attempt++)
        {
            Thread.Sleep(1);
            Assert.NotSame(lowered, Run(threads));
        }
    }

    [Fact]
    public void WhatWasAddedRunsThoughTheLaneEnds()
    {
        using var done = new CountdownEvent(10);
        var threads = new LaneThreads();
        for (int item = 0; item < 10; item++)
            threads.Add(new Item(() => done.Signal()));
        threads.Dispose();
        Assert.True(done.Wait(WaitMsMax));
    }

    private static Thread Run(LaneThreads threads, Action? first = null)
    {
        using var done = new ManualResetEventSlim();
        Thread? thread = null;
        threads.Add(new Item(() =>
        {
            first?.Invoke();
            thread = Thread.CurrentThread;
            done.Set();
        }));
        Assert.True(done.Wait(WaitMsMax));
        return thread!;
    }

    private sealed class Item(Action action) : IThreadPoolWorkItem
    {
        public void Execute() => action();
    }
}
