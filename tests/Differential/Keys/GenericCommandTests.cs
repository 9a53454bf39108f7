using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Keys;

/// <summary>
/// What all types share, on small and big values of each, beside redis-server: after every step the digest of
/// all data is the same. The memory is checked.
/// </summary>
public sealed class GenericCommandTests
{
    private static readonly string[] s_steps =
    [
        "TYPE k", "OBJECT REFCOUNT k", "COPY k copy", "COPY k copy", "@change copy",
        "COPY k copy REPLACE", "@change k", "EXPIRE k 100000", "COPY k timed", "PERSIST k",
        "RENAME k moved", "RENAMENX moved copy", "RENAMENX moved k", "MOVE k 1", "MOVE copy 1",
        "EXISTS k copy timed", "SELECT 1",
        "@change copy", "COPY copy copy DB 0", "COPY copy third DB 2", "SWAPDB 0 1", "DBSIZE", "TOUCH k copy",
        "RENAME copy copy", "MOVE k 2", "SELECT 2", "COPY third k", "COPY third k REPLACE", "UNLINK third",
        "SELECT 0", "FLUSHDB", "SELECT 1", "DEL timed", "SELECT 2", "SET k text", "@change third",
        "RENAME third k", "FLUSHALL", "DBSIZE",
    ];

    /// <summary>Types and numbers of items.</summary>
    public static TheoryData<string, int> Values()
    {
        var data = new TheoryData<string, int>();
        foreach (string type in TypedData.Types)
        {
            data.Add(type, 3);
            data.Add(type, 3_000);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Values))]
    public void ValuesOfAllTypesAreMovedCopiedAndRemoved(string type, int count)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start("--enable-debug-command", "yes");
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer(configuration: ("enable-debug-command", "yes"));
        RespClient ours = server.Connect();
        foreach (string[] words in TypedData.Make(type, count))
            Assert.Equal($"{redis.Call(words)}", $"{ours.Call(words)}");
        foreach (string step in s_steps)
        {
            string[] words = step.StartsWith("@change ", StringComparison.Ordinal)
                ? TypedData.Change(type, step[8..]) : step.Split(' ');
            Assert.Equal($"{step} => {redis.Call(words)}", $"{step} => {ours.Call(words)}");
            foreach (string look in (string[])["DIGEST", "DIGEST-VALUE k copy moved third none"])
            {
                string[] question = ["DEBUG", .. look.Split(' ')];
                Assert.Equal($"{step}: {look} => {redis.Call(question)}",
                    $"{step}: {look} => {ours.Call(question)}");
            }
        }
    }

    [Fact]
    public void ScanFindsTheKeysOfAType()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer();
        RespClient ours = server.Connect();
        foreach (string[] words in TypedData.OneOfEach())
            Assert.Equal($"{redis.Call(words)}", $"{ours.Call(words)}");
        foreach (string type in (string[])[.. TypedData.Types, "ZSET", "none", "module", "x"])
        {
            string[] words = ["SCAN", "0", "COUNT", "1000", "TYPE", type];
            Assert.Equal($"{type}: {Names(redis.Call(words))}", $"{type}: {Names(ours.Call(words))}");
        }
    }

    [Fact]
    public void EveryTypeIsDescribed()
    {
        using var server = new OwnServer(configuration: ("enable-debug-command", "yes"));
        RespClient ours = server.Connect();
        foreach (string[] words in TypedData.OneOfEach())
            ours.Call(words);
        foreach (RespValue key in ours.Call("KEYS", "*").Items)
        {
            Assert.True(ours.Call("MEMORY", "USAGE", key.Text, "SAMPLES", "0").Integer > 10);
            string[] words = ours.Call("DEBUG", "OBJECT", key.Text).Text.Split(' ');
            Assert.Equal("encoding:" + ours.Call("OBJECT", "ENCODING", key.Text).Text, words[3]);
            Assert.True(long.Parse(words[4].Split(':')[1], CultureInfo.InvariantCulture) > 1);
            Assert.StartsWith("-ERR An LFU", $"{ours.Call("OBJECT", "FREQ", key.Text)}");
        }

        string text = ours.Call("INFO", "keysizes").Text;
        foreach (string line in (string[])["strings_sizes:2=1,8=1", "lists_items:4=1,128=1", "sets_items:2=2",
            "zsets_items:2=2", "hashes_items:2=1"])
            Assert.Contains("db0_distrib_" + line, text);
    }

    private static string Names(RespValue reply)
    {
        if (reply.Items.Count < 2)
            return $"{reply}";
        var names = reply.Items[1].Items.Select(static item => item.Text);
        return string.Join(',', names.Order(StringComparer.Ordinal));
    }
}
