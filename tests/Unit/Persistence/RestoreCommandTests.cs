using System;
using System.Linq;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

public sealed class RestoreCommandTests
{
    private const byte ValkeyHash = 22;
    private const byte ModuleType = 7;
    private const byte KeyMetadata = 243;

    private static readonly string s_hello = DumpedPayload.Of(0, "\x05hello"u8.ToArray(), 10);

    [Fact]
    public void AKeyIsMadeOnceOrReplaced()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Assert.Equal("+OK", $"{client.Call("RESTORE", "a", "0", s_hello)}");
        Assert.Equal("$hello", $"{client.Call("GET", "a")}");
        Assert.Equal("-BUSYKEY Target key name already exists.",
            $"{client.Call("RESTORE", "a", "0", s_hello)}");
        client.Call("SET", "a", "other");
        Assert.Equal("+OK", $"{client.Call("RESTORE", "a", "0", s_hello, "replace")}");
        Assert.Equal("$hello", $"{client.Call("GET", "a")}");
        Assert.Equal(":-1", $"{client.Call("PTTL", "a")}");
    }

    [Fact]
    public void WhatIsWrongIsRefusedInRedissWordsAndChangesNothing()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("SET", "a", "kept");
        const string Wrong = "-ERR DUMP payload version or checksum are wrong";
        const string Bad = "-ERR Bad data format";
        string damaged = string.Concat(s_hello.AsSpan(0, 3), "x", s_hello.AsSpan(4));
        Assert.Equal(Wrong, Restore("short"));
        Assert.Equal(Wrong, Restore(damaged));
        Assert.Equal(Wrong, Restore(DumpedPayload.Of(0, "\x05hello"u8.ToArray(), 14)));
        Assert.Equal(Wrong, Restore(DumpedPayload.Of(0, "\x05hello"u8.ToArray(), 81)));
        Assert.Equal(Bad, Restore(DumpedPayload.Of(0, "\x06hello"u8.ToArray(), 10)));
        Assert.Equal(Bad, Restore(DumpedPayload.Of(0, "\x04hello"u8.ToArray(), 10)));
        Assert.Equal(Bad, Restore(DumpedPayload.Of(8, "\x05hello"u8.ToArray(), 10)));
        Assert.Equal(Bad, Restore(DumpedPayload.Of(2, [0], 10)));
        Assert.Equal(Bad, Restore(DumpedPayload.Of(2, "\x02\x01a\x01a"u8.ToArray(), 10)));
        Assert.Equal(Bad, Restore(DumpedPayload.Of(ModuleType, [0x40, 1, 0], 10)));
        Assert.Equal("$kept", $"{client.Call("GET", "a")}");
        client.Call("CONFIG", "SET", "rdb-version-check", "relaxed");
        Assert.Equal("+OK", Restore(DumpedPayload.Of(0, "\x05hello"u8.ToArray(), 14)));
        Assert.Equal("$hello", $"{client.Call("GET", "a")}");

        string Restore(string payload) => $"{client.Call("RESTORE", "a", "0", payload, "REPLACE")}";
    }

    [Theory]
    [InlineData("x", "", "ERR value is not an integer or out of range")]
    [InlineData("-1", "", "ERR Invalid TTL value, must be >= 0")]
    [InlineData("0", "NONE", "ERR syntax error")]
    [InlineData("0", "IDLETIME", "ERR syntax error")]
    [InlineData("0", "IDLETIME -1", "ERR Invalid IDLETIME value, must be >= 0")]
    [InlineData("0", "FREQ 256", "ERR Invalid FREQ value, must be >= 0 and <= 255")]
    [InlineData("0", "IDLETIME 1 FREQ 1", "ERR syntax error")]
    public void OptionsAreChecked(string ttl, string options, string error)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        string[] words = ["RESTORE", "a", ttl, s_hello,
            .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        Assert.Equal("-" + error, $"{client.Call(words)}");
        Assert.Equal(":0", $"{client.Call("EXISTS", "a")}");
    }

    [Fact]
    public void DeadlinesAndUseAreRestored()
    {
        using var server = new TestServer(clock: new ManualClock());
        TestClient client = server.Connect();
        client.Call("RESTORE", "a", "5000", s_hello);
        Assert.Equal(":5000", $"{client.Call("PTTL", "a")}");
        client.Call("RESTORE", "b", "9000000000000", s_hello, "ABSTTL", "IDLETIME", "77");
        Assert.Equal(":9000000000000", $"{client.Call("PEXPIRETIME", "b")}");
        Assert.Equal(":77", $"{client.Call("OBJECT", "IDLETIME", "b")}");
        Assert.Equal("+OK", $"{client.Call("RESTORE", "a", "1", s_hello, "ABSTTL", "REPLACE")}");
        Assert.Equal(":0", $"{client.Call("EXISTS", "a")}");
        client.Call("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu");
        client.Call("RESTORE", "c", "0", s_hello, "FREQ", "99");
        Assert.Equal(":99", $"{client.Call("OBJECT", "FREQ", "c")}");
    }

    [Fact]
    public void PayloadsOfValkeyAndWithMetadataAreRead()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        byte[] hash = new PayloadBytes(new Random(1)).Length(2).Text("f"u8.ToArray())
            .Text("v"u8.ToArray()).Int64(9_000_000_000_000).Text("g"u8.ToArray()).Text("w"u8.ToArray())
            .Int64(-1).ToArray();
        Assert.Equal("+OK", $"{client.Call("RESTORE", "a", "0", DumpedPayload.Of(ValkeyHash, hash, 80))}");
        Assert.Equal("*[:9000000000000, :-1]",
            $"{client.Call("HPEXPIRETIME", "a", "FIELDS", "2", "f", "g")}");
        byte[] metadata = [KeyMetadata, 1, 1, 2, 3, 4, 2, 5, 5, 1, (byte)'x', 0, 0, 1, (byte)'y'];
        Assert.Equal("+OK", $"{client.Call("RESTORE", "b", "0", DumpedPayload.Sealed(metadata, 13))}");
        Assert.Equal("$y", $"{client.Call("GET", "b")}");
    }

    [Fact]
    public void TheJournalGetsTheDeadlineAsAnInstant()
    {
        using var server = new TestServer(clock: new ManualClock());
        TestClient client = server.Connect();
        RecordingJournal journal = RecordingJournal.Of(server);
        long nowMs = server.Engine.Keyspace.Clock.UnixMicroseconds / 1000;
        client.Call("RESTORE", "a", "0", s_hello);
        client.Call("RESTORE", "a", "1000", s_hello, "REPLACE");
        client.Call("RESTORE", "a", "1", s_hello, "REPLACE", "ABSTTL");
        client.Call("RESTORE", "a", "1", s_hello, "REPLACE", "ABSTTL");
        string absolute = $"RESTORE a {nowMs + 1000} {s_hello} REPLACE ABSTTL";
        Assert.Equal([$"RESTORE a 0 {s_hello}", absolute, "DEL a"], journal.CommandsFrom());
    }

    [Fact]
    public void TheJournalGetsPayloadsThatItsReadersKnow()
    {
        using var server = new TestServer(loopCount: 1, clock: null, ("rdb-compatibility", "7.0"));
        TestClient client = server.Connect();
        client.Call("RPUSH", "list", "a", "b");
        string known = client.Call("DUMP", "list").Text;
        RecordingJournal journal = RecordingJournal.Of(server);
        byte[] list = new PayloadBytes(new Random(1)).Length(1).Length(2)
            .Text(PackedForms.Listpack(["a"u8.ToArray(), "b"u8.ToArray()])).ToArray();
        string newer = DumpedPayload.Of(18, list, 13);
        Assert.Equal("+OK", $"{client.Call("RESTORE", "a", "0", newer)}");
        string[] past = ["RESTORE", "a", "1000", newer, "REPLACE", "ABSTTL", "IDLETIME", "9"];
        Assert.Equal("+OK", $"{client.Call(past)}");
        Assert.Equal([$"RESTORE a 0 {known}", "DEL a"], journal.CommandsFrom());
        byte[] hash = new PayloadBytes(new Random(1)).Int64(9_000_000_000_000).Length(1).Length(1)
            .Text("f"u8.ToArray()).Text("v"u8.ToArray()).ToArray();
        Assert.Equal("-ERR rdb-compatibility 7.0 has no deadlines of fields, which key 'h' has",
            $"{client.Call("RESTORE", "h", "0", DumpedPayload.Of(24, hash, 12))}");
        Assert.Equal(":0", $"{client.Call("EXISTS", "h")}");
    }

    /// <summary>Values are checked in full, duplicates in packed forms included, whatever
    /// sanitize-dump-payload and a user's flag say: for clients and for files.</summary>
    [Theory]
    [InlineData("no")]
    [InlineData("yes")]
    [InlineData("clients")]
    public void EveryPayloadIsSanitized(string directive)
    {
        using var server = new TestServer(loopCount: 1, clock: null,
            ("enable-debug-command", "yes"), ("sanitize-dump-payload", directive));
        TestClient client = server.Connect();
        byte[] twice = [19, 19, 0, 0, 0, 4, 0, 0x81, (byte)'a', 2, 0x81, (byte)'1', 2,
            0x81, (byte)'a', 2, 0x81, (byte)'2', 2, 0xFF];
        byte[] once = [.. twice];
        once[14] = (byte)'b';
        byte[] lying = [.. once];
        lying[13] = 0xBF;
        foreach (string flag in (string[])["sanitize-payload", "skip-sanitize-payload"])
        {
            Assert.Equal("+OK", $"{client.Call("ACL", "SETUSER", "default", flag)}");
            Assert.Equal("-ERR Bad data format", Restore(twice));
            Assert.Equal("-ERR Bad data format", Restore(lying));
            Assert.Equal("+OK", Restore(once));
        }

        string Restore(byte[] listpack) => $"{client.Call("RESTORE", "h", "0",
            DumpedPayload.Of((byte)RdbType.HashListpack, listpack, 10), "REPLACE")}";
    }

    [Fact]
    public void ADamagedPayloadLeavesTheKeyAsItWas()
    {
        using var server = new TestServer(loopCount: 1, clock: null, ("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        client.Call("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", "1");
        client.Call("HSET", "a", "f", "v");
        var random = new Random((int)Seeded.Seed());
        int refused = 0;
        for (int round = 0; round < 400; round++)
        {
            byte[] value = new RandomValue(random, (RdbType)random.Next(6)).ToArray();
            if (value.Length == 0)
                continue;
            value[random.Next(value.Length)] = (byte)random.Next(256);
            string payload = DumpedPayload.Of((byte)random.Next(26), value, 13);
            string before = $"{client.Call("DEBUG", "DIGEST")}";
            RespValue reply = client.Call("RESTORE", "a", "0", payload, "REPLACE");
            if (reply.Kind == '+')
                continue;
            Assert.Equal("-ERR Bad data format", $"{reply}");
            Assert.Equal(before, $"{client.Call("DEBUG", "DIGEST")}");
            refused++;
        }

        Assert.InRange(refused, 50, 400);
    }

    [Fact]
    public void ADumpIsRestoredWhateverTheType()
    {
        using var server = new TestServer(clock: null, loopCount: 1,
            configuration: ("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        var keys = new RandomKeys(new Random(7));
        foreach (string[] words in keys.Commands(60).Where(words => words[0] != "SELECT"))
            Assert.NotEqual('-', client.Call(words).Kind);
        foreach ((int _, string key) in keys.Made)
        {
            string digest = $"{client.Call("DEBUG", "DIGEST-VALUE", key)}";
            string payload = client.Call("DUMP", key).Text;
            string expiry = client.Call("PEXPIRETIME", key).Text;
            Assert.Equal("+OK", $"{client.Call(
                "RESTORE", "copy", expiry == "-1" ? "0" : expiry, payload, "REPLACE", "ABSTTL")}");
            Assert.Equal(digest, $"{client.Call("DEBUG", "DIGEST-VALUE", "copy")}");
        }
    }
}
