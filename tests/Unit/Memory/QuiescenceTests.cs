using System;
using System.Runtime.InteropServices;
using System.Threading;
using Cinnabar.Memory;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed unsafe class QuiescenceTests
{
    [Fact]
    public void ItKnowsWhetherActionsWait()
    {
        Quiescence quiescence = new(1);
        Assert.False(quiescence.HasRetired);
        quiescence.Enter(0);
        quiescence.Retire(static () => { });
        quiescence.Poll();
        Assert.True(quiescence.HasRetired);
        quiescence.Retire(static () => { });
        quiescence.Exit(0);
        quiescence.Poll();
        quiescence.Poll();
        Assert.False(quiescence.HasRetired);
    }

    [Fact]
    public void WithNoLoopInsideAnActionRunsAtTheNextPoll()
    {
        Quiescence quiescence = new(3);
        int ran = 0;
        quiescence.Retire(() => ran++);
        Assert.Equal(0, ran);
        quiescence.Poll();
        Assert.Equal(1, ran);
        quiescence.Poll();
        Assert.Equal(1, ran);
    }

    [Fact]
    public void AnActionWaitsForEveryLoopThatWasInside()
    {
        Quiescence quiescence = new(3);
        int ran = 0;
        quiescence.Enter(0);
        quiescence.Enter(2);
        quiescence.Retire(() => ran++);
        quiescence.Poll();
        quiescence.Exit(0);
        quiescence.Poll();
        Assert.Equal(0, ran);
        quiescence.Exit(2);
        quiescence.Poll();
        Assert.Equal(1, ran);
    }

    [Fact]
    public void ALoopThatEntersLaterOrAgainDelaysNothing()
    {
        Quiescence quiescence = new(2);
        int ran = 0;
        quiescence.Enter(0);
        quiescence.Retire(() => ran++);
        quiescence.Poll();
        quiescence.Enter(1);
        quiescence.Exit(0);
        quiescence.Enter(0);
        quiescence.Poll();
        Assert.Equal(1, ran);
    }

    [Fact]
    public void AnActionRetiredWhileOthersWaitIsNotRunWithThem()
    {
        Quiescence quiescence = new(1);
        int early = 0;
        int late = 0;
        quiescence.Enter(0);
        quiescence.Retire(() => early++);
        quiescence.Poll();
        quiescence.Exit(0);
        quiescence.Enter(0);
        quiescence.Retire(() => late++);
        quiescence.Poll();
        Assert.Equal((1, 0), (early, late));
        quiescence.Exit(0);
        quiescence.Poll();
        Assert.Equal((1, 1), (early, late));
    }

    [Fact]
    public void AnActionMayRetireAnother()
    {
        Quiescence quiescence = new(1);
        int ran = 0;
        quiescence.Retire(() => quiescence.Retire(() => ran++));
        quiescence.Poll();
        quiescence.Poll();
        Assert.Equal(1, ran);
    }

    // Readers chase a published pointer without a lock while its target is replaced and the old one
    // overwritten once quiescent. A reader that sees the overwritten word caught a reclamation that came too
    // early.
    [Fact]
    public void NoLoopSeesReclaimedMemory()
    {
        const int loopCount = 3;
        const int replacements = 3000;
        Quiescence quiescence = new(loopCount);
        long* published = (long*)NativeMemory.AllocZeroed(64);
        *published = (long)NewTarget();
        bool isOver = false;
        int badReads = 0;
        long goodReads = 0;
        using CountdownEvent reading = new(loopCount);
        Thread[] loops = new Thread[loopCount];
        for (int i = 0; i < loopCount; i++)
        {
            int loop = i;
            loops[i] = new Thread(() =>
            {
                long good = 0;
                while (!Volatile.Read(ref isOver))
                {
                    quiescence.Enter(loop);
                    long* target = (long*)Volatile.Read(ref *published);
                    if (Volatile.Read(ref *target) == 1 && Volatile.Read(ref *target) == 1)
                        good++;
                    else
                        Interlocked.Increment(ref badReads);
                    quiescence.Exit(loop);
                    if (good == 1)
                        reading.Signal();
                }
                Interlocked.Add(ref goodReads, good);
            });
            loops[i].Start();
        }
        // On one processor all would be replaced before the loops have begun.
        Assert.True(reading.Wait(300_000), "the loops do not read");
        for (int i = 0; i < replacements; i++)
        {
            long* old = (long*)Interlocked.Exchange(ref *published, (long)NewTarget());
            quiescence.Retire(() => *old = 2);
            quiescence.Poll();
        }
        Volatile.Write(ref isOver, true);
        foreach (Thread loop in loops)
            loop.Join();
        Assert.Equal(0, badReads);
        Assert.True(goodReads > 0, "inconclusive: no loop ever read");
    }

    // The targets of this test are never freed: that would hide what it looks for.
    private static long* NewTarget()
    {
        long* target = (long*)NativeMemory.Alloc(8);
        *target = 1;
        return target;
    }
}
