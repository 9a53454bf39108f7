using System;
using System.Text;
using Cinnabar.Engine.Journaling;
using Cinnabar.Persistence.Journal;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Journaling;

/// <summary>What is in the append-only file when a reply leaves.</summary>
public sealed class ReplyOrderTests
{
    private const string Path = "/data/appendonlydir/appendonly.aof.1.incr.aof";

    private readonly SimulatedFileSystem _files = new();

    [Theory]
    [InlineData("everysec")]
    [InlineData("no")]
    public void AnAcknowledgedWriteIsInTheFile(string policy)
    {
        using TestServer server = Start(policy);
        TestClient client = server.Connect();
        Assert.Equal("+OK\r\n", Ask(server, client, "SET", "a", "1"));
        Assert.Equal("*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n", Text());
        Ask(server, client, "SELECT", "3");
        Assert.Equal(":1\r\n", Ask(server, client, "INCR", "b"));
        Assert.EndsWith("*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n*2\r\n$4\r\nINCR\r\n$1\r\nb\r\n", Text(),
            StringComparison.Ordinal);
    }

    [Fact]
    public void WithAlwaysNoReplyShowsAWriteThatIsNotDurable()
    {
        using TestServer server = Start("always", loopCount: 2);
        ServerJournal journal = server.Engine.Data.Journal;
        TestClient writer = server.Connect();
        TestClient reader = server.Connect(loop: 1);
        TestClient other = server.Connect(loop: 1);
        writer.Send("SET", "a", "1");
        server.TurnLoop(0);
        reader.Send("GET", "a");
        server.TurnLoop(1);
        Assert.Equal("", writer.TakeRaw());
        Assert.Equal("", reader.TakeRaw());
        Assert.True(journal.Step());
        other.Send("PING");
        server.TurnLoop(0);
        server.TurnLoop(1);
        Assert.Equal("+OK\r\n", writer.TakeRaw());
        Assert.Equal("$1\r\n1\r\n", reader.TakeRaw());
        Assert.Equal("+PONG\r\n", other.TakeRaw());
    }

    /// <summary>Also what another loop reads while the file is being flushed waits.</summary>
    [Fact]
    public void WithAlwaysNoReplyLeavesDuringTheFlush()
    {
        using TestServer server = Start("always", loopCount: 2);
        TestClient writer = server.Connect();
        TestClient reader = server.Connect(loop: 1);
        writer.Send("SET", "a", "1");
        server.TurnLoop(0);
        reader.Send("GET", "a");
        string? during = null;
        _files.Changing = (operation, _) =>
        {
            if (operation != "flush")
                return true;
            _files.Changing = null;
            server.TurnLoop(1);
            during = reader.TakeRaw();
            return true;
        };
        Assert.True(server.Engine.Data.Journal.Step());
        Assert.Equal("", during);
        server.TurnLoop(1);
        Assert.Equal("$1\r\n1\r\n", reader.TakeRaw());
    }

    [Fact]
    public void EachReplyLeavesWithItsOwnWrite()
    {
        using TestServer server = Start("always");
        ServerJournal journal = server.Engine.Data.Journal;
        TestClient client = server.Connect();
        for (int round = 0; round < 3; round++)
        {
            client.Send("INCR", "a");
            server.TurnLoop(0);
        }

        Assert.True(journal.Step());
        client.Send("INCR", "a");
        server.TurnLoop(0);
        server.TurnLoop(0);
        Assert.Equal(":1\r\n:2\r\n:3\r\n", client.TakeRaw());
        client.Send("QUIT");
        server.TurnLoop(0);
        Assert.False(client.IsClosed);
        Assert.True(journal.Step());
        server.TurnLoop(0);
        Assert.Equal(":4\r\n+OK\r\n", client.TakeRaw());
        Assert.True(client.IsClosed);
    }

    [Theory]
    [InlineData("everysec")]
    [InlineData("no")]
    public void NoReplyLeavesWhileTheNextFileIsBeingOpened(string policy)
    {
        using TestServer server = Start(policy);
        ServerJournal journal = server.Engine.Data.Journal;
        TestClient client = server.Connect();
        Assert.Equal("+OK\r\n", Ask(server, client, "SET", "a", "1"));
        journal.Files!.PrepareIncrement();
        journal.Ring!.AppendSwitch();
        client.Send("SET", "a", "2");
        server.TurnLoop(0);
        Assert.Equal("", client.TakeRaw());
        Assert.True(journal.Step());
        server.TurnLoop(0);
        Assert.Equal("+OK\r\n", client.TakeRaw());
        Assert.EndsWith("2\r\n", Encoding.Latin1.GetString(_files.Read(Path.Replace(".1.", ".2.",
            StringComparison.Ordinal))), StringComparison.Ordinal);
    }

    [Fact]
    public void AnotherPolicyReleasesWhatWaits()
    {
        using TestServer server = Start("always");
        TestClient client = server.Connect();
        client.Send("SET", "a", "1");
        server.TurnLoop(0);
        Assert.Equal("", client.TakeRaw());
        Ask(server, server.Connect(), "CONFIG", "SET", "appendfsync", "everysec");
        Assert.Equal("+OK\r\n", client.TakeRaw());
    }

    [Fact]
    public void AFailedWriteRefusesWritesUntilOneSucceeds()
    {
        var clock = new ManualClock();
        using TestServer server = Start("everysec", 1, clock);
        TestClient client = server.Connect();
        Ask(server, client, "SET", "a", "1");
        _files.Changing = (operation, _) => operation != "write";
        Assert.Equal("+OK\r\n", Ask(server, client, "SET", "a", "2"));
        Assert.Equal("-MISCONF Errors writing to the AOF file: Input/output error\r\n",
            Ask(server, client, "SET", "a", "3"));
        Assert.StartsWith("-MISCONF", Ask(server, client, "PING"), StringComparison.Ordinal);
        Assert.Equal("$1\r\n2\r\n", Ask(server, client, "GET", "a"));
        _files.Changing = null;
        clock.Advance(1_000_000);
        server.Engine.Data.Journal.Step();
        Assert.Equal("+OK\r\n", Ask(server, client, "SET", "a", "4"));
        Assert.EndsWith("2\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n4\r\n", Text(), StringComparison.Ordinal);
    }

    [Fact]
    public void AfterAFailedFlushNothingIsAcknowledged()
    {
        using TestServer server = Start("always");
        TestClient client = server.Connect();
        client.Send("SET", "a", "1");
        server.TurnLoop(0);
        _files.Changing = (operation, _) => operation != "flush";
        Assert.False(server.Engine.Data.Journal.Step());
        Assert.Contains("Can't persist AOF for fsync error when the AOF fsync policy is 'always'",
            server.TakeFault()?.Message, StringComparison.Ordinal);
        _files.Changing = null;
        Assert.False(server.Engine.Data.Journal.Step());
        server.TurnLoop(0);
        Assert.Equal("", client.TakeRaw());
    }

    /// <summary>The flush that ends a file cannot mend one of that file which has failed.</summary>
    [Fact]
    public void AfterAFailedFlushASwitchMakesNothingDurable()
    {
        var clock = new ManualClock();
        using TestServer server = Start("everysec", 1, clock);
        ServerJournal journal = server.Engine.Data.Journal;
        Ask(server, server.Connect(), "SET", "a", "1");
        long before = journal.FlushedPosition;
        _files.Changing = (operation, _) =>
        {
            Assert.Equal("flush", operation);
            _files.Changing = null;
            // The switch is met while the flush is under way.
            journal.Files!.PrepareIncrement();
            journal.Ring!.AppendSwitch();
            journal.Settle();
            return false;
        };
        clock.Advance(microseconds: 2_000_000);
        journal.Step();
        journal.Step();
        Assert.Contains(_files.Paths, static path => path.EndsWith(".2.incr.aof", StringComparison.Ordinal));
        Assert.Equal(before, journal.FlushedPosition);
        Assert.StartsWith(
            "-MISCONF", Ask(server, server.Connect(), "SET", "a", "2"), StringComparison.Ordinal);
    }

    private static string Ask(TestServer server, TestClient client, params ReadOnlySpan<string> words)
    {
        client.Send(words);
        server.Run();
        return client.TakeRaw();
    }

    private string Text() => Encoding.Latin1.GetString(_files.Read(Path));

    private TestServer Start(string policy, int loopCount = 1, Clock? clock = null)
    {
        var server = new TestServer(loopCount, clock, ("appendonly", "yes"), ("appendfsync", policy));
        var files = new AofFiles(new AofDirectory(_files, "/data", "appendonlydir", "appendonly.aof"),
            server.Engine.Data.Journal, server.Engine.Clock);
        server.Engine.Data.Journal.Begin(files, files.OpenAtStart(), hasThread: false);
        return server;
    }
}
