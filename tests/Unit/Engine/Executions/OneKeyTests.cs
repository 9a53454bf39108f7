using Cinnabar.Keyspace;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Executions;

/// <summary>A session's commands on one key, one behind the other, leave its stripe free.</summary>
public sealed class OneKeyTests
{
    [Fact]
    public void CommandsOnOneKeyReplyAndCountAsEver()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Send(client, "RPUSH k a b", "LPUSH k c", "INCR k", "LPUSH k", "LLEN k", "RPUSH k d e", "GET other",
            "RPUSH other f", "RPUSH k g", "PING");
        server.Run();
        Assert.Equal(":2 :3 -WRONGTYPE Operation against a key holding the wrong kind of value "
            + "-ERR wrong number of arguments for 'lpush' command :3 :5 _ :1 :6 +PONG", client.Shown());
        AssertFree(server);
        Assert.Contains("cmdstat_rpush:calls=4,", client.Run("INFO commandstats"));
        Assert.Contains("cmdstat_llen:calls=1,", client.Run("INFO commandstats"));
    }

    [Fact]
    public void ACommandThatGoesToTheSlowLaneTakesTheStripeAlong()
    {
        using var server = new TestServer(loopCostNsMax: 0, loopCount: 1, clock: null);
        TestClient client = server.Connect();
        Send(client, "RPUSH k a b c", "LPOP k 2", "RPUSH k d", "RPOP k 9", "EXISTS k");
        server.Run();
        Assert.Equal(":3 *[$a, $b] :2 *[$d, $c] :0", client.Shown());
        AssertFree(server);
    }

    [Fact]
    public void AnotherClientOfTheKeyIsServedBetweenItsCommands()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient waiter = server.Connect(loop: 1);
        TestClient client = server.Connect();
        waiter.Send("BLPOP", "k", "0");
        server.Run();
        Send(client, "RPUSH k a", "LLEN k", "RPUSH k b", "RPUSH k c", "LLEN k");
        server.Run();
        Assert.Equal(":1 :0 :1 :2 :2", client.Shown());
        Assert.Equal("*[$k, $a]", waiter.Shown());
        AssertFree(server);
    }

    [Fact]
    public void ManyRepliesOfOneKeyAreSentWithoutItsStripe()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("SET", "k", new string('x', 40_000));
        client.OutputRoom = 0;
        for (int count = 0; count < 32; count++)
            client.Send("GET", "k");
        server.Run();
        AssertFree(server);
        client.OutputRoom = long.MaxValue;
        client.Drain();
        server.Run();
        Assert.Equal(32, client.Take().Count);
        AssertFree(server);
    }

    private static void Send(TestClient client, params string[] lines)
    {
        foreach (string line in lines)
            client.Send(line.Split(' '));
    }

    private static void AssertFree(TestServer server)
    {
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
        {
            Assert.True(stripe.Lock.TryEnter());
            stripe.Lock.Exit();
        }
    }
}
