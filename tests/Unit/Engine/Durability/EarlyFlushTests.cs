using System;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>What the disk is given between two flushes of the append-only file.</summary>
public sealed class EarlyFlushTests
{
    private const int MuchLength = 3 << 20;

    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    /// <summary>With everysec, much that was written is begun at once, so that the flush is short.</summary>
    [Theory]
    [InlineData("everysec", 2)]
    [InlineData("always", 0)]
    [InlineData("no", 0)]
    public void MuchIsBegunBeforeTheFlush(string policy, int count)
    {
        using TestServer server =
            TestServer.On(_files, _clock, ("appendonly", "yes"), ("appendfsync", policy));
        server.Engine.Loading.Prepare();
        server.Engine.Loading.Begin(Assert.Null);
        TestClient client = server.Connect();
        for (int round = 0; round < 2; round++)
        {
            client.Send("SET", "key", new string('x', MuchLength));
            Step(server);
            client.Send("SET", "key", "little");
            Step(server);
        }

        Assert.Equal(count, _files.BegunFlushCount);
    }

    // Less than the second after which the file is flushed.
    private void Step(TestServer server)
    {
        server.Run();
        _clock.Advance(microseconds: 100_000);
        server.Engine.Data.Journal.Step();
        server.Run();
    }
}
