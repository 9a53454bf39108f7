using System;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>What may come between the steps of a long command.</summary>
public sealed class LongCommandTests
{
    // More arguments than a command of this server may have on a loop.
    private static readonly string s_polygon = Polygon(40);

    /// <summary>A command of very many arguments stores in the slow lane, too: the sources that it finds
    /// there have changed.</summary>
    [Theory]
    [InlineData("RENAME other g", ":1")]
    [InlineData("DEL g", ":0")]
    [InlineData("GEOADD g 15.3 37 new", ":3")]
    [InlineData("RENAME text g", "-WRONGTYPE Operation against a key holding the wrong kind of value")]
    public void ManyArgumentsAreStoredAsTheSourceIs(string change, string reply)
    {
        using TestServer server = Make();
        TestClient other = server.Connect(0);
        TestClient client = server.Connect(1);
        other.Run("GEOADD g 15 37 p 15.1 37 q");
        other.Run("GEOADD other 15.2 37 r");
        other.Run("SET text x");
        client.Send($"GEOSEARCHSTORE d g {s_polygon}".Split(' '));
        // It goes to the slow lane and is built there.
        server.Turn();
        other.Send(change.Split(' '));
        server.TurnLoop(0);
        server.Run();
        Assert.NotEqual("", other.Shown());
        Assert.Equal(reply, client.Shown());
        Assert.Equal(reply is ":1" or ":3" ? ":1" : ":0", other.Run("EXISTS d"));
        AssertNothingIsLocked(server);
    }

    /// <summary>EXEC that will be refused reads no key, because it holds none.</summary>
    [Fact]
    public void ABrokenTransactionIsRefusedOnItsLoop()
    {
        using TestServer server = Make();
        TestClient client = server.Connect();
        client.Run("SADD s a b c");
        foreach (string word in new[] { "MULTI", "SMEMBERS s", "KEYS *", "GET" })
            client.Run(word);
        server.IsSlowLaneHeld = true;
        Assert.Equal("-EXECABORT Transaction discarded because of previous errors.", client.Run("EXEC"));
    }

    /// <summary>A client that has paused the writers sees no write until the pause ends.</summary>
    [Theory]
    [InlineData("LREM l 0 e4", "LLEN l", ":7", ":6")]
    [InlineData("SUNIONSTORE d s", "EXISTS d", ":0", ":1")]
    [InlineData("ZREMRANGEBYRANK z 0 2", "ZCARD z", ":6", ":3")]
    public void NothingIsStoredInAPause(string command, string look, string before, string after)
    {
        using TestServer server = Make();
        TestClient client = server.Connect(1);
        TestClient other = server.Connect(0);
        Fill(other);
        client.Send(command.Split(' '));
        server.Turn();
        Assert.True(client.Session!.Suspended!.IsBuilt);
        other.Send("CLIENT", "PAUSE", "100000", "WRITE");
        server.TurnLoop(0);
        server.Run();
        Assert.Equal("+OK", other.Shown());
        Assert.Equal(before, other.Run(look));
        Assert.Equal("", client.Shown());
        Assert.Equal("+OK", other.Run("CLIENT UNPAUSE"));
        Assert.Equal(after, other.Run(look));
        Assert.NotEqual("", client.Shown());
    }

    [Theory]
    [InlineData("SET k v", "+OK")]
    [InlineData("RPUSH k v w", ":2")]
    [InlineData("MSET k v other w", "+OK")]
    [InlineData("EXEC", "*[:1]")]
    public void AStripeWaiterWaitsForTheEndOfAPause(string command, string reply)
    {
        using TestServer server = Make();
        TestClient client = server.Connect(1);
        TestClient other = server.Connect(0);
        if (command == "EXEC")
        {
            client.Run("MULTI");
            client.Run("INCR k");
        }

        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            Assert.True(stripe.Lock.TryEnter());
        client.Send(command.Split(' '));
        server.Run();
        Assert.Equal("+OK", other.Run("CLIENT PAUSE 100000 WRITE"));
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            stripe.Lock.Exit();
        Assert.Equal(":0", other.Run("EXISTS k"));
        Assert.Equal("", client.Shown());
        AssertNothingIsLocked(server);
        Assert.Equal("+OK", other.Run("CLIENT UNPAUSE"));
        Assert.Equal(reply, client.Shown());
    }

    [Fact]
    public void AClientThatLeavesDuringAPauseStoresNothing()
    {
        using TestServer server = Make();
        TestClient client = server.Connect(1);
        TestClient other = server.Connect(0);
        Fill(other);
        client.Send("SUNIONSTORE", "d", "s");
        server.Turn();
        other.Send("CLIENT", "PAUSE", "100000", "WRITE");
        server.TurnLoop(0);
        server.Run();
        Assert.Equal(ExecutionState.Paused, client.Session!.Suspended!.State);
        client.Disconnect();
        other.Run("CLIENT UNPAUSE");
        Assert.Equal(":0", other.Run("EXISTS d"));
    }

    /// <summary>A waiter for the end of an expired stream is not served by an execution that holds no
    /// stripes.</summary>
    [Theory]
    [InlineData("ZUNION 2 st z")]
    [InlineData("SUNION st s")]
    [InlineData("KEYS *")]
    public void AWaiterForTheEndOfAStreamRetriesItself(string command)
    {
        var clock = new ManualClock();
        using var server = new TestServer(
            loopCostNsMax: -1, loopCount: 2, clock, ("enable-debug-command", "yes"));
        TestClient client = server.Connect(1);
        TestClient other = server.Connect(0);
        Fill(other);
        other.Run("DEBUG SET-ACTIVE-EXPIRE 0");
        foreach (string line in new[] { "XGROUP CREATE st g $ MKSTREAM", "XGROUP CREATE t g $ MKSTREAM" })
            other.Run(line);
        other.Run("PEXPIRE st 100");
        client.Send("XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", "st", "t", ">", ">");
        server.Run();
        clock.Advance(200_000);
        other.Send(command.Split(' '));
        server.IsSlowLaneHeld = true;
        server.TurnLoop(0);
        while (server.StepSlowLane())
        {
            Assert.NotEqual(ExecutionState.Completed, client.Session!.Suspended!.State);
        }

        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.NotEqual("", other.Shown());
        Assert.StartsWith("-NOGROUP", client.Shown(), StringComparison.Ordinal);
        AssertNothingIsLocked(server);
    }

    /// <summary>A read that removes an expired key holds the stripes for serving its waiters.</summary>
    [Theory]
    [InlineData("EXISTS st z")]
    [InlineData("EXEC")]
    public void AReadThatRemovesAnExpiredKeyServesWaiters(string command)
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        TestClient other = server.Connect();
        Keyspace.Keyspace keyspace = server.Engine.Keyspace;
        string apart = Enumerable.Range(0, 1000).Select(Text).First(
            name => StripeOf(keyspace, name) != StripeOf(keyspace, "st")
                && StripeOf(keyspace, name) != StripeOf(keyspace, "z"));
        other.Run("DEBUG SET-ACTIVE-EXPIRE 0");
        foreach (string name in new[] { "st", apart })
            other.Run($"XGROUP CREATE {name} g $ MKSTREAM");
        other.Run("PEXPIRE st 100");
        client.Send("XREADGROUP", "GROUP", "g", "c", "BLOCK", "0", "STREAMS", "st", apart, ">", ">");
        server.Run();
        clock.Advance(200_000);
        if (command == "EXEC")
            other.Run("MULTI");
        if (command == "EXEC")
            other.Run("EXISTS st z");
        other.Shown();
        Assert.True(StripeOf(keyspace, apart).Lock.TryEnter());
        Assert.Equal("", other.Run(command));
        Assert.Equal("", client.Shown());
        StripeOf(keyspace, apart).Lock.Exit();
        Assert.NotEqual("", other.Run("PING"));
        Assert.StartsWith("-NOGROUP", client.Shown(), StringComparison.Ordinal);
    }

    /// <summary>However often others change what a command reads, it comes to an end.</summary>
    [Theory]
    [InlineData("LREM l 0 e4")]
    [InlineData("LINSERT l AFTER e4 x")]
    [InlineData("ZREMRANGEBYSCORE z 1 3")]
    [InlineData("ZUNIONSTORE d 2 z s")]
    [InlineData("SUNIONSTORE s s z2")]
    [InlineData("BITOP OR u u v")]
    [InlineData("SORT l ALPHA STORE l")]
    [InlineData("GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 100 km")]
    public void WhoseKeysChangeAllTheTimeEnds(string command)
    {
        using TestServer server = Make();
        TestClient client = server.Connect(1);
        TestClient other = server.Connect(0);
        Fill(other);
        client.Send(command.Split(' '));
        for (int turn = 0; turn < 5; turn++)
        {
            other.Send("RPUSH", "l", "more");
            other.Send("ZADD", "z", Text(turn), $"m{turn}");
            other.Send("SADD", "s", $"m{turn}");
            other.Send("APPEND", "u", "x");
            other.Send("GEOADD", "g", "15", "37", $"m{turn}");
            server.Turn();
        }

        Assert.NotEqual("", client.Shown());
        server.Run();
        Assert.Equal(5 * 5, other.Take().Count);
    }

    /// <summary>A key that is looked up again in the slow lane counts once.</summary>
    [Theory]
    [InlineData("SMEMBERS s", 1, 0)]
    [InlineData("SUNIONSTORE d s none", 1, 1)]
    [InlineData("ZUNION 2 z none", 1, 1)]
    [InlineData("GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 100 km", 1, 0)]
    [InlineData("XREAD STREAMS x 0", 1, 0)]
    [InlineData("SORT l BY w*", 5, 3)]
    [InlineData("EXISTS MANY", 35, 35)]
    [InlineData("SINTERCARD 2 s s", 2, 0)]
    public void LookupsCountOnce(string command, int hitCount, int missCount)
    {
        using TestServer server = Make();
        TestClient client = server.Connect();
        Fill(client);
        client.Run("CONFIG RESETSTAT");
        string many = string.Join(' ', Enumerable.Range(0, 70).Select(
            static index => index % 2 == 0 ? "s" : $"none{index}"));
        client.Run(command.Replace("MANY", many, StringComparison.Ordinal));
        string stats = Info(client, "stats");
        Assert.Contains($"keyspace_hits:{hitCount}\r\nkeyspace_misses:{missCount}\r\n", stats,
            StringComparison.Ordinal);
    }

    /// <summary>The time of a result built in vain counts.</summary>
    [Fact]
    public void TheTimeOfACommandIsThatOfAllItsSteps()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCostNsMax: -1, loopCount: 2, clock);
        TestClient client = server.Connect(1);
        TestClient other = server.Connect(0);
        Fill(other);
        client.Send("SUNIONSTORE", "d", "s");
        server.Turn();
        // No clock moves while a handler runs here.
        client.Session!.Suspended!.ElapsedNs = 5_000_000;
        other.Send("SADD", "s", "new");
        server.TurnLoop(0);
        server.Run();
        Assert.Equal(":4", client.Shown());
        Assert.Equal(":1", other.Shown());
        Assert.Contains("cmdstat_sunionstore:calls=1,usec=5000,", Info(other, "commandstats"),
            StringComparison.Ordinal);
    }

    /// <summary>Wherever it is cut short, nothing is left.</summary>
    [Theory]
    [InlineData("LREM l 0 e4")]
    [InlineData("LINSERT l AFTER e4 x")]
    [InlineData("ZREMRANGEBYRANK z 0 2")]
    [InlineData("ZUNIONSTORE d 2 z s")]
    [InlineData("ZRANGESTORE d z 0 -1")]
    [InlineData("SUNIONSTORE d s")]
    [InlineData("BITOP NOT d u")]
    [InlineData("BITOP NOT d v")]
    [InlineData("SORT l ALPHA STORE d")]
    [InlineData("SORT n STORE d")]
    [InlineData("SORT l BY w* GET # GET w* STORE d")]
    [InlineData("SORT l BY w* GET # GET w*")]
    [InlineData("SMEMBERS s")]
    [InlineData("XREAD STREAMS x 0")]
    [InlineData("GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 100 km")]
    [InlineData("GEOSEARCHSTORE d g POLYGON")]
    public void WhereverItEndsNothingIsLeft(string command)
    {
        command = command.Replace("POLYGON", s_polygon, StringComparison.Ordinal);
        const string change =
            "RPUSH l z, ZADD z 9 z, SADD s z, APPEND u z, APPEND v z, GEOADD g 15 37 z, RPUSH n 7";
        for (int steps = 0; steps < 7; steps++)
        {
            for (int end = 0; end < 6; end++)
            {
                TestServer server = Make();
                TestClient client = server.Connect(1);
                TestClient other = server.Connect(0);
                Fill(other);
                client.Send(command.Split(' '));
                server.IsSlowLaneHeld = true;
                for (int step = 0; step < steps; step++)
                {
                    if (step == 2 && end % 2 == 1)
                    {
                        foreach (string line in change.Split(", "))
                            other.Send(line.Split(' '));
                        server.TurnLoop(0);
                    }

                    if (step % 2 == 0)
                        server.TurnLoop(1);
                    else
                        server.StepSlowLane();
                }

                End(server, client, other, end / 2);
            }
        }
    }

    private static void End(TestServer server, TestClient client, TestClient other, int kind)
    {
        switch (kind)
        {
            case 0:
                client.Disconnect();
                break;
            case 1:
                other.Send("CLIENT", "KILL", "ID", $"{client.Session!.Id}");
                server.TurnLoop(0);
                break;
            default:
                server.Engine.Dispose();
                Assert.Empty(server.Engine.Keyspace.Pages.LeakReport());
                return;
        }

        server.IsSlowLaneHeld = false;
        server.Run();
        Assert.Equal(0, server.Engine.SlowLane.RunningCount);
        AssertNothingIsLocked(server);
        server.Dispose();
    }

    private static TestServer Make() => new(loopCostNsMax: -1, loopCount: 2, clock: null,
        ("list-max-listpack-size", "4"), ("zset-max-listpack-entries", "0"),
        ("set-max-listpack-entries", "0"));

    private static void Fill(TestClient client)
    {
        client.Run("RPUSH l e0 e1 e2 e3 e4 e5 e6");
        client.Run("RPUSH n 6 5 4 3 2 1");
        client.Run("ZADD z 1 a 2 b 3 c 4 d 5 e 6 f");
        client.Run("SADD s a b c");
        client.Run("SETRANGE u 79999 x");
        client.Run("SETRANGE v 9 x");
        client.Run("GEOADD g 15 37 p 15.1 37 q");
        client.Run("MSET we0 3 we1 2 we2 1 we3 0");
        client.Run("XADD x * field value");
    }

    // A circle of some corners around what is asked for.
    private static string Polygon(int cornerCount)
    {
        var text = new StringBuilder($"BYPOLYGON {cornerCount}");
        for (int corner = 0; corner < cornerCount; corner++)
        {
            double angle = 2 * Math.PI * corner / cornerCount;
            text.Append(
                CultureInfo.InvariantCulture, $" {15 + Math.Cos(angle):F4} {37 + Math.Sin(angle):F4}");
        }

        return text.ToString();
    }

    private static string Info(TestClient client, string section) => client.Call("INFO", section).Text;

    private static Stripe StripeOf(Keyspace.Keyspace keyspace, string key) =>
        keyspace.StripeOf(keyspace.Hash(Encoding.ASCII.GetBytes(key)));

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static void AssertNothingIsLocked(TestServer server) => Assert.DoesNotContain(
        server.Engine.Keyspace.Stripes.ToArray(), static stripe => stripe.Lock.IsHeld);
}
