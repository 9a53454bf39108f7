using Cinnabar.Engine.Executions;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

public sealed class LaneTurnTests
{
    [Fact]
    public void ItRunsOnceAndMayWaitInBetween()
    {
        LaneTurn turn = default;
        Assert.False(turn.IsActive);
        turn.Submit();
        Assert.True(turn.IsActive);
        Assert.True(turn.TryRun());
        Assert.False(turn.TryTakeBack());
        turn.SubmitAgain();
        Assert.True(turn.TryRun());
        turn.End();
        Assert.False(turn.IsActive);
        turn.Submit();
        Assert.True(turn.IsActive);
    }

    [Fact]
    public void WhatIsTakenBackDoesNotRun()
    {
        LaneTurn turn = default;
        turn.Submit();
        Assert.True(turn.TryTakeBack());
        Assert.False(turn.TryRun());
        Assert.False(turn.IsActive);
    }
}
