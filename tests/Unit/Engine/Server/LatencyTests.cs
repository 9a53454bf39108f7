using Cinnabar.Engine.Diagnostics;
using Cinnabar.Engine.Observing;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>LATENCY: events and distributions.</summary>
public sealed class LatencyTests
{
    [Fact]
    public void SpikesAreRecordedFromTheThresholdOn()
    {
        using var server = new ObservedServer(("latency-monitor-threshold", "5"));
        server.Call("GET", "a");
        Assert.Equal("*", server.Call("LATENCY", "LATEST"));
        server.Clock.StepUs = 7_000;
        server.Call("GET", "a");
        server.Clock.StepUs = 0;
        long seconds = server.Clock.UnixMicroseconds / 1_000_000;
        Assert.Equal($"*[*[$fast-command, :{seconds}, :7, :7]]", server.Call("LATENCY", "LATEST"));
        Assert.Equal($"*[*[:{seconds}, :7]]", server.Call("LATENCY", "HISTORY", "fast-command"));
        Assert.StartsWith("$fast-command - high 7 ms, low 7 ms (all time high 7 ms)\n-----",
            server.Call("LATENCY", "GRAPH", "fast-command"));
        Assert.Contains("1. fast-command: 1 latency spikes (average 7ms, mean deviation 0ms, period ",
            server.Call("LATENCY", "DOCTOR"));
        Assert.Equal(":0", server.Call("LATENCY", "RESET", "nothing"));
        Assert.Equal(":1", server.Call("LATENCY", "RESET"));
        Assert.Equal("-ERR No samples available for event 'x'", server.Call("LATENCY", "GRAPH", "x"));
    }

    [Fact]
    public void AGraphGoesFromTheLowestToTheHighestSpike()
    {
        var report = new LatencyReport("e", 9, [new(100, 1), new(159, 5), new(160, 13)]);
        string graph = LatencyGraph.Draw(report, 160);
        Assert.EndsWith("\n  #\n  |\n o|\n_||\n   \n1" + "10\nmss\n", graph);
    }

    [Theory]
    [InlineData(10, 1)]
    [InlineData(15, 33)]
    [InlineData(21, 2113)]
    [InlineData(28, 270532)]
    [InlineData(30, 1073741)]
    public void TheLimitsAreRedisOwn(int exponent, long limitUs) =>
        Assert.Equal(limitUs, LatencyDistribution.LimitUs(exponent));

    [Fact]
    public void ADistributionIsCumulative()
    {
        using var server = new ObservedServer();
        server.Clock.StepUs = 3;
        server.Call("GET", "a");
        server.Clock.StepUs = 30;
        server.Call("GET", "a");
        Assert.Equal("*[$get, *[$calls, :2, $histogram_usec, *[:4, :1, :33, :2]]]",
            server.Call("LATENCY", "HISTOGRAM", "get", "nothing"));
    }

    [Fact]
    public void ADistributionStartsOverWithTheStatistics()
    {
        using var server = new ObservedServer();
        server.Clock.StepUs = 3;
        server.Call("GET", "a");
        server.Call("GET", "a");
        server.Call("SET", "a", "b");
        server.Call("CONFIG", "RESETSTAT");
        server.Call("GET", "a");
        Assert.Equal("*[$get, *[$calls, :1, $histogram_usec, *[:4, :1]]]",
            server.Call("LATENCY", "HISTOGRAM", "get", "set"));
    }
}
