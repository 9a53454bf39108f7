using System;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>What the disk holds up for longer than a threshold is an event of LATENCY, with Redis's
/// names.</summary>
public sealed class SlowWriteTests
{
    private const long SlowUs = 20_000;
    private const string Increment = ".incr.aof";

    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    [Fact]
    public void AWriteThatTheDiskHoldsUpIsAnEvent()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        HoldUp("write", Increment);
        client.Run("SET a 1");
        AssertEvents(client, "aof-write", "aof-write-alone");
        AssertWriteTime(client, SlowUs);
        client.Run("CONFIG RESETSTAT");
        AssertWriteTime(client, 0);
    }

    [Fact]
    public void AWriteBesideASaveIsAnotherOne()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        server.IsSaverHeld = true;
        client.Run("BGSAVE");
        HoldUp("write", Increment);
        client.Run("SET a 1");
        AssertEvents(client, "aof-write", "aof-write-active-child");
    }

    /// <summary>Where a rewrite begins during a flush, what belongs in front of it is written at
    /// once.</summary>
    [Fact]
    public void AWriteDuringAFlushIsAnotherOne()
    {
        using TestServer server = Start(("appendfsync", "everysec"));
        TestClient client = server.Connect();
        client.Run("SET a 1");
        DuringFlush(server, () =>
        {
            client.Run("SET a 2");
            HoldUp("write", Increment);
            client.Run("BGREWRITEAOF");
            AssertEvents(client, "aof-write", "aof-write-pending-fsync");
        });
    }

    /// <summary>Redis's write waits for such a flush; here the commands do.</summary>
    [Fact]
    public void CommandsThatWaitForAFlushAreTheSameEvent()
    {
        using TestServer server = Start(("appendfsync", "everysec"));
        TestClient client = server.Connect();
        client.Run("SET a 1");
        DuringFlush(server, () =>
        {
            client.Run("SET a 2");
            _clock.Advance(2_000_000);
            client.Run("SET a 3");
            client.Send("SET", "a", "4");
            server.Run();
            Assert.Equal("", client.Shown());
            _clock.Advance(700_000);
        });
        server.Run();
        Assert.Equal("+OK", client.Shown());
        AssertEvents(client, "aof-write", "aof-write-pending-fsync");
        Assert.Contains(":700, :700", client.Run("LATENCY LATEST"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("always", true)]
    [InlineData("everysec", false)]
    public void AFlushThatRepliesWaitForIsAnEvent(string policy, bool isEvent)
    {
        using TestServer server = Start(("appendfsync", policy));
        TestClient client = server.Connect();
        HoldUp("flush", Increment);
        client.Send("SET", "a", "1");
        server.Settle(_clock);
        Assert.Equal("+OK", client.Shown());
        AssertEvents(client, isEvent ? ["aof-fsync-always"] : []);
        AssertWriteTime(client, isEvent ? SlowUs : 0);
    }

    [Fact]
    public void TheNewNameOfABaseIsAnEvent()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        HoldUp("rename", "temp-rewriteaof-");
        client.Run("BGREWRITEAOF");
        server.Settle(_clock);
        AssertEvents(client, "aof-rename");
    }

    [Fact]
    public void LookingForTheLengthsOfFilesIsAnEvent()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        _files.Opening = path =>
        {
            if (path.EndsWith(Increment, StringComparison.Ordinal))
                _clock.Advance(SlowUs);
        };
        client.Run("BGREWRITEAOF");
        server.Settle(_clock);
        AssertEvents(client, "aof-fstat");
    }

    /// <summary>As in Redis, what DEBUG asks for is not counted as the disk's.</summary>
    [Fact]
    public void ADelayThatDebugAsksForIsNone()
    {
        using TestServer server = Start(("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        client.Run($"DEBUG AOF-FLUSH-SLEEP {SlowUs}");
        long before = _clock.MonotonicNanoseconds;
        client.Run("SET a 1");
        Assert.Equal(SlowUs * 1000, _clock.MonotonicNanoseconds - before);
        AssertEvents(client);
    }

    private static void AssertEvents(TestClient client, params string[] names)
    {
        string events = client.Run("LATENCY LATEST");
        foreach (string name in (string[])["aof-write", "aof-write-alone", "aof-write-active-child",
            "aof-write-pending-fsync", "aof-fsync-always", "aof-rename", "aof-fstat"])
        {
            bool isExpected = Array.IndexOf(names, name) >= 0;
            Assert.True(isExpected == events.Contains($"${name},", StringComparison.Ordinal),
                $"{name}: {isExpected}, of {events}");
        }
    }

    private static void AssertWriteTime(TestClient client, long microseconds) => Assert.Contains(
        $"\r\neventloop_duration_aof_sum:{microseconds}\r\n", client.Call("INFO", "debug").Text,
        StringComparison.Ordinal);

    private void HoldUp(string operation, string part) => _files.Changing = (done, path) =>
    {
        if (done == operation && path.Contains(part, StringComparison.Ordinal))
            _clock.Advance(SlowUs);
        return true;
    };

    private void DuringFlush(TestServer server, Action action)
    {
        bool isDone = false;
        _files.Changing = (operation, path) =>
        {
            if (!isDone && operation == "flush" && path.EndsWith(Increment, StringComparison.Ordinal))
            {
                isDone = true;
                action();
            }

            return true;
        };
        server.Settle(_clock);
        Assert.True(isDone, "the file has been flushed");
    }

    private TestServer Start(params ReadOnlySpan<(string Directive, string Value)> configuration)
    {
        TestServer server = TestServer.On(_files, _clock, [("appendonly", "yes"), ("appendfsync", "no"),
            ("auto-aof-rewrite-percentage", "0"), ("latency-monitor-threshold", "10"), .. configuration]);
        Assert.Null(server.Load());
        return server;
    }
}
