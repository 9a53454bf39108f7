using System;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions.Orders;

/// <summary>Long commands in steps, these in any order with others' commands.</summary>
public sealed class LongCommandOrderTests
{
    private const int RoundCount = 60;

    [Fact]
    public void EachHappensAtOneMoment()
    {
        int commandCount = 0;
        int errorCount = 0;
        int completedCount = 0;
        int builtCount = 0;
        int againCount = 0;
        Seeded.Run(RoundCount, seed =>
        {
            using var run = new OrderRun(seed);
            run.Run();
            commandCount += run.CommandCount;
            errorCount += run.ErrorCount;
            completedCount += run.CompletedCount;
            builtCount += run.BuiltCount;
            againCount += run.AgainCount;
        });
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{commandCount} commands, {errorCount} errors; {completedCount} ended in the slow lane, "
            + $"{builtCount} built without keys, {againCount} again");
        if (Environment.GetEnvironmentVariable("CINNABAR_SEED") is not null)
            return;
        Assert.True(errorCount * 2 < commandCount, $"{errorCount} errors of {commandCount} commands");
        Assert.True(completedCount > 0 && builtCount > 0 && againCount > 0,
            $"{completedCount} in the slow lane, {builtCount} built, {againCount} again");
    }
}
