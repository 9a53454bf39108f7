using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>Values are written at each level and read back.</summary>
public sealed unsafe class RdbRoundTripTests
{
    private const int KeyCount = 80;

    [Theory]
    [InlineData(RdbCompatibility.Redis62, true)]
    [InlineData(RdbCompatibility.Redis70, false)]
    [InlineData(RdbCompatibility.Redis72, true)]
    [InlineData(RdbCompatibility.Redis74, true)]
    [InlineData(RdbCompatibility.Redis74, false)]
    public void WhatIsReadIsWhatWasWritten(RdbCompatibility level, bool isCompressed) => Seeded.Run(1, seed =>
    {
        using var written = new TestServer(configuration:
            [("enable-debug-command", "yes"), ("list-compress-depth", "1")]);
        TestClient writer = written.Connect();
        var keys = new RandomKeys(new Random((int)seed));
        foreach (string[] words in keys.Commands(KeyCount))
            Assert.NotEqual('-', writer.Call(words).Kind);
        if (level == RdbCompatibility.Redis74)
            AddNewer(writer, keys);
        using var read = new TestServer(configuration: ("enable-debug-command", "yes"));
        TestClient reader = read.Connect();
        Copy(written, read, level, isCompressed);
        Assert.Equal($"{writer.Call("DEBUG", "DIGEST")}", $"{reader.Call("DEBUG", "DIGEST")}");
        foreach ((int database, string key) in keys.Made)
        {
            writer.Call("SELECT", $"{database}");
            reader.Call("SELECT", $"{database}");
            foreach (string[] question in Questions(key, writer.Call("TYPE", key).Text, level))
                Assert.Equal($"{writer.Call(question)}", $"{reader.Call(question)}");
        }
    });

    private static void AddNewer(TestClient writer, RandomKeys keys)
    {
        writer.Call("SELECT", "0");
        keys.Made.AddRange([(0, "small"), (0, "big"), (0, "produced")]);
        writer.Run("HSET small a 1 b 2 c 3");
        writer.Run("HPEXPIREAT small 4000000000000 FIELDS 2 c a");
        writer.Call(["HSET", "big", .. Enumerable.Range(0, 1500).Select(static number => $"f{number}")]);
        writer.Run("HPEXPIREAT big 4000000000000 FIELDS 1 f0");
        writer.Run("HPEXPIREAT big 5000000000000 FIELDS 2 f2 f4");
        writer.Run("XCFGSET produced IDMP-DURATION 7000 IDMP-MAXSIZE 20");
        for (int number = 0; number < 40; number++)
            writer.Run($"XADD produced IDMP producer{number % 3} id{number % 30} * a {number}");
    }

    private static IEnumerable<string[]> Questions(string key, string type, RdbCompatibility level)
    {
        yield return ["PEXPIRETIME", key];
        if (type == "hash")
        {
            yield return ["HPEXPIRETIME", key, "FIELDS", "6", "a", "b", "c", "f0", "f2", "f4"];
        }
        else if (type == "stream")
        {
            yield return ["XRANGE", key, "-", "+"];
            // Redis 6.2 counts neither what was added nor what a group has read.
            if (level == RdbCompatibility.Redis62)
                yield break;
            yield return ["XINFO", "GROUPS", key];
            yield return ["XINFO", "STREAM", key];
        }
    }

    private static void Copy(TestServer from, TestServer to, RdbCompatibility level, bool isCompressed)
    {
        using var output = new RdbOutput(sink: null, isCompressed, isChecked: false);
        var source = new KeyspaceAccess(from.Engine.Keyspace, new KeyspaceStatistics());
        var target = new KeyspaceAccess(to.Engine.Keyspace, new KeyspaceStatistics());
        using var loader = new RdbValueLoader(target);
        long nowMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
        for (int database = 0; database < from.Engine.Keyspace.DatabaseCount; database++)
        {
            source.Begin(database, nowMs);
            target.Begin(database, nowMs);
            var visitor = new CopyingVisitor(output, target, loader, level);
            KeyScan.Visit(source, 0, 0, ref visitor);
            target.Commit();
        }
    }

    private readonly struct CopyingVisitor(
        RdbOutput output, KeyspaceAccess target, RdbValueLoader loader, RdbCompatibility level) : IKeyVisitor
    {
        public void Visit(EntryView entry)
        {
            output.Clear();
            DumpPayload.Write(output, entry, level);
            ReadOnlySpan<byte> payload = output.Written[..^DumpPayload.FooterSize];
            var cursor = new RdbCursor(payload[1..]);
            var options = RdbLoadOptions.None with { DeadlineMs = entry.DeadlineMs };
            fixed (byte* name = entry.Key)
            {
                var key = new Key(name, entry.Key.Length, target.Keyspace.Hash(entry.Key));
                loader.Load(target, in key, (RdbType)payload[0], ref cursor, in options);
            }

            Assert.Equal(0, cursor.Left);
        }
    }
}
