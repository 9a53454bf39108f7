using System;
using System.Collections.Generic;
using Cinnabar.Engine.Executions;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>The table of an execution's states.</summary>
public sealed class ExecutionTransitionsTests
{
    [Fact]
    public void EveryStateIsReachedFromTheLoopAndLeadsBackToIt()
    {
        ExecutionState[] states = Enum.GetValues<ExecutionState>();
        Assert.Equal(states.Length, Reachable(ExecutionState.OnLoop, states).Count);
        foreach (ExecutionState state in states)
            Assert.Contains(ExecutionState.OnLoop, Reachable(state, states));
    }

    /// <summary>Another thread has it: only that thread ends what it does.</summary>
    [Theory]
    [InlineData((int)ExecutionState.InSlowLane)]
    [InlineData((int)ExecutionState.Serving)]
    public void WhatAnotherThreadRunsIsNotTheLoops(int state) =>
        Assert.False(ExecutionTransitions.IsAllowed((ExecutionState)state, ExecutionState.OnLoop));

    private static HashSet<ExecutionState> Reachable(ExecutionState from, ExecutionState[] states)
    {
        HashSet<ExecutionState> found = [];
        var open = new Queue<ExecutionState>([from]);
        while (open.TryDequeue(out ExecutionState state))
        {
            foreach (ExecutionState next in states)
            {
                if (ExecutionTransitions.IsAllowed(state, next) && found.Add(next))
                    open.Enqueue(next);
            }
        }

        return found;
    }
}
