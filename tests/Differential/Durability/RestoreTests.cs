using System;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>What Debian's redis-server dumps, restored here.</summary>
public sealed class RestoreTests
{
    private const int KeyCount = 150;

    [Theory]
    [InlineData("-2")]
    [InlineData("16")]
    public void ValuesAreThoseOfRedis(string nodeSize)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start("--enable-debug-command", "yes",
            "--list-max-listpack-size", nodeSize, "--list-compress-depth", "1");
        using RespClient redis = oracle.Connect();
        Seeded.Run(1, seed =>
        {
            using OwnServer server = seed % 2 == 0
                ? OwnServer.OffLoop(("enable-debug-command", "yes"))
                : new OwnServer(1, ("enable-debug-command", "yes"));
            RespClient client = server.Connect();
            redis.Call("FLUSHALL");
            var keys = new RandomKeys(new Random((int)seed));
            foreach (string[] words in keys.Commands(KeyCount))
                Assert.NotEqual('-', redis.Call(words).Kind);
            foreach ((int database, string key) in keys.Made)
            {
                client.Call("SELECT", $"{database}");
                redis.Call("SELECT", $"{database}");
                Restore(redis, client, key);
            }

            Assert.Equal($"{redis.Call("DEBUG", "DIGEST")}", $"{client.Call("DEBUG", "DIGEST")}");
        });
    }

    private static void Restore(RespClient redis, RespClient client, string key)
    {
        RespValue payload = redis.Call("DUMP", key);
        string expiry = redis.Call("PEXPIRETIME", key).Text;
        RespValue answer = client.Call(
            "RESTORE", key, expiry == "-1" ? "0" : expiry, payload.Text, "ABSTTL", "REPLACE");
        Assert.Equal("+OK", $"{answer}");
        Assert.Equal($"{redis.Call("DEBUG", "DIGEST-VALUE", key)}",
            $"{client.Call("DEBUG", "DIGEST-VALUE", key)}");
    }
}
