using System;
using System.Linq;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>MIGRATE of redis-server to this server's program, and back.</summary>
public sealed class MigrateInTests
{
    private const int KeyCount = 60;

    [Fact]
    public void ValuesOfAllTypesComeAndGo()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start("--enable-debug-command", "yes");
        using RespClient redis = oracle.Connect();
        using OracleServer own = OracleServer.StartOwn(
            "--enable-debug-command", "yes", "--rdb-compatibility", "7.0");
        using RespClient ours = own.Connect();
        Seeded.Run(1, seed =>
        {
            var keys = new RandomKeys(new Random((int)seed));
            foreach (string[] words in keys.Commands(KeyCount))
                Assert.NotEqual('-', redis.Call(words).Kind);
            string digest = $"{redis.Call("DEBUG", "DIGEST")}";
            Move(redis, own.Port, keys);
            Assert.Equal(digest, $"{ours.Call("DEBUG", "DIGEST")}");
            Move(ours, oracle.Port, keys);
            Assert.Equal(digest, $"{redis.Call("DEBUG", "DIGEST")}");
        });
    }

    /// <summary>Passwords are asked for, keys that are there are kept or replaced, and COPY leaves the
    /// source's.</summary>
    [Fact]
    public void OptionsOfRedisActHere()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using OracleServer own = OracleServer.StartOwn();
        using RespClient ours = own.Connect();
        ours.Run("ACL SETUSER mover on >word ~* +@all");
        ours.Run("CONFIG SET requirepass secret");
        redis.Run("MSET a 1 b 2 c 3");
        const string Error = "-ERR Target instance replied with error: ";
        Assert.StartsWith(Error + "NOAUTH", Migrate("a"), StringComparison.Ordinal);
        Assert.StartsWith(Error + "WRONGPASS", Migrate("a", "AUTH", "other"), StringComparison.Ordinal);
        Assert.Equal("+OK", Migrate("a", "COPY", "AUTH", "secret"));
        Assert.Equal("$1", redis.Run("GET a"));
        redis.Run("SET a 4");
        Assert.StartsWith(Error + "BUSYKEY", Migrate("a", "AUTH", "secret"), StringComparison.Ordinal);
        Assert.Equal("$1", ours.Run("GET a"));
        Assert.Equal("+OK", Migrate("a", "REPLACE", "AUTH", "secret"));
        Assert.Equal("+OK", Migrate("", "AUTH2", "mover", "word", "KEYS", "b", "c"));
        Assert.Equal("*[$4, $2, $3]", ours.Run("MGET a b c"));
        Assert.Equal(":0", redis.Run("DBSIZE"));

        string Migrate(string key, params string[] options) =>
            $"{redis.Call(["MIGRATE", "127.0.0.1", $"{own.Port}", key, "0", "60000", .. options])}";
    }

    private static void Move(RespClient from, int port, RandomKeys keys)
    {
        foreach (int database in keys.Made.Select(static made => made.Database).Distinct())
        {
            string[] names =
                [.. keys.Made.Where(made => made.Database == database).Select(static made => made.Key)];
            from.Call("SELECT", $"{database}");
            RespValue reply = from.Call(
                ["MIGRATE", "127.0.0.1", $"{port}", "", $"{database}", "60000", "KEYS", .. names]);
            Assert.Equal("+OK", $"{reply}");
            Assert.Equal(":0", $"{from.Call("DBSIZE")}");
        }
    }
}
