using System;
using System.Linq;
using System.Text;
using Cinnabar.Engine.Statistics;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>INFO, CONFIG, MEMORY, SHUTDOWN and their like on an engine without sockets.</summary>
public sealed class ServerCommandTests
{
    [Fact]
    public void InfoCountsWhatHappenedOnAllLoops()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient one = server.Connect(0);
        TestClient other = server.Connect(1);
        one.Call("SET", "k", "v");
        other.Call("GET", "k");
        other.Call("GET", "none");
        other.Call("INCR", "k");
        one.Call("NOSUCH");
        string info = one.Call("INFO", "everything").Text!;
        Assert.Contains("\r\nredis_version:8.0.0\r\nserver_name:cinnabar\r\n", info,
            StringComparison.Ordinal);
        Assert.Contains("\r\nconnected_clients:2\r\n", info, StringComparison.Ordinal);
        Assert.Contains("\r\ntotal_commands_processed:4\r\n", info, StringComparison.Ordinal);
        Assert.Contains("\r\nkeyspace_hits:1\r\nkeyspace_misses:1\r\n", info, StringComparison.Ordinal);
        Assert.Contains("\r\ntotal_error_replies:2\r\n", info, StringComparison.Ordinal);
        Assert.Contains("\r\nrdb_changes_since_last_save:1\r\n", info, StringComparison.Ordinal);
        Assert.Contains("\r\ncmdstat_get:calls=2,", info, StringComparison.Ordinal);
        Assert.Contains(",rejected_calls=0,failed_calls=1\r\n", info, StringComparison.Ordinal);
        Assert.Contains("# Errorstats\r\nerrorstat_ERR:count=2\r\n", info, StringComparison.Ordinal);
        Assert.Contains("\r\nlatency_percentiles_usec_get:p50=", info, StringComparison.Ordinal);
        Assert.Contains("# Keyspace\r\ndb0:keys=1,expires=0,avg_ttl=0,subexpiry=0\r\n", info,
            StringComparison.Ordinal);
    }

    [Fact]
    public void InfoShowsTheSectionsAskedFor()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Assert.Equal("", client.Call("INFO", "nosuch").Text);
        Assert.StartsWith("# CPU\r\n", client.Call("INFO", "cpu").Text!, StringComparison.Ordinal);
        string two = client.Call("INFO", "Keyspace", "CLUSTER").Text!;
        Assert.Equal("# Cluster\r\ncluster_enabled:0\r\n\r\n# Keyspace\r\n", two);
        string usual = client.Call("INFO").Text!;
        Assert.Equal(usual.Split("# ").Length, client.Call("INFO", "default").Text!.Split("# ").Length);
        Assert.DoesNotContain("# Commandstats", usual, StringComparison.Ordinal);
        Assert.Contains("# Commandstats", client.Call("INFO", "all").Text!, StringComparison.Ordinal);
    }

    [Fact]
    public void ResetStatStartsAllOver()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect(1);
        client.Call("GET", "none");
        client.Call("NOSUCH");
        client.Call("CONFIG", "RESETSTAT");
        string info = client.Call("INFO", "stats", "commandstats", "errorstats", "latencystats").Text!;
        Assert.Contains("\r\nkeyspace_misses:0\r\n", info, StringComparison.Ordinal);
        Assert.Contains("\r\ntotal_error_replies:0\r\n", info, StringComparison.Ordinal);
        Assert.DoesNotContain("_get:", info, StringComparison.Ordinal);
        Assert.DoesNotContain("errorstat_", info, StringComparison.Ordinal);
    }

    [Fact]
    public void ConfigIsReadAndChanged()
    {
        using var server = new TestServer();
        TestClient client = server.Connect(protocol: 3);
        Assert.Equal("+OK", $"{client.Call("CONFIG", "SET", "maxclients", "77", "hz", "20")}");
        Assert.Equal("%[$maxclients, $77]", $"{client.Call("CONFIG", "GET", "maxclients")}");
        Assert.Equal("-ERR wrong number of arguments for 'config|set' command",
            $"{client.Call("CONFIG", "SET", "hz")}");
        Assert.Equal("-ERR syntax error", $"{client.Call("CONFIG", "SET", "hz", "30", "no")}");
        Assert.Equal("-ERR Unknown option or number of arguments for CONFIG SET - 'no'",
            $"{client.Call("CONFIG", "SET", "hz", "30", "no", "1")}");
        Assert.Equal(20, server.Engine.Settings.Hz);
        Assert.Equal("-ERR The server is running without a config file",
            $"{client.Call("CONFIG", "REWRITE")}");
    }

    [Fact]
    public void WithoutAPasswordAllClientsAreAccepted()
    {
        using var server = new TestServer();
        TestClient first = server.Connect();
        first.Call("CONFIG", "SET", "requirepass", "p");
        TestClient second = server.Connect();
        Assert.Equal("-NOAUTH Authentication required.", $"{second.Call("GET", "k")}");
        Assert.Contains("errorstat_NOAUTH:count=1", first.Call("INFO", "errorstats").Text!,
            StringComparison.Ordinal);
        first.Call("CONFIG", "SET", "requirepass", "");
        Assert.Equal("+PONG", $"{second.Call("PING")}");
    }

    [Theory]
    [InlineData("GETSET k v")]
    [InlineData("GETDEL k")]
    [InlineData("SET k v GET")]
    [InlineData("SET k v XX GET")]
    [InlineData("SET k v IFEQ v GET")]
    [InlineData("XACK k g 1-1")]
    public void WhatRepliesAnOldValueCountsAsARead(string command)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run(command);
        Assert.Contains("\r\nkeyspace_hits:0\r\nkeyspace_misses:1\r\n", client.Call("INFO", "stats").Text!,
            StringComparison.Ordinal);
        client.Run("DEL k");
        client.Run("RPUSH k v");
        Assert.Equal("-WRONGTYPE Operation against a key holding the wrong kind of value",
            client.Run(command));
        Assert.Contains("\r\nkeyspace_hits:1\r\nkeyspace_misses:1\r\n", client.Call("INFO", "stats").Text!,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("ROLE", "*[$master, :0, *]")]
    [InlineData("WAIT 0 10", ":0")]
    [InlineData("WAIT x 0", "-ERR value is not an integer or out of range")]
    [InlineData("WAIT 0 x", "-ERR timeout is not an integer or out of range")]
    [InlineData("WAIT 0 -1", "-ERR timeout is negative")]
    [InlineData("CLIENT PAUSE -1", "-ERR timeout is negative")]
    [InlineData("CLIENT PAUSE x", "-ERR timeout is not an integer or out of range")]
    [InlineData("CLIENT PAUSE 9223372036854775807 WRITE", "-ERR timeout is out of range")]
    [InlineData("WAITAOF 0 0 0", "*[:0, :0]")]
    [InlineData("WAITAOF 2 0 0", "-ERR value is out of range, value must between 0 and 1")]
    [InlineData("WAITAOF -1 x x", "-ERR value is out of range, value must between 0 and 1")]
    [InlineData("WAITAOF x 0 0", "-ERR value is not an integer or out of range")]
    [InlineData("WAITAOF 0 x x", "-ERR value is out of range, must be positive")]
    [InlineData("WAITAOF 0 -1 x", "-ERR value is out of range, must be positive")]
    [InlineData("WAITAOF 1 0 0",
        "-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.")]
    [InlineData("MODULE LIST", "*")]
    [InlineData("SCRIPT FLUSH ASYNC", "+OK")]
    [InlineData("SCRIPT FLUSH NOW", "-ERR SCRIPT FLUSH only support SYNC|ASYNC option")]
    [InlineData("SCRIPT EXISTS a b", "*[:0, :0]")]
    [InlineData("SCRIPT KILL", "-NOTBUSY No scripts in execution right now.")]
    [InlineData("FUNCTION FLUSH", "+OK")]
    [InlineData("FUNCTION FLUSH NOW", "-ERR FUNCTION FLUSH only supports SYNC|ASYNC option")]
    [InlineData("FUNCTION DELETE x", "-ERR Library not found")]
    [InlineData("FUNCTION LIST WITHCODE LIBRARYNAME *", "*")]
    [InlineData("FUNCTION LIST WITHCODE x", "-ERR Unknown argument x")]
    [InlineData("FUNCTION LIST LIBRARYNAME", "-ERR library name argument was not given")]
    [InlineData("MEMORY PURGE", "+OK")]
    [InlineData("SHUTDOWN NO", "-ERR syntax error")]
    [InlineData("SHUTDOWN SAVE NOSAVE", "-ERR syntax error")]
    [InlineData("CLUSTER GETSLOTMIGRATIONS", "-ERR This instance has cluster support disabled")]
    [InlineData("CLUSTER CANCELSLOTMIGRATIONS", "-ERR This instance has cluster support disabled")]
    [InlineData("CLUSTER MIGRATESLOTS SLOTSRANGE 0 9 NODE n",
        "-ERR This instance has cluster support disabled")]
    [InlineData("CLUSTER MIGRATESLOTS SLOTSRANGE 0 9 NODE",
        "-ERR wrong number of arguments for 'cluster|migrateslots' command")]
    [InlineData("CLUSTER KEYSLOT somekey", ":11058")]
    [InlineData("CLUSTER KEYSLOT foo{hash_tag}", ":2515")]
    [InlineData("CLUSTERSCAN 0 MATCH a* COUNT 10 TYPE hash SLOT 7",
        "-ERR This instance has cluster support disabled")]
    [InlineData("CLUSTERSCAN", "-ERR wrong number of arguments for 'clusterscan' command")]
    [InlineData("SHUTDOWN ABORT NOW", "-ERR syntax error")]
    [InlineData("SHUTDOWN ABORT", "-ERR No shutdown in progress.")]
    [InlineData("SHUTDOWN SAVE", "-ERR Errors trying to SHUTDOWN. Check logs.")]
    [InlineData("LOLWUT VERSION x", "-ERR value is not an integer or out of range")]
    public void RepliesAreThoseOfAServerAlone(string line, string reply)
    {
        using var server = new TestServer();
        Assert.Equal(reply, $"{server.Connect().Call(line.Split(' '))}");
    }

    [Fact]
    public void ShutdownNotifiesTheHost()
    {
        using var server = new TestServer();
        int count = 0;
        server.Engine.ShutdownRequested = () => count++;
        Assert.Equal("", server.Connect().Run("SHUTDOWN NOSAVE"));
        Assert.Equal(1, count);
    }

    [Fact]
    public void TimeIsTheClocks()
    {
        using var server = new TestServer();
        long seconds = server.Engine.Clock.UnixMicroseconds / 1_000_000;
        RespValue reply = server.Connect().Call("TIME");
        Assert.InRange(long.Parse(reply.Items[0].Text!), seconds, seconds + 3600);
        Assert.EndsWith("Redis ver. 8.0.0\n", server.Connect().Call("LOLWUT").Text!,
            StringComparison.Ordinal);
    }

    [Fact]
    public void ErrorCodesBeyondTheLimitAreCountedTogether()
    {
        var errors = new ErrorStatistics();
        for (int code = 0; code < ErrorStatistics.CodeCountMax + 10; code++)
            errors.Count(Encoding.ASCII.GetBytes($"CODE{code} text"));
        errors.Count("nocode"u8);
        Assert.Equal(ErrorStatistics.CodeCountMax + 11, errors.TotalCount);
        Assert.Equal(11, errors.CountOf("ERRORSTATS_OVERFLOW"u8));
        string[] codes = [.. errors.Codes.ToArray().Select(Encoding.ASCII.GetString)];
        Assert.Equal(ErrorStatistics.CodeCountMax + 1, codes.Length);
        Assert.Equal(codes.Order(StringComparer.Ordinal), codes);
        errors.Reset();
        Assert.All(codes, code => Assert.Equal(0, errors.CountOf(Encoding.ASCII.GetBytes(code))));
        // Codes before the reset take none of the places.
        for (int code = 0; code < ErrorStatistics.CodeCountMax; code++)
            errors.Count(Encoding.ASCII.GetBytes($"OTHER{code} text"));
        Assert.Equal(0, errors.CountOf("ERRORSTATS_OVERFLOW"u8));
        Assert.Equal(1, errors.CountOf("OTHER0"u8));
    }

    /// <summary>What a script has made up takes no place of a later one's codes.</summary>
    [Fact]
    public void ErrorCodesThatMovedLeaveTheirPlaces()
    {
        var script = new ErrorStatistics();
        for (int code = 0; code <= ErrorStatistics.CodeCountMax; code++)
            script.Count(Encoding.ASCII.GetBytes($"CODE{code} text"));
        script.MoveTo(new ErrorStatistics());
        script.Count("ERR text"u8);
        Assert.Equal(1, script.CountOf("ERR"u8));
    }

    [Fact]
    public void CommandListNamesSubcommandsToo()
    {
        using var server = new ObservedServer();
        string names = server.Call("COMMAND", "LIST");
        Assert.Contains("$client|list", names);
        Assert.Contains("$set,", names);
    }
}
