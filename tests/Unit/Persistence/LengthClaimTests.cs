using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Keyspace;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Loading;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Tests.Support.Commands;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Unit.Persistence.Rdb;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>Lengths and counts that claim far more than there is, at many places of a value of every type:
/// nothing is allocated for what is claimed.</summary>
public sealed class LengthClaimTests
{
    private const int PlaceCount = 12;

    private static readonly RdbType[] s_types = [.. Enum.GetValues<RdbType>().Where(
        static type => type is not (RdbType.Module2 or RdbType.ModulePreGa))];

    /// <summary>The length in four and in eight bytes, and strings that LZF is said to expand: so far that no
    /// input could, and as far as one could.</summary>
    private static readonly byte[][] s_claims =
    [
        Claim32(0x7FFF_FFF0), Claim32(0x1000_0000), Claim64(0x7FFF_FFF0), Claim64(1UL << 40),
        Claim64(ulong.MaxValue), [0xC3, .. Claim32(0x1000_0000), .. Claim32(0x2000_0000)],
        [0xC3, 4, .. Claim32(0x1000_0000)], [0xC3, 4, .. Claim32(0x7FFF_FFF0)],
        [0xC3, 4, .. Claim64(1UL << 62)], [0xC3, 8, .. Claim32(8 * 88)],
    ];

    [Fact]
    public void ARestoredValueIsNotBelieved()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        int count = 0;
        int restoredCount = 0;
        foreach ((RdbType type, byte[] value) in Values())
        {
            count++;
            string payload = DumpedPayload.Of((byte)type, value, RdbVersion.RedisMax);
            MemoryBound bound = MemoryBound.Begin(server.Engine.Keyspace.Pages);
            RespValue reply = client.Call("RESTORE", "key", "0", payload);
            bound.AssertKept(payload.Length);
            if ($"{reply}" == "-ERR Bad data format")
                continue;
            // What would be a length elsewhere is a score here, say.
            Assert.Equal($"{type}: +OK", $"{type}: {reply}");
            Assert.Equal(":1", client.Run("DEL key"));
            restoredCount++;
        }

        Assert.InRange(restoredCount, 0, count / 100);
    }

    /// <summary>As restored values, with the buffers of the loader.</summary>
    [Fact]
    public void AValueIsNotBelieved()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        foreach ((RdbType type, byte[] value) in Values())
        {
            using var loader = new RdbValueLoader(harness.Execution.Keys);
            MemoryBound bound = MemoryBound.Begin(harness.Keyspace.Pages);
            try
            {
                LoadedKey.Load(harness, loader, type, value, isWhole: false);
                harness.Run("DEL K");
            }
            catch (RdbFormatException fault)
            {
                Assert.NotEmpty(fault.Message);
            }

            bound.AssertKept(value.Length, loader.BufferBytesMax);
        }
    }

    /// <summary>What was compressed as far as LZF can is restored within the same bound.</summary>
    [Theory]
    [InlineData("SET key {0}")]
    [InlineData("RPUSH key {0} 1 {0}")]
    [InlineData("SADD key {0} 1")]
    [InlineData("HSET key a {0} {0} b")]
    [InlineData("ZADD key 1 {0}")]
    [InlineData("XADD key 1-1 {0} {0}")]
    public void WhatIsCompressedMostIsRestored(string command)
    {
        const int TextBytes = 4 << 20;
        using var server = new TestServer();
        TestClient client = server.Connect();
        string text = new('x', TextBytes);
        client.Call([.. command.Split(' ').Select(word => word == "{0}" ? text : word)]);
        string payload = client.Call("DUMP", "key").Text;
        Assert.InRange(payload.Length, TextBytes / 88, TextBytes / 20);
        client.Run("DEL key");
        MemoryBound bound = MemoryBound.Begin(server.Engine.Keyspace.Pages);
        Assert.Equal("+OK", $"{client.Call("RESTORE", "key", "0", payload)}");
        bound.AssertKept(payload.Length);
    }

    [Fact]
    public void AFileIsNotBelieved()
    {
        foreach ((RdbType type, byte[] value) in Values())
            AssertRefused(new RdbFileBuilder().Raw((byte)type).Text("key").Raw(value).Raw(0xFF).Bytes());
        byte[] opcodes = [.. Enumerable.Range(0xF3, 0xFF - 0xF3).Select(static one => (byte)one)];
        foreach (byte opcode in opcodes)
        {
            foreach (byte[] claim in s_claims)
                AssertRefused(new RdbFileBuilder().Raw(opcode).Raw(claim).Raw(claim).Bytes());
        }
    }

    private static void AssertRefused(byte[] file)
    {
        using var keyspace = new Cinnabar.Keyspace.Keyspace(new KeyspaceOptions
        {
            Clock = new ManualClock(),
            StripeCount = 4,
            IsChecked = true,
            Seed = new HashSeed(1, 2),
        });
        using var memory = new MemoryFile(file);
        MemoryBound bound = MemoryBound.Begin(keyspace.Pages);
        Assert.ThrowsAny<RdbFormatException>(() => RdbFileLoader.Load(
            memory, keyspace, new RdbReadOptions { NowMs = 1, SkipsModuleKeys = true }, new LoadRecorder()));
        bound.AssertKept(file.Length);
    }

    // A claim behind any number of small counts, followed by a few bytes.
    private static IEnumerable<(RdbType Type, byte[] Value)> Values()
    {
        foreach (RdbType type in s_types)
        {
            foreach (byte[] claim in s_claims)
            {
                for (int place = 0; place < PlaceCount; place++)
                {
                    byte[] before = [.. Enumerable.Repeat((byte)2, place)];
                    yield return (type, [.. before, .. claim, 0x1F, (byte)'a', 0xE0, 0xFF, 0]);
                }
            }
        }
    }

    private static byte[] Claim32(uint length)
    {
        byte[] claim = [0x80, 0, 0, 0, 0];
        BinaryPrimitives.WriteUInt32BigEndian(claim.AsSpan(1), length);
        return claim;
    }

    private static byte[] Claim64(ulong length)
    {
        byte[] claim = [0x81, 0, 0, 0, 0, 0, 0, 0, 0];
        BinaryPrimitives.WriteUInt64BigEndian(claim.AsSpan(1), length);
        return claim;
    }
}
