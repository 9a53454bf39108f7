using System;
using System.Diagnostics;
using System.IO;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>Files that the program saves, read by Debian's redis-check-rdb and redis-server.</summary>
public sealed class RdbFileTests
{
    private const string Checker = "redis-check-rdb";
    private const int KeyCount = 150;

    [Theory]
    [InlineData("6.2", true)]
    [InlineData("7.0", true)]
    [InlineData("7.0", false)]
    public void RedisLoadsTheSameData(string level, bool isCompressed)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        string yesOrNo = isCompressed ? "yes" : "no";
        Seeded.Run(1, seed =>
        {
            // With the policy the file has how long each key was not used.
            using var server = new OwnServer(1, ("rdb-compatibility", level), ("rdbcompression", yesOrNo),
                ("rdbchecksum", yesOrNo), ("maxmemory-policy", isCompressed ? "allkeys-lru" : "noeviction"),
                ("list-compress-depth", seed % 2 == 0 ? "1" : "0"), ("enable-debug-command", "yes"));
            RespClient client = server.Connect();
            var keys = new RandomKeys(new Random((int)seed));
            foreach (string[] words in keys.Commands(KeyCount))
                Assert.NotEqual('-', client.Call(words).Kind);
            Assert.Equal("+OK", client.Run("SAVE"));
            string directory = client.Call("CONFIG", "GET", "dir").Items[1].Text;
            Check(Path.Combine(directory, "dump.rdb"));
            using OracleServer oracle = OracleServer.Start(
                "--dir", directory, "--dbfilename", "dump.rdb", "--enable-debug-command", "yes");
            using RespClient redis = oracle.Connect();
            Assert.Equal($"{client.Call("DEBUG", "DIGEST")}", $"{redis.Call("DEBUG", "DIGEST")}");
            Assert.True(CountOf(redis, keys) > KeyCount / 2);
        });
    }

    private static long CountOf(RespClient redis, RandomKeys keys)
    {
        long count = 0;
        foreach ((int database, string key) in keys.Made)
        {
            redis.Call("SELECT", $"{database}");
            count += redis.Call("EXISTS", key).Integer;
        }

        return count;
    }

    private static void Check(string path)
    {
        var start = new ProcessStartInfo(Checker, path) { RedirectStandardOutput = true };
        using Process check = Process.Start(start)!;
        string output = check.StandardOutput.ReadToEnd();
        check.WaitForExit();
        Assert.True(check.ExitCode == 0, output);
        Assert.Contains("RDB looks OK!", output, StringComparison.Ordinal);
    }
}
