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
        var sizes = new UringSizes
        {
            BufferCount = bufferCount,
            BufferSize = bufferSize,
            CompletionCount = completionCount,
            SubmissionCount = 8,
            StashBytesMax = 512,
        };
        int noBufferCount = 0;
        int overflowCount = 0;
        int canceledCount = 0;
        HashSet<(SimulatedCall Call, int Error)> unmet = SimulatedFaults.All;
        Seeded.RunWhile(round => HasNext(round, unmet), seed =>
        {
            using var simulation = new UringSimulation(seed, sizes, unmet);
            simulation.Run();
            noBufferCount += simulation.Kernel.NoBufferCount;
            overflowCount += simulation.Kernel.OverflowCount;
            canceledCount += simulation.Kernel.CanceledReceiveCount;
        });
        // The test meets what it is for.
        Assert.True(bufferCount > 2 || noBufferCount > 0, "no buffers ran out");
        Assert.True(completionCount > 2 || overflowCount > 0, "the ring was never full");
        Assert.True(canceledCount > 0, "no receive was canceled");
    }

    /// <summary>The rounds go on until every error was met.</summary>
    private static bool HasNext(int round, HashSet<(SimulatedCall Call, int Error)> unmet)
    {
        Assert.True(round < RoundCountMax, $"never met: {string.Join(", ", unmet)}");
        return round < RoundCount || unmet.Count > 0;
    }
}
