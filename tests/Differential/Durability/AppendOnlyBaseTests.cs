using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>Append-only files whose base is commands, or a snapshot: written by one server, loaded by the
/// other, with the same data.</summary>
public sealed class AppendOnlyBaseTests
{
    private const int KeyCount = 120;
    private const int RewriteMsMax = 300_000;

    // All but those of the radix tree.
    private static readonly string[] s_streamFields = ["length", "last-generated-id",
        "max-deleted-entry-id", "entries-added", "groups", "first-entry", "last-entry"];

    [Theory]
    [InlineData("no")]
    [InlineData("yes")]
    public void BothServersLoadBothFiles(string preamble)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        Seeded.Run(1, seed =>
        {
            foreach (bool isOwnFirst in (bool[])[true, false])
                Pass(new Random((int)seed), preamble, isOwnFirst);
        });
    }

    private static void Pass(Random random, string preamble, bool isOwnFirst)
    {
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-base-");
        try
        {
            string[] options = ["--appendonly", "yes", "--aof-use-rdb-preamble", preamble,
                "--aof-timestamp-enabled", "yes", "--enable-debug-command", "yes",
                "--auto-aof-rewrite-percentage", "0"];
            var keys = new RandomKeys(random);
            string written;
            using (StoredServer writer = Start(isOwnFirst, directory.FullName, options))
            {
                using RespClient client = writer.Connect();
                foreach (string[] words in keys.Commands(KeyCount))
                    Assert.NotEqual('-', client.Call(WithoutMinusZero(words)).Kind);
                Rewrite(client);
                client.Call("SET", "behind the base", "1");
                written = Describe(client, keys);
                writer.Stop();
            }

            CheckFiles(directory, preamble, isOwnFirst);
            using StoredServer reader = Start(!isOwnFirst, directory.FullName, options);
            using RespClient other = reader.Connect();
            Assert.Equal(written, Describe(other, keys));
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    // A small sorted set has 0 where a big one has -0, and 64 members are a small one: in both servers.
    private static string[] WithoutMinusZero(string[] words) =>
        words[0] == "ZADD" ? [.. words.Select(static word => word == "-0" ? "0" : word)] : words;

    private static StoredServer Start(bool isOwn, string directory, string[] options) => isOwn
        ? StoredServer.StartOwn(directory, [.. options, "--rdb-compatibility", "7.0"])
        : StoredServer.StartNamed(directory, options);

    private static void Rewrite(RespClient client)
    {
        Assert.StartsWith("Background append only file rewriting", client.Call("BGREWRITEAOF").Text,
            StringComparison.Ordinal);
        var time = Stopwatch.StartNew();
        string info;
        do
        {
            Assert.True(time.ElapsedMilliseconds < RewriteMsMax, "the rewrite does not end");
            Thread.Sleep(20);
            info = client.Call("INFO", "persistence").Text;
        }
        while (info.Contains("aof_rewrite_in_progress:1", StringComparison.Ordinal)
            || info.Contains("aof_rewrite_scheduled:1", StringComparison.Ordinal));

        Assert.Contains("aof_last_bgrewrite_status:ok", info, StringComparison.Ordinal);
    }

    // The digest of all data, and of streams what it leaves out. When a consumer was last seen is the time of
    // the load.
    private static string Describe(RespClient client, RandomKeys keys)
    {
        string text = $"{client.Call("DEBUG", "DIGEST")}\n";
        foreach ((int database, string key) in keys.Made)
        {
            client.Call("SELECT", database.ToString(CultureInfo.InvariantCulture));
            if (client.Call("TYPE", key).Text != "stream")
                continue;
            RespValue stream = client.Call("XINFO", "STREAM", key);
            text += string.Concat(s_streamFields.Select(name => $"{name} {stream[name]} "));
            foreach (RespValue group in client.Call("XINFO", "GROUPS", key).Items)
            {
                text += $"{group}";
                text += $"{client.Call("XPENDING", key, group.Items[1].Text)}";
                text += string.Concat(client.Call("XINFO", "CONSUMERS", key, group.Items[1].Text).Items
                    .Select(static consumer => $"{consumer.Items[1].Text} {consumer.Items[3].Text}"));
            }
        }

        return text;
    }

    private static void CheckFiles(DirectoryInfo directory, string preamble, bool isOwn)
    {
        string aof = Path.Combine(directory.FullName, "appendonlydir");
        string extension = preamble == "yes" ? "rdb" : "aof";
        string file = Assert.Single(Directory.GetFiles(aof, $"*.base.{extension}"));
        Assert.Equal(Path.Combine(aof, $"appendonly.aof.2.base.{extension}"), file);
        string increment = Assert.Single(Directory.GetFiles(aof, "*.incr.aof"));
        // Redis annotates a new file only where a second has passed since the last annotation.
        if (isOwn)
            Assert.StartsWith("#TS:", File.ReadAllText(increment), StringComparison.Ordinal);
        if (preamble == "no")
            Assert.StartsWith("#TS:", File.ReadAllText(file), StringComparison.Ordinal);
        string manifest = Path.Combine(aof, "appendonly.aof.manifest");
        var start = new ProcessStartInfo("redis-check-aof", manifest) { RedirectStandardOutput = true };
        using Process check = Process.Start(start)!;
        string output = check.StandardOutput.ReadToEnd();
        check.WaitForExit();
        Assert.True(check.ExitCode == 0, output);
    }
}
