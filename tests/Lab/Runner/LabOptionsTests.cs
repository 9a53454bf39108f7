using System;
using Cinnabar.Lab.Runner;
using Cinnabar.Lab.Runner.Results;
using Xunit;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>The lab's command line.</summary>
public sealed class LabOptionsTests
{
    [Fact]
    public void AProfileWithOtherDurations()
    {
        LabPlan plan = LabOptions.Parse(
            Words("--full --rounds 5 --seconds 0.5 --clients 1,8 --load-core -1")).Plan;
        Assert.Equal("full", plan.Profile);
        Assert.Equal(5, plan.Rounds);
        Assert.Equal(0.5, plan.MixSeconds);
        Assert.Equal([1, 8], plan.SweepClients);
        Assert.Null(plan.LoadCore);
        Assert.Equal(0, plan.ServerCore);
    }

    [Theory]
    [InlineData("--full", true)]
    [InlineData("--full --rounds 5 --resume", true)]
    [InlineData("--full --rounds 1", false)]
    [InlineData("--full --seconds 0.1", false)]
    [InlineData("--full --only naive", false)]
    [InlineData("--full --clients 1,2", false)]
    [InlineData("--full --output /tmp/some.json", false)]
    [InlineData("--quick", false)]
    public void OnlyAWholeRunIsPublished(string line, bool isPublished) =>
        Assert.Equal(isPublished, LabOptions.Parse(Words(line)).IsPublished);

    [Theory]
    [InlineData("")]
    [InlineData("--full --quick")]
    [InlineData("--full --nonsense")]
    [InlineData("--full --rounds")]
    [InlineData("--full --rounds none")]
    [InlineData("--full --rounds 0")]
    public void WhatMakesNoSense(string line) =>
        Assert.Throws<LabException>(() => LabOptions.Parse(Words(line)));

    [Fact]
    public void OnlyTheSamePlanIsResumed()
    {
        LabPlan plan = LabPlan.Of("full");
        Assert.True(ResultFile.IsSame(plan, LabPlan.Of("full")));
        Assert.False(ResultFile.IsSame(plan, plan with { SweepClients = [1] }));
    }

    private static string[] Words(string line) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
}
