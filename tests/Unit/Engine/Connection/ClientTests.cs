using System;
using System.Linq;
using System.Text.RegularExpressions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>CLIENT: what it shows, which clients it closes, which commands it holds back.</summary>
public sealed class ClientTests
{
    private const string Fields = "id addr laddr fd name age idle flags db sub psub ssub multi watch "
        + "qbuf qbuf-free argv-mem multi-mem rbs rbp obl oll omem tot-mem events cmd user redir resp "
        + "lib-name lib-ver io-thread "
        + "tot-net-in tot-net-out tot-cmds";

    [Fact]
    public void InfoHasAllFieldsOfRedis8InOrder()
    {
        using var server = new TestServer();
        string line = server.Connect().Call("CLIENT", "INFO").Text;
        Assert.EndsWith("\n", line);
        Assert.Equal(Fields, string.Join(' ', line.TrimEnd().Split(' ').Select(field =>
            field.Split('=')[0])));
    }

    [Fact]
    public void InfoIsTrue()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        TestClient client = server.Connect(1, 3);
        client.Run("CLIENT SETNAME worker");
        client.Run("CLIENT SETINFO LIB-NAME lettuce");
        client.Run("CLIENT SETINFO lib-ver 6.1");
        client.Run("CLIENT NO-TOUCH ON");
        client.Run("CLIENT NO-EVICT ON");
        client.Run("SELECT 3");
        client.Run("WATCH a b");
        client.Run("SUBSCRIBE x y");
        client.Run("PSUBSCRIBE p*");
        client.Take();
        client.Run("MULTI");
        client.Run("SET k v");
        clock.Advance(7_000_000);
        TestClient other = server.Connect(0);
        string line = other.Run($"CLIENT LIST ID {client.Session!.Id}");
        foreach (string field in (string[])
            [
                "name=worker", "age=7", "idle=7", "flags=PxeT", "db=3", "sub=2", "psub=1", "multi=1",
                "watch=2",
                "lib-name=lettuce", "lib-ver=6.1", "resp=3", "io-thread=1", "cmd=set", "user=default",
                "redir=-1",
                "tot-cmds=12", "addr=127.0.0.1:50000", "laddr=127.0.0.1:6379", "events=r", "fd=50000",
            ])
            Assert.Contains($" {field} ", line.Replace("\n", " ", StringComparison.Ordinal),
                StringComparison.Ordinal);
        Assert.DoesNotContain("multi-mem=0 ", line, StringComparison.Ordinal);
        Assert.DoesNotContain("tot-net-in=0 ", line, StringComparison.Ordinal);
    }

    [Fact]
    public void UnsentBytesAndHalfCommandsAreShown()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.OutputRoom = 10;
        client.Send("ECHO", new string('x', 1000));
        client.SendRaw("*2\r\n$4\r\nECHO\r\n$100\r\nhalf");
        server.Run();
        string line = server.Connect().Run($"CLIENT LIST ID {client.Session!.Id}");
        Assert.Contains(" omem=999 ", line, StringComparison.Ordinal);
        Assert.Contains(" oll=1 ", line, StringComparison.Ordinal);
        Assert.Contains(" events=rw ", line, StringComparison.Ordinal);
        Assert.Matches(" qbuf=[1-9]", line);
        client.Drain();
    }

    [Theory]
    [InlineData("ID 2 3", "2 3")]
    [InlineData("ID 2 TYPE normal", "2")]
    [InlineData("ID 2 3 9 NAME b", "3")]
    [InlineData("TYPE pubsub", "4")]
    [InlineData("TYPE replica", "")]
    [InlineData("NOT-TYPE PUBSUB", "1 2 3")]
    [InlineData("NOT-ID 1 2", "3 4")]
    [InlineData("ADDR 127.0.0.1:50001", "2")]
    [InlineData("NOT-ADDR 127.0.0.1:50001", "1 3 4")]
    [InlineData("LADDR 127.0.0.1:6379", "1 2 3 4")]
    [InlineData("NOT-LADDR 127.0.0.1:6379", "")]
    [InlineData("IP 127.0.0.1", "1 2 3 4")]
    [InlineData("NOT-IP 127.0.0.1", "")]
    [InlineData("USER default SKIPME YES", "2 3 4")]
    [InlineData("NOT-USER default", "")]
    [InlineData("NAME a", "2")]
    [InlineData("not-name a", "1 3 4")]
    [InlineData("LIB-NAME jedis", "3")]
    [InlineData("NOT-LIB-NAME jedis", "1 2 4")]
    [InlineData("LIB-VER 1", "3")]
    [InlineData("NOT-LIB-VER 1", "1 2 4")]
    [InlineData("DB 5", "2")]
    [InlineData("NOT-DB 5", "1 3 4")]
    [InlineData("FLAGS N", "1 2")]
    [InlineData("FLAGS T", "3")]
    [InlineData("NOT-FLAGS T", "1 2 4")]
    [InlineData("CAPA r", "4")]
    [InlineData("NOT-CAPA r", "1 2 3")]
    [InlineData("MAXAGE 5", "1 2 3 4")]
    [InlineData("MAXAGE 50", "")]
    [InlineData("IDLE 5 SKIPME no", "2 3 4")]
    [InlineData("NAME b NAME a", "2")]
    [InlineData("NOT-DB 0 NOT-DB 5", "1 3 4")]
    [InlineData("TYPE pubsub TYPE normal", "1 2 3")]
    [InlineData("ID 1 2 ID 3", "1 2 3")]
    public void FiltersChoose(string filters, string ids)
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        TestClient asking = server.Connect(0);
        TestClient[] others = [server.Connect(1), server.Connect(0), server.Connect(1, 3)];
        others[0].Run("CLIENT SETNAME a");
        others[0].Run("SELECT 5");
        others[1].Run("CLIENT SETNAME b");
        others[1].Run("CLIENT SETINFO LIB-NAME jedis");
        others[1].Run("CLIENT SETINFO LIB-VER 1");
        others[1].Run("CLIENT NO-TOUCH on");
        others[2].Run("CLIENT CAPA redirect other");
        others[2].Run("SUBSCRIBE c");
        clock.Advance(10_000_000);
        server.Run();
        string list = asking.Run($"CLIENT LIST {filters}");
        Assert.Equal(ids, string.Join(' ', Regex.Matches(list, "(?:^\\$|\n)id=([0-9]+)").Select(m =>
            m.Groups[1].Value)));
        int count = ids.Split(' ', StringSplitOptions.RemoveEmptyEntries).Count(id => id != "1");
        Assert.Equal($":{count}", asking.Run($"CLIENT KILL {filters} SKIPME yes"));
        Assert.Equal(count, others.Count(other => other.IsClosed));
    }

    [Theory]
    [InlineData("CLIENT KILL MAXAGE x", "-ERR maxage is not an integer or out of range")]
    [InlineData("CLIENT KILL MAXAGE 0", "-ERR maxage should be greater than 0")]
    [InlineData("CLIENT LIST IDLE x", "-ERR idle is not an integer or out of range")]
    [InlineData("CLIENT KILL DB 16", "-ERR DB number should be between 0 and 15")]
    [InlineData("CLIENT LIST FLAGS @", "-ERR Unknown flags found in the provided filter: @")]
    [InlineData("CLIENT LIST CAPA @", "-ERR Unknown capa found in the provided filter: @")]
    [InlineData("CLIENT LIST NOT-IDLE 5", "-ERR syntax error")]
    [InlineData("CLIENT SETINFO name x", "-ERR Unrecognized option 'name'")]
    [InlineData("CLIENT SETINFO lib-name \u0001",
        "-ERR lib-name cannot contain spaces, newlines or special characters.")]
    [InlineData("CLIENT NO-TOUCH x", "-ERR syntax error")]
    public void ErrorsOfNewerForms(string line, string reply)
    {
        using var server = new TestServer();
        Assert.Equal(reply, server.Connect().Run(line));
    }

    [Fact]
    public void KillingOneselfIsAnsweredFirst()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient self = server.Connect(1);
        self.Send("CLIENT", "KILL", "ID", $"{self.Session!.Id}", "SKIPME", "no");
        self.Send("PING");
        server.Run();
        Assert.Equal(":1", self.Shown());
        Assert.True(self.IsClosed);
        TestClient other = server.Connect();
        Assert.Equal("+OK", other.Run("CLIENT KILL 127.0.0.1:50001"));
        Assert.True(other.IsClosed);
    }

    [Fact]
    public void AKilledClientIsGoneForTheNextList()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient killer = server.Connect(0);
        TestClient victim = server.Connect(1);
        killer.Send("CLIENT", "KILL", "ID", $"{victim.Session!.Id}");
        killer.Send("CLIENT", "LIST");
        server.Run();
        Assert.Single(Regex.Matches(killer.Shown(), "id=").Cast<Match>(), m => m.Index >= 0 && m.Length == 3);
        Assert.True(victim.IsClosed);
    }

    [Fact]
    public void APauseForWritesHoldsThemInOrderUntilItEnds()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        TestClient control = server.Connect();
        TestClient writer = server.Connect(1);
        TestClient other = server.Connect(0);
        control.Run("CLIENT PAUSE 1000 WRITE");
        Assert.Equal("_", other.Run("GET k"));
        writer.Send("SET", "k", "1");
        writer.Send("APPEND", "k", "2");
        writer.Send("GET", "k");
        other.Send("MULTI");
        other.Send("SET", "j", "1");
        other.Send("EXEC");
        server.Run();
        Assert.Equal("", writer.Shown());
        Assert.Equal("+OK", other.Shown());
        Assert.Contains(" flags=b ", control.Run($"CLIENT LIST ID {writer.Session!.Id}"),
            StringComparison.Ordinal);
        Assert.Equal("+OK", control.Run("CLIENT UNPAUSE"));
        Assert.Equal("+OK :2 $12", writer.Shown());
        Assert.Equal("+QUEUED *[+OK]", other.Shown());

        control.Run("CLIENT PAUSE 1000 WRITE");
        writer.Send("SET", "k", "3");
        server.Run();
        Assert.Equal("", writer.Shown());
        clock.Advance(1_100_000);
        server.Run();
        Assert.Equal("+OK", writer.Shown());
    }

    [Fact]
    public void APauseForAllHoldsEvenItsEnd()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        TestClient control = server.Connect();
        TestClient reader = server.Connect(1);
        control.Run("CLIENT PAUSE 500");
        Assert.Equal("", reader.Run("PING"));
        Assert.Equal("", control.Run("CLIENT UNPAUSE"));
        clock.Advance(600_000);
        server.Run();
        Assert.Equal("+PONG", reader.Shown());
        Assert.Equal("+OK", control.Shown());
    }

    [Fact]
    public void ClientsThatVanishWhilePausedLeaveNothing()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        TestClient control = server.Connect();
        TestClient[] gone = [server.Connect(1), server.Connect(0), server.Connect(1)];
        TestClient stays = server.Connect(1);
        control.Run("CLIENT PAUSE 500 WRITE");
        foreach (TestClient client in (TestClient[])[.. gone, stays])
        {
            client.Send("SET", "k", new string('x', 5000));
            client.Send("APPEND", "k", "y");
        }

        server.Run();
        foreach (TestClient client in gone)
            client.Disconnect();
        server.Run();
        clock.Advance(600_000);
        server.Run();
        Assert.Equal("+OK :5001", stays.Shown());
        Assert.Equal("+OK", stays.Run("SET k v"));
    }

    [Fact]
    public void IdleClientsAreClosedButNotSubscribers()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        Assert.Null(server.Configuration.Set([new("timeout", "10")], isLocalClient: true));
        TestClient idle = server.Connect(1);
        TestClient busy = server.Connect(1);
        TestClient subscriber = server.Connect(0);
        idle.Run("PING");
        subscriber.Run("SUBSCRIBE c");
        for (int second = 0; second < 15; second++)
        {
            clock.Advance(1_000_000);
            Assert.Equal("+PONG", busy.Run("PING"));
        }

        Assert.True(idle.IsClosed);
        Assert.False(busy.IsClosed);
        Assert.False(subscriber.IsClosed);
    }

    [Fact]
    public void ReplySkipAndOffAlsoSilenceTheSlowLane()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("SET", "a", new string('x', 3000));
        client.Call("SET", "b", new string('y', 3000));
        client.Send("CLIENT", "REPLY", "SKIP");
        client.Send("LCS", "a", "b", "LEN");
        client.Send("PING");
        RunThroughSlowLane(server);
        Assert.Equal("+PONG", client.Shown());
        client.Send("CLIENT", "REPLY", "OFF");
        client.Send("LCS", "a", "b", "LEN");
        client.Send("CLIENT", "REPLY", "ON");
        RunThroughSlowLane(server);
        Assert.Equal("+OK", client.Shown());
        client.Send("LCS", "a", "b", "LEN");
        RunThroughSlowLane(server);
        Assert.Equal(":0", client.Shown());
    }

    private static void RunThroughSlowLane(TestServer server)
    {
        server.IsSlowLaneHeld = true;
        server.Run();
        Assert.Equal(1, server.Engine.SlowLane.RunningCount);
        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.Equal(0, server.Engine.SlowLane.RunningCount);
    }

    [Fact]
    public void PasswordsSetLaterLeaveOpenSessionsAuthenticated()
    {
        using var server = new TestServer();
        TestClient old = server.Connect();
        Assert.Null(server.Configuration.Set([new("requirepass", "secret")], isLocalClient: true));
        Assert.Equal("+PONG", old.Run("PING"));
        TestClient fresh = server.Connect();
        Assert.Equal("-NOAUTH Authentication required.", fresh.Run("PING"));
        Assert.StartsWith("-WRONGPASS", fresh.Run("AUTH other"), StringComparison.Ordinal);
        Assert.StartsWith("-ERR Syntax error in HELLO", fresh.Run("HELLO 3 AUTH default secret X"),
            StringComparison.Ordinal);
        Assert.Equal("-NOAUTH Authentication required.", fresh.Run("PING"));
        Assert.Equal("+OK", fresh.Run("AUTH secret"));
        Assert.Equal("+PONG", fresh.Run("PING"));
        Assert.Equal("+RESET", fresh.Run("RESET"));
        Assert.Equal("-NOAUTH Authentication required.", fresh.Run("PING"));
    }

    [Fact]
    public void TooManyClientsAndStrangersInProtectedModeAreRefused()
    {
        using var server = new TestServer();
        var stranger = new SessionEndpoint("192.0.2.7:1", "192.0.2.1:6379", 9, ConnectionKind.Tcp,
            IsLoopback: false);
        TestClient refused = server.Connect(0, stranger);
        Assert.StartsWith("-DENIED Redis is running in protected mode", refused.TakeRaw(),
            StringComparison.Ordinal);
        Assert.Null(server.Configuration.Set([new("protected-mode", "no")], isLocalClient: true));
        Assert.Equal("+PONG", server.Connect(0, stranger).Run("PING"));
        Assert.Null(server.Configuration.Set([new("maxclients", "2")], isLocalClient: true));
        Assert.Equal("+PONG", server.Connect().Run("PING"));
        TestClient third = server.Connect(0, stranger);
        Assert.Equal("-ERR max number of clients reached\r\n", third.TakeRaw());
    }

    /// <summary>Valkey's, shown only if the directive has a value.</summary>
    [Fact]
    public void HelloNamesTheAvailabilityZone()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Assert.DoesNotContain("availability_zone", client.Run("HELLO 3"));
        Assert.Equal("+OK", client.Run("CONFIG SET availability-zone here"));
        Assert.Contains("$availability_zone, $here", client.Run("HELLO 2"));
        Assert.Contains("availability_zone:here\r\n", client.Run("INFO server"));
    }

    [Fact]
    public void DirectivesAreSorted()
    {
        using var server = new TestServer();
        string[] words = server.Connect().Run("CONFIG GET *max* *file")[2..].Split(", ");
        string[] names = [.. words.Where((_, index) => index % 2 == 0)];
        Assert.True(names.Length > 10);
        Assert.Equal(names.Order(StringComparer.Ordinal), names);
    }

    /// <summary>Repeated ids are not compared with all earlier ones.</summary>
    [Fact]
    public void ManyIdsCostAsMuchEachAsFew()
    {
        const int IdCount = 3_000;
        using var server = new TestServer();
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        string[] ids = [.. Enumerable.Range(2, IdCount).SelectMany(static id => new[] { "ID", $"{id}" })];
        client.Call("CLIENT", "LIST", "ID", "1");
        long before = GC.GetAllocatedBytesForCurrentThread();
        string list = client.Call(["CLIENT", "LIST", .. ids]).Text;
        // To copy them for each would take more than 50 MB.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 10_000_000);
        Assert.StartsWith($"id={other.Session!.Id} ", list, StringComparison.Ordinal);
        Assert.Equal(1, list.Count(static letter => letter == '\n'));
    }
}
