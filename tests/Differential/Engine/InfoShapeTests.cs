using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Engine;

/// <summary>
/// Replies about the server itself: their values are its own, their shape is that of redis-server: the
/// kinds of RESP, the names of fields, and whether a field is a number.
/// </summary>
public sealed class InfoShapeTests
{
    // What of INFO there is no true value for.
    private static readonly string[] s_infoAbsent =
    [
        "gcc_version", "atomicvar_api", // dotnet_version says what it is built with
    ];

    // Digits of a build or a run may or may not look like a number; since Redis 7.4 a database also counts
    // the fields of hashes that have a deadline.
    private static readonly string[] s_infoOther =
        ["redis_git_sha1", "redis_build_id", "run_id", "master_replid", "db0"];

    private static readonly string[] s_memoryAbsent =
    [
        "overhead.hashtable.slot-to-keys", // since Redis 7.2 it is only in a cluster
    ];

    private static readonly string[] s_memoryOfNewer = // since Redis 7.4 and 8.0
    [
        "overhead.db.hashtable.lut", "overhead.db.hashtable.rehashing", "db.dict.rehashing.count",
        "allocator.muzzy", "replica.fullsync.buffer", "script.VMs",
    ];

    private static readonly string[] s_lines =
    [
        "CONFIG GET maxmemory*", "CONFIG GET maxmemory save", "CONFIG GET nosuch", "TIME", "ROLE",
        "CLIENT LIST", "CLIENT INFO", "CLIENT ID", "CLIENT GETNAME", "CLIENT GETREDIR", "COMMAND COUNT",
        "COMMAND INFO nosuch", "COMMAND DOCS nosuch", "MEMORY DOCTOR", "MEMORY USAGE key",
        "MEMORY USAGE none",
        "LATENCY HISTOGRAM set", "LATENCY HISTOGRAM nosuch", "LATENCY LATEST", "LATENCY HISTORY none",
        "LATENCY DOCTOR", "SLOWLOG GET 1", "SLOWLOG LEN", "MODULE LIST", "PUBSUB CHANNELS",
        "PUBSUB NUMSUB a", "PUBSUB NUMPAT", "LOLWUT", "DEBUG OBJECT key", "OBJECT IDLETIME key",
        "OBJECT REFCOUNT key", "SCAN 0", "RANDOMKEY", "DBSIZE", "INFO server", "WAIT 0 0", "CLUSTER INFO",
        "LATENCY RESET", "LASTSAVE",
    ];

    [Fact]
    public void InfoHasEveryFieldOfRedisAndOfTheSameKind()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer(loopCount: 2);
        RespClient ours = server.Connect();
        string[] lines = ["CONFIG RESETSTAT", "SET key v", "SET other v PX 1000000", "GET none", "NOSUCH"];
        foreach (string line in lines)
            Assert.Equal(redis.Call(line.Split(' ')).Kind, ours.Call(line.Split(' ')).Kind);
        Dictionary<string, string> theirs = Fields(redis.Call("INFO", "everything").Text);
        Dictionary<string, string> own = Fields(ours.Call("INFO", "everything").Text);
        Assert.Equal(s_infoAbsent.Order(), theirs.Keys.Except(own.Keys).Order());
        List<string> differences = [];
        foreach ((string name, string value) in theirs)
        {
            if (own.TryGetValue(name, out string? ownValue) && KindOf(value) != KindOf(ownValue)
                && !s_infoOther.Contains(name))
                differences.Add($"{name}: {ownValue}, redis {value}");
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void MemoryStatsHasTheFieldsOfRedis(int protocol)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        redis.Call("HELLO", $"{protocol}");
        using var server = new OwnServer();
        RespClient ours = server.Connect(protocol: protocol);
        Assert.Equal(redis.Call("SET", "key", "v").Kind, ours.Call("SET", "key", "v").Kind);
        RespValue stats = ours.Call("MEMORY", "STATS");
        Assert.Equal(Pairs(redis.Call("MEMORY", "STATS")), Pairs(stats));
        string[] names = [.. stats.Items.Index().Where(static item => item.Index % 2 == 0)
            .Select(static item => item.Item.Text)];
        foreach (string name in s_memoryOfNewer)
            Assert.True(stats.Items[Array.IndexOf(names, name) * 2 + 1].Kind == ':', name);
        int table = Array.IndexOf(names, "overhead.db.hashtable.lut") * 2 + 1;
        Assert.Equal(stats.Items[Array.IndexOf(names, "db.0") * 2 + 1].Items[1].Integer,
            stats.Items[table].Integer);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesHaveTheShapeOfRedis(int protocol)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        // A slow machine would log commands as slow ones.
        using OracleServer oracle = OracleServer.Start(
            "--enable-debug-command", "yes", "--slowlog-log-slower-than", "-1");
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer(
            1, ("enable-debug-command", "yes"), ("slowlog-log-slower-than", "-1"));
        RespClient ours = server.Connect();
        List<string> differences = [];
        string[] lines = ["SET key v", $"HELLO {protocol}", .. s_lines];
        foreach (string line in lines)
        {
            string[] words = line.Split(' ');
            string theirs = Shape(redis.Call(words));
            string own = Shape(ours.Call(words));
            if (theirs != own)
                differences.Add($"{line}: {own}\n  redis {theirs}");
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
    }

    // Kinds all the way down; a row of alike items counts once; names of a map's fields stay where they are
    // words (those of a histogram are its limits, in microseconds).
    private static string Shape(RespValue reply)
    {
        if (reply.Kind == '-')
            return $"{reply}";
        if (reply.Items.Count == 0)
            return $"{reply.Kind}";
        IEnumerable<string> shapes = reply.Kind == '%'
            ? reply.Items.Index().Where(static item => item.Index % 2 == 0)
                .Select(item => NameOf(item.Item) + Shape(reply.Items[item.Index + 1])).Distinct().Order()
            : reply.Items.Select(Shape).Distinct();
        return $"{reply.Kind}[{string.Join(' ', shapes)}]";
    }

    private static string NameOf(RespValue name) => name.Kind == ':' ? ":" : name.Text + ":";

    private static string Pairs(RespValue stats)
    {
        List<string> pairs = [$"{stats.Kind}"];
        for (int index = 0; index < stats.Items.Count; index += 2)
        {
            (string name, RespValue value) = (stats.Items[index].Text, stats.Items[index + 1]);
            if (s_memoryAbsent.Contains(name) || s_memoryOfNewer.Contains(name))
                continue;
            pairs.Add(value.Items.Count == 0 ? $"{name} {value.Kind}" : $"{name} {Pairs(value)}");
        }

        return string.Join("; ", pairs);
    }

    private static Dictionary<string, string> Fields(string info) => info.Split("\r\n")
        .Where(static line => line.Contains(':'))
        .Select(static line => line.Split(':', 2))
        .ToDictionary(static parts => parts[0], static parts => parts[1]);

    private static string KindOf(string value)
    {
        if (double.TryParse(value, CultureInfo.InvariantCulture, out _))
            return value.Contains('.') ? "fraction" : "integer";
        if (value.EndsWith('%'))
            return "percentage";
        return value.Contains('=')
            ? string.Join(' ', value.Split(',').Select(static part => part.Split('=')[0]))
            : "text";
    }
}
