using System.Collections.Generic;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Engine;

/// <summary>Connections, CLIENT and pub/sub answer as redis-server does, in both protocols.</summary>
public sealed class ConnectionOracleTests
{
    // Lines run in one session, in order. Each gets one reply from both servers.
    private static readonly string[] s_lines =
    [
        "PING", "PING hi", "PING a b", "ECHO", "ECHO x", "SELECT x", "SELECT 16", "SELECT -1",
        "SELECT 4294967296",
        "SELECT 99999999999999999999", "SELECT 1 2", "SELECT 1", "SELECT 0", "AUTH", "AUTH x",
        "AUTH default x",
        "AUTH nobody x", "AUTH a b c", "HELLO 1", "HELLO 4", "HELLO x", "HELLO 3 AUTH default",
        "HELLO 3 SETNAME",
        "HELLO 3 AUTH nobody x", "HELLO 3 NO", "RESET x", "QUIT0",
        "CLIENT", "CLIENT NO", "CLIENT LIST TYPE no", "CLIENT LIST TYPE", "CLIENT LIST ID",
        "CLIENT LIST ID x",
        "CLIENT LIST ID 1 x", "CLIENT LIST ID 0", "CLIENT LIST ID 999 998", "CLIENT LIST NO",
        "CLIENT LIST TYPE normal x",
        "CLIENT LIST TYPE pubsub", "CLIENT LIST TYPE master", "CLIENT LIST TYPE replica",
        "CLIENT LIST TYPE slave",
        "CLIENT KILL a", "CLIENT KILL 127.0.0.1:1", "CLIENT KILL ID x", "CLIENT KILL ID 0",
        "CLIENT KILL ID 9999",
        "CLIENT KILL TYPE no", "CLIENT KILL USER no", "CLIENT KILL SKIPME maybe", "CLIENT KILL SKIPME",
        "CLIENT KILL ID 1 NO", "CLIENT KILL ID 1 NO X", "CLIENT KILL ID 1 ID", "CLIENT KILL 1 2 3",
        "CLIENT KILL ADDR x LADDR y USER default SKIPME yes", "CLIENT KILL SKIPME no TYPE pubsub",
        "CLIENT NO-EVICT", "CLIENT NO-EVICT x", "CLIENT NO-EVICT on", "CLIENT NO-EVICT OFF",
        "CLIENT PAUSE", "CLIENT PAUSE x", "CLIENT PAUSE -1", "CLIENT PAUSE 1 x", "CLIENT PAUSE x y",
        "CLIENT PAUSE 1 WRITE x", "CLIENT UNPAUSE x", "CLIENT UNPAUSE",
        "CLIENT REPLY", "CLIENT REPLY x", "CLIENT REPLY on", "CLIENT SETNAME", "CLIENT SETNAME a b",
        "CLIENT SETNAME \u00e9", "CLIENT GETNAME", "CLIENT SETNAME foo", "CLIENT GETNAME", "CLIENT GETNAME x",
        "CLIENT INFO x", "CLIENT ID x", "CLIENT GETREDIR", "CLIENT GETREDIR x",
        "PUBSUB", "PUBSUB NO", "PUBSUB CHANNELS", "PUBSUB CHANNELS a b", "PUBSUB NUMSUB", "PUBSUB NUMSUB a b",
        "PUBSUB NUMPAT", "PUBSUB NUMPAT x", "PUBSUB SHARDCHANNELS", "PUBSUB SHARDCHANNELS a b",
        "PUBSUB SHARDNUMSUB",
        "PUBSUB SHARDNUMSUB a", "PUBLISH", "PUBLISH a", "PUBLISH a b", "PUBLISH a b c",
        "SSUBSCRIBE", "SUNSUBSCRIBE", "SUNSUBSCRIBE x", "SPUBLISH", "SPUBLISH a", "SPUBLISH a b",
        "SPUBLISH a b c", "COMMAND GETKEYS SPUBLISH a b", "COMMAND GETKEYS SSUBSCRIBE a",
        "SSUBSCRIBE a", "SSUBSCRIBE a", "SUBSCRIBE a", "SSUBSCRIBE b", "PSUBSCRIBE x*", "PING",
        "SPUBLISH no b", "PUBSUB SHARDNUMSUB a b c", "PUBSUB SHARDCHANNELS [b-z]", "PUBSUB CHANNELS",
        "PUNSUBSCRIBE", "UNSUBSCRIBE", "GET k", "SUNSUBSCRIBE b", "SUNSUBSCRIBE b", "SUNSUBSCRIBE",
        "GET k", "MULTI", "SSUBSCRIBE q", "SPUBLISH q m", "SUNSUBSCRIBE", "EXEC",
        "SSUBSCRIBE a", "RESET", "PUBSUB SHARDCHANNELS", "GET k",
        "SUBSCRIBE", "PSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "UNSUBSCRIBE x", "PUNSUBSCRIBE x",
        "SUBSCRIBE a", "SUBSCRIBE a", "SUBSCRIBE b", "PSUBSCRIBE p*", "PSUBSCRIBE p*", "PING", "PING x",
        "PING a b",
        "GET k", "CLIENT ID x", "MULTI", "PUBSUB NUMSUB a b", "RESET", "GET k", "PUBSUB NUMPAT",
        "MULTI", "SUBSCRIBE a", "GET k", "EXEC", "UNSUBSCRIBE a", "UNSUBSCRIBE a", "UNSUBSCRIBE",
        "MULTI", "MONITOR", "EXEC", "MULTI", "PING", "EXEC x", "DISCARD", "EXEC x", "MULTI", "NO", "EXEC",
        "MULTI", "CLIENT GETNAME", "CLIENT SETNAME new", "PING a b", "EXEC", "CLIENT GETNAME",
        "MONITOR", "GET k", "PUBLISH a b", "RESET", "GET k", "CLIENT GETNAME",
    ];

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAreTheOracles(int protocol)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        redis.Call("HELLO", $"{protocol}");
        using var server = new OwnServer(loopCount: 2);
        RespClient ours = server.Connect(protocol);
        foreach (string line in s_lines)
        {
            string[] words = line.Split(' ');
            Assert.Equal($"{line} => {redis.Call(words)}", $"{line} => {ours.Run(line)}");
        }
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void MessagesAreTheOracles(int protocol)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redisSubscriber = oracle.Connect();
        using RespClient redisPublisher = oracle.Connect();
        redisSubscriber.Call("HELLO", $"{protocol}");
        using var server = new OwnServer(loopCount: 2);
        RespClient subscriber = server.Connect(protocol);
        RespClient publisher = server.Connect();
        string[] subscriptions = ["PSUBSCRIBE n[ea]ws.*", "SUBSCRIBE news.it", "SUBSCRIBE other",
            "UNSUBSCRIBE other", "SSUBSCRIBE news.it", "SSUBSCRIBE other"];
        foreach (string line in subscriptions)
            Assert.Equal($"{redisSubscriber.Call(line.Split(' '))}", subscriber.Run(line));
        string[] published = ["PUBLISH news.it 1", "PUBLISH naws.it 2", "PUBLISH other 3",
            "PUBLISH NEWS.it 4", "SPUBLISH news.it 5", "SPUBLISH naws.it 6", "SPUBLISH other 7"];
        foreach (string line in published)
        {
            RespValue count = redisPublisher.Call(line.Split(' '));
            Assert.Equal($"{count}", publisher.Run(line));
            List<string> messages = [];
            List<string> own = [];
            for (int left = int.Parse(count.Text,
                System.Globalization.CultureInfo.InvariantCulture); left > 0; left--)
            {
                messages.Add($"{redisSubscriber.Read()}");
                own.Add($"{subscriber.Read()}");
            }

            Assert.Equal(messages, own);
        }

        Assert.Equal($"{redisSubscriber.Call("PING")}", subscriber.Run("PING"));
    }
}
