using System;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Writes to the append-only file that take long are events of LATENCY.</summary>
public sealed class SlowWriteTests
{
    private const long SlowUs = 20_000;

    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    [Fact]
    public void AWriteThatTheDiskHoldsUpIsAnEvent()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        _files.Changing = (operation, _) =>
        {
            if (operation == "write")
                _clock.Advance(SlowUs);
            return true;
        };
        client.Run("SET a 1");
        _files.Changing = null;
        string events = client.Run("LATENCY LATEST");
        Assert.Contains("$aof-write,", events, StringComparison.Ordinal);
        Assert.Contains("$aof-write-alone,", events, StringComparison.Ordinal);
    }

    private TestServer Start()
    {
        TestServer server = TestServer.On(_files, _clock, ("appendonly", "yes"), ("appendfsync", "no"),
            ("latency-monitor-threshold", "10"));
        Exception? fault = null;
        server.Engine.Loading.Prepare();
        server.Engine.Loading.Begin(ended => fault = ended);
        Assert.Null(fault);
        return server;
    }
}
