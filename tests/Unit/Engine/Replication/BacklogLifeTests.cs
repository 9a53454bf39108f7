using System;
using System.IO;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Unit.Persistence;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Replication;

/// <summary>How long a stream is kept for replicas that may come back (repl-backlog-ttl).</summary>
public sealed class BacklogLifeTests
{
    private const long SecondUs = 1_000_000;

    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    /// <summary>The time is counted from the start, whatever the replicas need to come back.</summary>
    [Fact]
    public void AStreamThatWasLoadedLivesAsLongAsOneThatReplicasHaveLeft()
    {
        _files.Put(Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb"), new RdbFileBuilder()
            .Aux("repl-stream-db", "0").Aux("repl-id", new string('a', 40)).Aux("repl-offset", "1000")
            .String("key", "1").End());
        using TestServer server = TestServer.On(_files, _clock, [("repl-backlog-ttl", "100")]);
        Assert.Null(server.Load());
        TestClient client = server.Connect();
        for (int second = 0; second < 99; second++)
        {
            Pass(server);
            Assert.Contains("repl_backlog_active:1\r\n", client.Call("INFO", "replication").Text,
                StringComparison.Ordinal);
        }

        Pass(server);
        Pass(server);
        Assert.Contains("repl_backlog_active:0\r\n", client.Call("INFO", "replication").Text,
            StringComparison.Ordinal);
        Assert.Single(server.Log.Lines, static line => line.EndsWith(
            "Replication backlog freed after 100 seconds without connected replicas.",
            StringComparison.Ordinal));
    }

    private void Pass(TestServer server)
    {
        _clock.Advance(SecondUs);
        server.Run();
    }
}
