using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Journaling;

/// <summary>The commands that are recorded in place of others. NOW in a line is the time in
/// milliseconds.</summary>
public sealed class EffectFormsTests
{
    private const long NowMs = 1_750_000_000_000;

    [Theory]
    [InlineData("", "SET k v EX 10", "SET k v PXAT NOW+10000")]
    [InlineData("", "set k v get px 10 nx", "SET k v PXAT NOW+10")]
    [InlineData("SET k w", "SET k v GET XX KEEPTTL", "SET k v XX KEEPTTL")]
    [InlineData("SET k w", "SET k v IFEQ w GET", "SET k v IFEQ w")]
    [InlineData("SET k w", "SET k v PXAT 1", "DEL k")]
    [InlineData("", "SET k v PXAT 1", "")]
    [InlineData("", "SET k v GET PXAT 1", "")]
    [InlineData("", "SETEX k 5 v", "SET k v PXAT NOW+5000")]
    [InlineData("", "PSETEX k 5 v", "SET k v PXAT NOW+5")]
    [InlineData("", "MSETEX 2 a 1 b 2 PX 5", "MULTI;SET a 1 PXAT NOW+5;SET b 2 PXAT NOW+5;EXEC")]
    [InlineData("", "MSETEX 2 a 1 b 2 NX", "MSETEX 2 a 1 b 2 NX")]
    [InlineData("SET k 1", "GETSET k 2", "SET k 2")]
    [InlineData("SET k 1", "GETDEL k", "DEL k")]
    [InlineData("SET k 1", "GETEX k", "")]
    [InlineData("SET k 1", "GETEX k EX 5", "PEXPIREAT k NOW+5000")]
    [InlineData("SET k 1 EX 5", "GETEX k PERSIST", "PERSIST k")]
    [InlineData("SET k 1", "GETEX k PXAT 1", "DEL k")]
    [InlineData("SET k 1", "INCRBYFLOAT k 1.5", "SET k 2.5 KEEPTTL")]
    [InlineData("SET k 1", "DELEX k IFEQ 1", "DEL k")]
    [InlineData("SET k 1", "EXPIRE k 10 NX", "PEXPIREAT k NOW+10000 NX")]
    [InlineData("SET k 1", "PEXPIREAT k 1", "DEL k")]
    [InlineData("SET k 1", "EXPIRE k -1", "DEL k")]
    [InlineData("SADD k a", "SPOP k", "SREM k a")]
    [InlineData("SADD k a b", "SPOP k 2", "DEL k")]
    [InlineData("SADD k 1 1 1", "SPOP k 1", "DEL k")]
    [InlineData("RPUSH k a b c", "BLPOP x k 0", "LPOP k")]
    [InlineData("RPUSH k a b c", "BRPOP k 0", "RPOP k")]
    [InlineData("RPUSH k a b c", "LMPOP 2 x k RIGHT COUNT 9", "RPOP k 3")]
    [InlineData("RPUSH k a b c", "BLMPOP 0 1 k LEFT COUNT 2", "LPOP k 2")]
    [InlineData("RPUSH k a b c", "BLMOVE k t LEFT RIGHT 0", "LMOVE k t LEFT RIGHT")]
    [InlineData("RPUSH k a b c", "BRPOPLPUSH k t 0", "RPOPLPUSH k t")]
    [InlineData("ZADD k 1 a 2 b", "BZPOPMIN k 0", "ZPOPMIN k")]
    [InlineData("ZADD k 1 a 2 b", "BZMPOP 0 2 x k MAX COUNT 9", "ZPOPMAX k 2")]
    [InlineData("ZADD k 1 a 2 b", "ZMPOP 1 k MIN", "ZPOPMIN k 1")]
    [InlineData("HSET k f 1", "HINCRBYFLOAT k f 1.5", "HSET k f 2.5")]
    [InlineData("HSETEX k EX 5 FIELDS 1 f 1", "HINCRBYFLOAT k f 1.5", "HSETEX k KEEPTTL FIELDS 1 f 2.5")]
    [InlineData("HSET k f 1 g 2", "HEXPIRE k 5 NX FIELDS 2 f x", "HPEXPIREAT k NOW+5000 NX FIELDS 2 f x")]
    [InlineData("HSET k f 1 g 2", "HEXPIRE k 5 FIELDS 2 f x NX", "HPEXPIREAT k NOW+5000 NX FIELDS 2 f x")]
    [InlineData("HSET k f 1 g 2", "HEXPIRE k 5 NX NX FIELDS 1 f NX", "HPEXPIREAT k NOW+5000 NX FIELDS 1 f")]
    [InlineData("HSET k f 1 g 2", "HEXPIREAT k 1 FIELDS 2 f x", "HDEL k f")]
    [InlineData("HSET k f 1 g 2", "HGETDEL k FIELDS 1 f", "HDEL k f")]
    [InlineData("HSET k f 1 g 2", "HGETEX k PX 5 FIELDS 1 f", "HPEXPIREAT k NOW+5 FIELDS 1 f")]
    [InlineData("HSET k f 1 g 2", "HGETEX k PXAT 5 FIELDS 1 f", "HDEL k f")]
    [InlineData("HSETEX k EX 5 FIELDS 1 f 1", "HGETEX k PERSIST FIELDS 1 f", "HPERSIST k FIELDS 1 f")]
    [InlineData("", "HSETEX k FNX EX 5 FIELDS 1 f 1", "HSETEX k PXAT NOW+5000 FIELDS 1 f 1")]
    [InlineData("SET a 1", "SORT a STORE t", "")]
    [InlineData("SADD s 1", "SINTERSTORE t s s", "SINTERSTORE t s s")]
    [InlineData("SET a 1", "FLUSHALL", "FLUSHALL")]
    public void ACommandThatDependsOnTheTimeOrOnOthersIsRecordedAsItsEffect(
        string before, string command, string expected) =>
        Assert.Equal(expected, Recorded(CommandLevel.Newest, before, command));

    [Theory]
    [InlineData("", "XADD k * f 1", "XADD k NOW-0 f 1")]
    [InlineData("", "XADD k 5-* f 1", "XADD k 5-0 f 1")]
    [InlineData("", "XADD k 5-1 f 1", "XADD k 5-1 f 1")]
    [InlineData("XADD k 5-1 f 1", "XADD k MAXLEN ~ 1 LIMIT 5 * f 1", "XADD k MAXLEN = 2 NOW-0 f 1")]
    [InlineData("XADD k 5-1 f 1", "XADD k MINID ~ 6 7-1 f 1", "XADD k MINID = 5-1 7-1 f 1")]
    [InlineData("XADD k 5-1 f 1", "XADD k NOMKSTREAM MAXLEN 1 * f 1",
        "XADD k NOMKSTREAM MAXLEN 1 NOW-0 f 1")]
    [InlineData("XADD k 5-1 f 1", "XADD k MINID = 5 * f 1", "XADD k MINID = 5 NOW-0 f 1")]
    [InlineData("XADD k 5-1 f 1", "XADD k MAXLEN ~ 5 7 f 1", "XADD k MAXLEN = 2 7 f 1")]
    [InlineData("XADD k 5-1 f 1", "XTRIM k MAXLEN 0", "XTRIM k MAXLEN 0")]
    [InlineData("XADD k 5-1 f 1;XGROUP CREATE k g 0", "XREADGROUP GROUP g c STREAMS k >",
        "MULTI;XGROUP CREATECONSUMER k g c;XCLAIM k g c 0 5-1 TIME NOW RETRYCOUNT 1 FORCE JUSTID LASTID 5-1;"
        + "XGROUP SETID k g 5-1 ENTRIESREAD 1;EXEC")]
    [InlineData("XADD k 5-1 f 1;XGROUP CREATE k g 0", "XREADGROUP GROUP g c NOACK STREAMS k >",
        "MULTI;XGROUP CREATECONSUMER k g c;XGROUP SETID k g 5-1 ENTRIESREAD 1;EXEC")]
    [InlineData("XADD k 5-1 f 1;XGROUP CREATE k g $", "XREADGROUP GROUP g c BLOCK 0 STREAMS k >",
        "XGROUP CREATECONSUMER k g c")]
    [InlineData("XADD k 5-1 f 1;XGROUP CREATE k g 0;XREADGROUP GROUP g c STREAMS k >",
        "XREADGROUP GROUP g c STREAMS k 0", "")]
    [InlineData("XADD k 5-1 f 1;XGROUP CREATE k g 0;XREADGROUP GROUP g c STREAMS k >",
        "XCLAIM k g c 0 5-1 IDLE 9 RETRYCOUNT 7",
        "XCLAIM k g c 0 5-1 TIME NOW-9 RETRYCOUNT 7 FORCE JUSTID LASTID 5-1")]
    [InlineData("XADD k 5-1 f 1;XGROUP CREATE k g 0;XREADGROUP GROUP g c STREAMS k >;XDEL k 5-1",
        "XAUTOCLAIM k g c 0 0", "XCLAIM k g c 0 5-1 TIME NOW RETRYCOUNT 1 FORCE JUSTID LASTID 5-1")]
    [InlineData("XADD k 5-1 f 1;XGROUP CREATE k g 0;XREADGROUP GROUP g c STREAMS k >",
        "XCLAIM k g c 0 9-1 LASTID 8-0", "XGROUP SETID k g 8-0 ENTRIESREAD 1")]
    [InlineData("", "XADD k IDMP p i * f 1", "XADD k IDMP p i NOW-0 f 1")]
    [InlineData("XADD k IDMP p i * f 1", "XADD k IDMP p i * f 1", "")]
    public void StreamsAreRecordedWithTheirIdsAndTheirReaders(
        string before, string command, string expected) =>
        Assert.Equal(expected, Recorded(CommandLevel.Newest, before, command));

    [Theory]
    [InlineData(CommandLevel.Redis70, "", "MSETEX 2 a 1 b 2 KEEPTTL",
        "MULTI;SET a 1 KEEPTTL;SET b 2 KEEPTTL;EXEC")]
    [InlineData(CommandLevel.Redis70, "SET k w", "SET k v IFEQ w XX", "")]
    [InlineData(CommandLevel.Redis70, "SET k w", "SET k v IFEQ w KEEPTTL", "SET k v KEEPTTL")]
    [InlineData(CommandLevel.Redis62, "SET k w", "EXPIRE k 5 NX", "PEXPIREAT k NOW+5000")]
    [InlineData(CommandLevel.Redis70, "", "HSETEX k FIELDS 2 f 1 g 2", "HSET k f 1 g 2")]
    [InlineData(CommandLevel.Redis74, "", "HSETEX k PX 5 FIELDS 2 f 1 g 2",
        "MULTI;HSET k f 1 g 2;HPEXPIREAT k NOW+5 FIELDS 2 f g;EXEC")]
    [InlineData(CommandLevel.Redis74, "HSETEX k PX 5 FIELDS 1 f 1", "HSETEX k KEEPTTL FIELDS 2 f 1 g 2",
        "MULTI;HSET k f 1 g 2;HPEXPIREAT k NOW+5 FIELDS 1 f;EXEC")]
    [InlineData(CommandLevel.Redis74, "HSETEX k PX 5 FIELDS 1 f 1", "HINCRBYFLOAT k f 1",
        "MULTI;HSET k f 2;HPEXPIREAT k NOW+5 FIELDS 1 f;EXEC")]
    [InlineData(CommandLevel.Redis72, "HSETEX k PX 5 FIELDS 2 f 1 g x", "HPERSIST k FIELDS 3 f g h",
        "HSET k f 1 g x")]
    [InlineData(CommandLevel.Redis72, "HSETEX k PX 5 FIELDS 1 f 1", "HGETEX k PERSIST FIELDS 2 f h",
        "HSET k f 1")]
    [InlineData(CommandLevel.Redis74, "HSETEX k PX 5 FIELDS 1 f 1", "HPERSIST k FIELDS 1 f",
        "HPERSIST k FIELDS 1 f")]
    [InlineData(CommandLevel.Redis72, "", "XADD k IDMP p i * f 1", "XADD k NOW-0 f 1")]
    [InlineData(CommandLevel.Redis72, "XADD k 5-1 f 1", "XADD k MAXLEN 1 DELREF 6-1 f 1",
        "MULTI;XADD k 6-1 f 1;XDEL k 5-1;EXEC")]
    [InlineData(CommandLevel.Redis72, "XADD k 5-1 f 1;XADD k 6-1 f 1", "XTRIM k MAXLEN 1 ACKED",
        "XDEL k 5-1")]
    [InlineData(CommandLevel.Redis72, "XADD k 5-1 f 1;XGROUP CREATE k g 0;XREADGROUP GROUP g c STREAMS k >",
        "XDELEX k DELREF IDS 1 5-1", "MULTI;XACK k g 5-1;XDEL k 5-1;EXEC")]
    [InlineData(CommandLevel.Redis72, "XADD k 5-1 f 1;XGROUP CREATE k g 0;XREADGROUP GROUP g c STREAMS k >",
        "XACKDEL k g IDS 1 5-1", "MULTI;XACK k g 5-1;XDEL k 5-1;EXEC")]
    [InlineData(CommandLevel.Redis62, "XADD k 5-1 f 1", "XGROUP CREATE k g 0 ENTRIESREAD 1",
        "XGROUP CREATE k g 0")]
    [InlineData(CommandLevel.Redis62, "XADD k 5-1 f 1", "XSETID k 9-1 ENTRIESADDED 4", "XSETID k 9-1")]
    [InlineData(CommandLevel.Redis70, "SET a abc;SET b b", "BITOP ONE t a", "SET t abc")]
    [InlineData(CommandLevel.Redis70, "SET t abc", "BITOP DIFF t a b", "DEL t")]
    [InlineData(CommandLevel.Redis62, "GEOADD k 1 1 a 8 8 b", "GEOSEARCHSTORE t k FROMMEMBER a BYRADIUS 9 KM",
        "MULTI;DEL t;ZADD t 3377822707026402 a;EXEC")]
    [InlineData(CommandLevel.Redis62, "GEOADD k 1 1 a", "GEORADIUS k 1 1 9 Km STOREDIST t",
        "MULTI;DEL t;ZADD t 6.0521617125866494e-5 a;EXEC")]
    [InlineData(CommandLevel.Redis62, "GEOADD k 1 1 a;SET t v", "GEORADIUS k 9 9 9 KM STORE t", "DEL t")]
    [InlineData(CommandLevel.Redis62, "GEOADD k 1 1 a", "GEORADIUS k 1 1 9 km STORE t",
        "GEORADIUS k 1 1 9 km STORE t")]
    [InlineData(CommandLevel.Redis70, "GEOADD k 1 1 a", "GEORADIUS k 1 1 9 KM STORE t",
        "GEORADIUS k 1 1 9 KM STORE t")]
    public void AnOlderVersionGetsCommandsThatItKnows(
        CommandLevel level, string before, string command, string expected) =>
        Assert.Equal(expected, Recorded(level, before, command));

    /// <summary>No Redis knows polygons.</summary>
    [Theory]
    [InlineData("GEOADD k 1 1 a 8 8 b", "3 0 0 0 3 3 0", "MULTI;DEL t;ZADD t 3377822707026402 a;EXEC")]
    [InlineData("GEOADD k 1 1 a 8 8 b;SET t v", "3 0 0 0 3 3 0 ASC STOREDIST",
        "MULTI;DEL t;ZADD t 45.57309649670265 a;EXEC")]
    [InlineData("GEOADD k 1 1 a;SET t v", "3 5 5 5 6 6 5", "DEL t")]
    [InlineData("GEOADD k 1 1 a", "3 5 5 5 6 6 5", "")]
    [InlineData("SET t v", "3 5 5 5 6 6 5", "DEL t")]
    public void WhatAPolygonStoresIsRecorded(string before, string polygon, string expected)
    {
        foreach (CommandLevel level in Enum.GetValues<CommandLevel>())
            Assert.Equal(expected, Recorded(level, before, $"GEOSEARCHSTORE t k BYPOLYGON {polygon}"));
    }

    [Fact]
    public void ManyPlacesOfAPolygonAreRecordedInPieces()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        for (int number = 0; number < 150; number++)
            client.Run($"GEOADD k 1 1.{number} m{number}");
        client.Run("SET t v");
        RecordingJournal journal = RecordingJournal.Of(server);
        Assert.Equal(":150", client.Run("GEOSEARCHSTORE t k BYPOLYGON 4 0 0 0 3 3 3 3 0"));
        List<string> commands = journal.CommandsFrom();
        Assert.Equal([1, 2, 130, 130, 46, 1], commands.Select(command => command.Split(' ').Length));
        string digest = client.Run("ZRANGE t 0 -1 WITHSCORES");
        foreach (string command in commands[1..^1])
            client.Run(command);
        Assert.Equal(digest, client.Run("ZRANGE t 0 -1 WITHSCORES"));
    }

    [Theory]
    [InlineData("6.2", CommandLevel.Redis62)]
    [InlineData("7.0", CommandLevel.Redis70)]
    [InlineData("7.2", CommandLevel.Redis72)]
    [InlineData("7.4", CommandLevel.Redis74)]
    public void TheDirectiveSaysWhichVersion(string value, CommandLevel level)
    {
        using var server = new TestServer(1, null, ("rdb-compatibility", value));
        Assert.Equal(level, server.Engine.Keyspace.Recording.Level);
        server.Connect().Run("CONFIG SET rdb-compatibility 7.4");
        Assert.Equal(CommandLevel.Redis74, server.Engine.Keyspace.Recording.Level);
    }

    [Theory]
    [InlineData("HPEXPIRE k 5 FIELDS 1 f")]
    [InlineData("HSETEX k PX 5 FIELDS 1 f 2")]
    [InlineData("HGETEX k PX 5 FIELDS 1 f")]
    public void WhatAnOlderVersionCannotHaveIsRefused(string command)
    {
        using var server = new TestServer(1, new ManualClock());
        TestClient client = server.Connect();
        client.Run("HSET k f 1");
        RecordingJournal journal = RecordingJournal.Of(server);
        server.Engine.Keyspace.Recording.Level = CommandLevel.Redis72;
        Assert.Equal("-ERR rdb-compatibility 7.2 has no deadlines of fields, which key 'k' has",
            client.Run(command));
        Assert.Equal(0, journal.Count);
    }

    [Fact]
    public void ManyMembersThatArePoppedAreRecordedInPieces()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call(["SADD", "k", .. Enumerable.Range(0, 3000).Select(number => $"m{number}")]);
        RecordingJournal journal = RecordingJournal.Of(server);
        client.Run("SPOP k 2500");
        List<string> commands = journal.CommandsFrom();
        Assert.Equal([1, 1026, 1026, 454, 1], commands.Select(command => command.Split(' ').Length));
        Assert.All(commands[1..^1], command => Assert.StartsWith("SREM k m", command));
    }

    [Fact]
    public void AServedWaiterIsRecordedBehindTheCommandThatServesIt()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect(0);
        TestClient waiter = server.Connect(1);
        RecordingJournal journal = RecordingJournal.Of(server);
        waiter.Run("BLMOVE k t LEFT RIGHT 0");
        client.Run("RPUSH k a b");
        Assert.Equal(["RPUSH k a b", "LMOVE k t LEFT RIGHT"], journal.CommandsFrom());
    }

    private static string Recorded(CommandLevel level, string before, string command)
    {
        using var server = new TestServer(1, new ManualClock(NowMs * 1000));
        TestClient client = server.Connect();
        foreach (string line in before.Split(';', StringSplitOptions.RemoveEmptyEntries))
            client.Run(line);
        RecordingJournal journal = RecordingJournal.Of(server);
        server.Engine.Keyspace.Recording.Level = level;
        client.Run(command);
        return string.Join(';', journal.CommandsFrom().Select(Relative));
    }

    // Numbers near the time, as distances from it.
    private static string Relative(string line) => string.Join(' ', line.Split(' ').Select(word =>
    {
        string[] parts = word.Split('-');
        if (!long.TryParse(parts[0], out long number) || Math.Abs(number - NowMs) > 100_000)
            return word;
        string distance = number == NowMs ? "" : number > NowMs ? $"+{number - NowMs}" : $"-{NowMs - number}";
        return parts.Length == 1 ? $"NOW{distance}" : $"NOW{distance}-{parts[1]}";
    }));
}
