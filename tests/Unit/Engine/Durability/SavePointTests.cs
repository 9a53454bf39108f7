using System;
using System.IO;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;
using static Cinnabar.Tests.Unit.Engine.Durability.PersistenceInfo;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Saves that the server begins by itself.</summary>
public sealed class SavePointTests
{
    private readonly ManualClock _clock = new();

    private static string Path => System.IO.Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb");

    [Fact]
    public void SavePointsSave()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Call("CONFIG", "SET", "save", "10 2");
        client.Run("SET key value");
        _clock.Advance(11_000_000);
        server.Run();
        Assert.Empty(server.Files.Paths);
        client.Run("SET other value");
        _clock.Advance(200_000);
        server.Run();
        Assert.Equal([Path], server.Files.Paths);
        Assert.Contains(server.Log.Lines, line => line.Contains("2 changes in 10 seconds. Saving..."));
    }

    /// <summary>A save that has failed is tried again, but not within five seconds.</summary>
    [Fact]
    public void ASavePointThatFailedWaits()
    {
        using var server = new TestServer(clock: _clock);
        TestClient client = server.Connect();
        client.Call("CONFIG", "SET", "save", "1 1");
        client.Run("SET key value");
        server.Files.Changing = static (_, _) => false;
        Advance(seconds: 2);
        AssertInfo(client, "rdb_last_bgsave_status:err", "rdb_saves:1");
        Advance(seconds: 3);
        AssertInfo(client, "rdb_saves:1");
        server.Files.Changing = null;
        Advance(seconds: 4);
        AssertInfo(client, "rdb_last_bgsave_status:ok", "rdb_saves:2");

        void Advance(int seconds)
        {
            for (int count = 0; count < seconds; count++)
            {
                _clock.Advance(1_000_000);
                server.Run();
            }
        }
    }

    [Fact]
    public void TheClockSavesToo()
    {
        using var server = new TestServer(1, _clock, ("save-cron", "*/5 * * * *"));
        TestClient client = server.Connect();
        client.Run("SET key value");
        // Twice a minute: it saves once in one.
        for (int half = 0; half < 22; half++)
        {
            _clock.Advance(30_000_000);
            server.Run();
        }

        AssertInfo(client, "rdb_saves:2");
    }
}
