using System;
using System.Linq;
using System.Threading;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Platform;

public sealed class ThreadNamesTests
{
    // The system lists some eighty threads at a time.
    private const int Count = 200;

    [Fact]
    public void EveryThreadOfANameIsFoundAndNoOther()
    {
        if (!OperatingSystem.IsLinux())
            return;
        using var isOver = new ManualResetEventSlim();
        using var running = new CountdownEvent(Count);
        var threads = Enumerable.Range(0, Count).Select(index => new Thread(() =>
        {
            running.Signal();
            isOver.Wait();
        })
        {
            Name = index % 2 == 0 ? "hundred-of-them" : "the-other-ones",
        }).ToList();
        Assert.Empty(ThreadNames.Find("hundred-of-them"));
        threads.ForEach(static thread => thread.Start());
        try
        {
            running.Wait();
            Assert.Equal(Count / 2, ThreadNames.Find("hundred-of-them").Distinct().Count());
            Assert.Equal(Count / 2, ThreadNames.Find("the-other-ones").Distinct().Count());
            Assert.Empty(ThreadNames.Find("hundred"));
        }
        finally
        {
            isOver.Set();
            threads.ForEach(static thread => thread.Join());
        }
    }
}
