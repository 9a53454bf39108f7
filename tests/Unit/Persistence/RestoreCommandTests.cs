using System;
using System.Linq;
using System.Text;
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

    // A stream with one entry, which is pending for both consumers of a group.
    private const string OwnedTwice =
        "01100000000000000001000000000000000025250000000A00010100010101856669656C640600010201"
        + "000100018576616C7565060401FF01010001076D7967726F757001000100000000000000010000000000"
        + "0000004A79898F9F010000010209636F6E73756D6572414A79898F9F0100000100000000000000010000"
        + "00000000000009636F6E73756D6572425479898F9F0100000100000000000000010000000000000000";

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
        Assert.Equal(Bad, Restore(DumpedPayload.Of(2, "\u0002\u0001a\u0001a"u8.ToArray(), 10)));
        Assert.Equal(Bad, Restore(DumpedPayload.Of(ModuleType, [0x40, 1, 0], 10)));
        Assert.Equal("$kept", $"{client.Call("GET", "a")}");
        client.Call("CONFIG", "SET", "rdb-version-check", "relaxed");
        Assert.Equal("+OK", Restore(DumpedPayload.Of(0, "\x05hello"u8.ToArray(), 14)));
        Assert.Equal("$hello", $"{client.Call("GET", "a")}");

        string Restore(string payload) => $"{client.Call("RESTORE", "a", "0", payload, "REPLACE")}";
    }

    /// <summary>The log has Redis's words for what is wrong, at its level.</summary>
    [Theory]
    [InlineData(RdbType.Hash, "020161016201610163", "Hash with dup elements")]
    [InlineData(RdbType.HashZipmap, "0200FF", "Zipmap integrity check failed.")]
    [InlineData(RdbType.HashZipmap, "0C0201610100620161010063FF", "Hash zipmap with dup elements")]
    [InlineData(RdbType.HashZiplist, "1B1B00000016000000040000026100040262000402610004026400FF",
        "Hash ziplist integrity check failed.")]
    [InlineData(RdbType.HashListpack, "1717000000040082610003826200038261000382640003FF",
        "Hash listpack integrity check failed.")]
    [InlineData(RdbType.StreamListpacks, OwnedTwice,
        "Stream consumer PEL entry already has a consumer assigned")]
    public void TheLogSaysWhatIsWrong(RdbType type, string value, string words)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("CONFIG", "SET", "loglevel", "verbose");
        string payload = DumpedPayload.Of((byte)type, Convert.FromHexString(value), 10);
        Assert.Equal("-ERR Bad data format", $"{client.Call("RESTORE", "a", "0", payload)}");
        Assert.Contains(server.Log.Lines, line => line.EndsWith("-> " + words, StringComparison.Ordinal));
    }

    [Fact]
    public void LibrariesOfANewerVersionAreRestoredWhereThatIsAllowed()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("FUNCTION", "LOAD",
            "#!lua name=lib\nredis.register_function('f', function() return 7 end)");
        byte[] dumped = Encoding.Latin1.GetBytes(client.Call("FUNCTION", "DUMP").Text);
        string payload = DumpedPayload.Sealed(dumped[..^10], 14);
        Assert.Equal("+OK", $"{client.Call("FUNCTION", "FLUSH")}");
        Assert.Equal("-ERR DUMP payload version or checksum are wrong",
            $"{client.Call("FUNCTION", "RESTORE", payload)}");
        client.Call("CONFIG", "SET", "rdb-version-check", "relaxed");
        Assert.Equal("+OK", $"{client.Call("FUNCTION", "RESTORE", payload)}");
        Assert.Equal(":7", $"{client.Call("FCALL", "f", "0")}");
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
