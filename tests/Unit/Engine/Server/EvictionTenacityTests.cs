using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>maxmemory-eviction-tenacity: how long a slice of evictions is.</summary>
public sealed class EvictionTenacityTests
{
    private const int KeyCount = 5000;

    // What passes from one look at the clock to the next; a slice looks once for eight evictions.
    private const long StepUs = 100;

    /// <summary>50 microseconds a step up to 10, then 15 % more for each, and no end at 100.</summary>
    [Theory]
    [InlineData("0", 8)]
    [InlineData("4", 16)]
    [InlineData("10", 40)]
    [InlineData("20", 168)]
    [InlineData("100", KeyCount)]
    public void ASliceIsAsLongAsTheDirectiveSays(string tenacity, int evictedCount)
    {
        var clock = new SteppingClock();
        using var server = new TestServer(1, clock,
            ("maxmemory-policy", "allkeys-random"), ("maxmemory-eviction-tenacity", tenacity));
        TestClient client = server.Connect();
        for (int key = 0; key < KeyCount; key++)
            client.Call("SET", $"key:{key}", "a value that stands in its entry");
        SetLimit(server, "1");
        clock.StepUs = StepUs;
        server.Engine.Loops[0].Turn();
        clock.StepUs = 0;
        SetLimit(server, "0");
        Assert.Equal($":{KeyCount - evictedCount}", client.Run("DBSIZE"));
    }

    private static void SetLimit(TestServer server, string limit) =>
        Assert.Null(server.Configuration.Set([new("maxmemory", limit)], isLocalClient: true));
}
