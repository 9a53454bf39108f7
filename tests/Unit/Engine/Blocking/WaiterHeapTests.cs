using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Engine.Blocking;
using Cinnabar.Engine.Executions;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Blocking;

/// <summary>The heap of waiters with a timeout.</summary>
public sealed class WaiterHeapTests
{
    [Fact]
    public void TheFirstIsTheEarliestDueAfterAnyRemoval()
    {
        using var server = new TestServer();
        using var execution = new SessionExecution(server.Engine.Loops[0], 1);
        var random = new Random(5);
        var heap = new WaiterHeap();
        List<Waiter> model = [];
        for (int step = 0; step < 20_000; step++)
        {
            if (model.Count == 0 || random.Next(5) < 2)
            {
                var waiter = new Waiter(execution, random.Next(1000), static _ => { });
                heap.Add(waiter);
                model.Add(waiter);
            }
            else
            {
                Waiter taken = random.Next(2) == 0 ? heap.First : model[random.Next(model.Count)];
                heap.Remove(taken);
                heap.Remove(taken);
                model.Remove(taken);
            }

            Assert.Equal(model.Count, heap.Count);
            Assert.Equal(model.Count == 0 ? long.MaxValue : model.Min(waiter => waiter.DueMs), heap.DueMs);
        }
    }

    [Fact]
    public void OneThatWaitsForEverIsNotKept()
    {
        using var server = new TestServer();
        using var execution = new SessionExecution(server.Engine.Loops[0], 1);
        var heap = new WaiterHeap();
        heap.Add(new Waiter(execution, long.MaxValue, static _ => { }));
        Assert.Equal(0, heap.Count);
        Assert.Equal(long.MaxValue, heap.DueMs);
    }
}
