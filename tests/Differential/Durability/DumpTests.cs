using System;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>What DUMP replies, restored by Debian's redis-server.</summary>
public sealed class DumpTests
{
    private const int KeyCount = 120;

    [Theory]
    [InlineData("6.2")]
    [InlineData("7.0")]
    public void RedisRestoresTheSameValues(string level)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start("--enable-debug-command", "yes");
        using RespClient redis = oracle.Connect();
        Seeded.Run(1, seed =>
        {
            (string, string)[] configuration =
                [("rdb-compatibility", level), ("enable-debug-command", "yes")];
            // Half of the runs write off the loop, from what was kept of the value.
            using OwnServer server = seed % 2 == 0
                ? OwnServer.OffLoop(configuration) : new OwnServer(1, configuration);
            RespClient client = server.Connect();
            var keys = new RandomKeys(new Random((int)seed));
            foreach (string[] words in keys.Commands(KeyCount))
                Assert.NotEqual('-', client.Call(words).Kind);
            foreach ((int database, string key) in keys.Made)
            {
                client.Call("SELECT", $"{database}");
                redis.Call("SELECT", $"{database}");
                RespValue payload = client.Call("DUMP", key);
                string expiry = client.Call("PEXPIRETIME", key).Text;
                RespValue answer = redis.Call(
                    "RESTORE", key, expiry == "-1" ? "0" : expiry, payload.Text, "ABSTTL", "REPLACE");
                Assert.Equal("+OK", $"{answer}");
                Assert.Equal($"{redis.Call("DEBUG", "DIGEST-VALUE", key)}",
                    $"{client.Call("DEBUG", "DIGEST-VALUE", key)}");
            }
        });
    }
}
