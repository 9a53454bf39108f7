using System;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>A master removes the file that fed its replicas where rdb-del-sync-files says so and the file is
/// of no other use.</summary>
public sealed class SynchronisationFileTests
{
    private const string Removal = "Removing the RDB file used to feed replicas";

    private readonly ManualClock _clock = new();

    private static string Snapshot => Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb");

    [Theory]
    [InlineData("rdb-del-sync-files no", false)]
    [InlineData("rdb-del-sync-files yes", true)]
    [InlineData("save 3600-1", false)]
    [InlineData("save-cron 0-0-1-1-*", false)]
    [InlineData("appendonly yes", false)]
    public void OnlyAServerWithoutPersistenceRemovesIt(string directive, bool isRemoved)
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        string[] words = directive.Split(' ');
        Assert.Equal("+OK", client.Call("CONFIG", "SET", words[0], words[1].Replace('-', ' ')).ToString());
        Settle(server);
        Synchronise(server);
        Settle(server);
        Assert.Equal(!isRemoved, server.Files.Paths.Contains(Snapshot));
        Assert.Equal(isRemoved ? 1 : 0, RemovalCount(server));
    }

    /// <summary>A file that a client has asked for since stays.</summary>
    [Fact]
    public void AFileOfALaterSaveStays()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        Synchronise(server);
        Assert.Equal("+OK", client.Run("SAVE"));
        Settle(server);
        Assert.Contains(Snapshot, server.Files.Paths);
        Synchronise(server);
        Settle(server);
        Assert.DoesNotContain(Snapshot, server.Files.Paths);
        Assert.Equal(1, RemovalCount(server));
    }

    /// <summary>A save for replicas that fails leaves the file of before, which is not theirs.</summary>
    [Fact]
    public void AFailedSaveRemovesNothing()
    {
        using TestServer server = Start();
        Assert.Equal("+OK", server.Connect().Run("SAVE"));
        server.Files.Changing = static (operation, _) => operation != "rename";
        Ask(server);
        server.Files.Changing = null;
        Assert.Contains(server.Log.Lines, static line => line.Contains("Error moving temp DB file"));
        Settle(server);
        Assert.Equal(0, RemovalCount(server));
    }

    /// <summary>Where it cannot be removed, the log says so and the server goes on.</summary>
    [Fact]
    public void AFileThatCannotBeRemovedStays()
    {
        using TestServer server = Start();
        Synchronise(server);
        server.Files.Changing = static (operation, _) => operation != "delete";
        Settle(server);
        Assert.Contains(server.Log.Lines, static line => line.Contains("dump.rdb stays: Input/output error"));
        Assert.Equal("+PONG", server.Connect().Run("PING"));
    }

    private static int RemovalCount(TestServer server) =>
        server.Log.Lines.Count(static line => line.Contains(Removal, StringComparison.Ordinal));

    private static void Synchronise(TestServer server) =>
        Assert.Contains("\r\nREDIS0", Ask(server), StringComparison.Ordinal);

    private static string Ask(TestServer server)
    {
        var replica = new TestReplica(server);
        replica.Announce();
        replica.Client.Send("PSYNC", "?", "-1");
        server.Run();
        return replica.Client.TakeRaw();
    }

    private TestServer Start() =>
        new(1, _clock, ("repl-diskless-sync", "no"), ("rdb-del-sync-files", "yes"));

    private void Settle(TestServer server)
    {
        for (int step = 0; step < 5; step++)
        {
            _clock.Advance(microseconds: 200_000);
            server.Run();
        }
    }
}
