using System;
using System.Collections.Generic;
using System.Runtime.Versioning;
using Cinnabar.Tests.Support;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The transport over a simulated kernel, which completes what is in flight in any order, moves few
/// bytes at a time, fails in every way, runs out of buffers and of room for completions.</summary>
[SupportedOSPlatform("linux")]
public sealed class UringSimulationTests
{
    private const int RoundCount = 10;
    private const int RoundCountMax = 1000;

    /// <summary>Buffers for everything, hardly any, or few completions at a time.</summary>
    [Theory]
    [InlineData(64, 4096, 64)]
    [InlineData(2, 128, 64)]
    [InlineData(16, 256, 2)]
    public void EveryRequestIsAnsweredOnceAndInOrder(int bufferCount, int bufferSize, int completionCount)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no io_uring");
        UringSizes sizes = Sizes(bufferCount, bufferSize, completionCount);
        HashSet<(SimulatedCall Call, int Error)> unmet = SimulatedFaults.All;
        int noBufferCount = 0;
        int overflowCount = 0;
        int canceledCount = 0;
        int movedCount = 0;
        int missedCount = 0;
        Seeded.RunWhile(round => HasNext(round, unmet), seed =>
        {
            using var simulation = new UringSimulation(seed, sizes);
            simulation.Run();
            unmet.ExceptWith(simulation.Faults.Met);
            noBufferCount += simulation.Kernel.Counts.NoBuffers;
            overflowCount += simulation.Kernel.Counts.Overflows;
            canceledCount += simulation.Kernel.Counts.CanceledReceives;
            movedCount += simulation.Kernel.Counts.Moves;
            missedCount += simulation.Kernel.Counts.MissedEnds;
        });
        // The test meets what it is for; a seed that is replayed may not.
        if (unmet.Count > 0)
            return;
        Assert.True(bufferCount > 2 || noBufferCount > 0, "no buffers ran out");
        Assert.True(completionCount > 2 || overflowCount > 0, "the ring was never full");
        Assert.True(canceledCount > 0, "no receive was canceled");
        Assert.True(movedCount > 0, "no session has moved");
        Assert.True(bufferCount == 2 || missedCount > 0, "no receive has missed an end");
    }

    /// <summary>A seed that a failure has printed replays it.</summary>
    [Fact]
    public void TheSameSeedGivesTheSameTrace() => Seeded.Run(RoundCount / 2, seed =>
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no io_uring");
        SimulatedTrace first = Trace(seed);
        SimulatedTrace second = Trace(seed);
        for (int index = 0; index < Math.Min(first.Events.Count, second.Events.Count); index++)
            Assert.Equal(first.Events[index], second.Events[index]);
        Assert.Equal(first.Events.Count, second.Events.Count);
        Assert.NotEqual(first.Events, Trace(seed + 1).Events);
    });

    private static UringSizes Sizes(int bufferCount, int bufferSize, int completionCount) => new()
    {
        BufferCount = bufferCount,
        BufferSize = bufferSize,
        CompletionCount = completionCount,
        SubmissionCount = 8,
        StashBytesMax = 512,
    };

    private static SimulatedTrace Trace(ulong seed)
    {
        using var simulation = new UringSimulation(seed, Sizes(8, 256, 16));
        simulation.Run();
        return simulation.Kernel.Trace;
    }

    /// <summary>The rounds go on until every error was met.</summary>
    private static bool HasNext(int round, HashSet<(SimulatedCall Call, int Error)> unmet)
    {
        Assert.True(round < RoundCountMax, $"never met: {string.Join(", ", unmet)}");
        return round < RoundCount || unmet.Count > 0;
    }
}
