using System;
using System.Linq;
using Cinnabar.Load;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

/// <summary>When the load, and not the server, was the limit.</summary>
public sealed class LoadResultTests
{
    [Fact]
    public void AThreadWithTimeLeftWarnsOfNothing() => Assert.Empty(Of((0.8, 0), (0.5, 0.3)).Warnings());

    [Fact]
    public void AThreadThatIsAlwaysAtWorkIsTheLimit() => Assert.Contains("95",
        Assert.Single(Of((0.2, 0), (0.95, 0)).Warnings()), StringComparison.Ordinal);

    /// <summary>Two threads of one core, or another process on it.</summary>
    [Fact]
    public void AThreadThatWorksOrWaitsForACoreIsTheLimit()
    {
        string warning = Assert.Single(Of((0.48, 0.5), (0.47, 0.51)).Warnings());
        Assert.Contains("waited for a core", warning, StringComparison.Ordinal);
        Assert.Contains("51", warning, StringComparison.Ordinal);
    }

    private static LoadResult Of(params (double Busy, double CoreWait)[] threads) => new()
    {
        RequestCount = 1000,
        Seconds = 1,
        ErrorCount = 0,
        MissingCount = 0,
        FirstError = null,
        SentBytes = 0,
        ReceivedBytes = 0,
        Latency = new LatencyHistogram(),
        Commands = [],
        SendLag = new LatencyHistogram(),
        UnansweredCount = 0,
        WantedRate = null,
        Threads = [.. threads.Select(one => new ThreadResult(1, one.Busy, one.Busy, one.CoreWait))],
    };
}
