using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Journaling;

/// <summary>What the journal gets of executions.</summary>
public sealed class EffectsTests
{
    [Fact]
    public void CommandsThatChangedSomethingAreRecordedAsTheClientSentThem()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("SET", "before", "1");
        RecordingJournal journal = RecordingJournal.Of(server);
        client.Call("set", "a", "1");
        client.Call("GET", "a");
        client.Call("DEL", "missing");
        client.Call("SADD", "a", "x");
        client.Call("INCR", "before");
        Assert.Equal(["set a 1", "INCR before"], journal.CommandsFrom());
        Assert.Equal("*2\r\n$6\r\nSELECT\r\n"u8[..4], journal.TextFrom().AsSpan(0, 4));
    }

    [Fact]
    public void LongAndManyArgumentsAreWrittenWhole()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        RecordingJournal journal = RecordingJournal.Of(server);
        string value = new('v', 100_000);
        IEnumerable<string> pairs = Enumerable.Range(0, 300).Select(number => $"{number}");
        string[] words = ["MSET", .. pairs, "", "", "k", value];
        client.Call(words);
        Assert.Equal([string.Join(' ', words)], journal.CommandsFrom());
    }

    [Fact]
    public void ATransactionIsOneUnit()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        RecordingJournal journal = RecordingJournal.Of(server);
        Transact(client, "SET a 1", "GET a", "SADD a x", "SELECT 3", "SET b 2", "SET c 3", "SELECT 0",
            "INCR a");
        client.Call("SET", "d", "4");
        Assert.Equal(["MULTI", "SET a 1", "SELECT 3", "SET b 2", "SET c 3", "SELECT 0", "INCR a", "EXEC",
            "SET d 4"], journal.CommandsFrom());
    }

    [Fact]
    public void ATransactionOfOneChangeIsNone()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        RecordingJournal journal = RecordingJournal.Of(server);
        Transact(client, "GET a", "SET a 1", "TTL a");
        Transact(client, "GET a");
        Assert.Equal(["SET a 1"], journal.CommandsFrom());
    }

    [Fact]
    public void TheDatabaseOfEveryUnitIsSelected()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        RecordingJournal journal = RecordingJournal.Of(server);
        string[] lines = ["SET a 1", "SELECT 2", "SET a 2", "SET b 3", "SELECT 0", "SET a 4"];
        foreach (string line in lines)
            client.Run(line);
        Assert.Equal(lines, journal.CommandsFrom());
    }

    [Theory]
    [InlineData("no", "DEL")]
    [InlineData("yes", "UNLINK")]
    public void AKeyPastItsDeadlineIsRecordedBeforeTheCommandThatMeetsIt(string isLazy, string removal)
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("lazyfree-lazy-expire", isLazy));
        TestClient client = server.Connect();
        client.Call("SET", "a", "1", "PX", "10");
        client.Call("SADD", "b", "x");
        client.Call("PEXPIRE", "b", "10");
        RecordingJournal journal = RecordingJournal.Of(server);
        clock.Advance(20_000);
        // In one turn, before the housekeeping.
        client.Send("SET", "a", "2");
        client.Send("GET", "b");
        client.Send("SUNIONSTORE", "c", "b", "d");
        client.Send("SADD", "d", "y");
        server.Run();
        Assert.Equal(["MULTI", $"{removal} a", "SET a 2", "EXEC", $"{removal} b", "SADD d y"],
            journal.CommandsFrom());
    }

    [Fact]
    public void KeysThatAWalkFindsPastTheirDeadlineAreNoTransaction()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock);
        TestClient client = server.Connect();
        client.Call("SET", "a", "1", "PX", "10");
        client.Call("SET", "b", "1", "PX", "10");
        RecordingJournal journal = RecordingJournal.Of(server);
        clock.Advance(20_000);
        client.Send("SCAN", "0");
        server.Run();
        string[] recorded = [.. journal.CommandsFrom()];
        Array.Sort(recorded, StringComparer.Ordinal);
        Assert.Equal(["DEL a", "DEL b"], recorded);
    }

    [Fact]
    public void WhatTheHousekeepingRemovesIsRecorded()
    {
        var clock = new ManualClock();
        using var server = new TestServer(2, clock);
        TestClient client = server.Connect();
        client.Call("SET", "a", "1", "PX", "10");
        client.Call("SELECT", "5");
        client.Call("SET", "a", "1", "PX", "10");
        client.Call("HSET", "h", "f", "1", "g", "2", "7", "3");
        client.Call("HPEXPIRE", "h", "10", "FIELDS", "2", "f", "7");
        RecordingJournal journal = RecordingJournal.Of(server);
        clock.Advance(20_000);
        server.Run();
        List<string> commands = journal.CommandsFrom();
        Assert.Equal(2, commands.Count(command => command == "DEL a"));
        Assert.Contains("HDEL h f 7", commands);
        Assert.DoesNotContain("MULTI", commands);
    }

    [Fact]
    public void ACommandThatTakesTheSlowLaneIsRecordedWhenItStores()
    {
        using var server = new TestServer(loopCostNsMax: 0, 1, null);
        TestClient client = server.Connect();
        client.Run("RPUSH l 3 1 2");
        RecordingJournal journal = RecordingJournal.Of(server);
        client.Run("SORT l STORE t");
        client.Run("LINSERT l BEFORE 1 9");
        client.Run("FLUSHALL SYNC");
        Assert.Equal(["SORT l STORE t", "LINSERT l BEFORE 1 9", "FLUSHALL SYNC"], journal.CommandsFrom());
    }

    private static void Transact(TestClient client, params ReadOnlySpan<string> lines)
    {
        client.Run("MULTI");
        foreach (string line in lines)
            client.Run(line);
        client.Run("EXEC");
    }
}
