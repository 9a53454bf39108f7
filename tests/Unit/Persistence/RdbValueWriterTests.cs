using System;
using System.Linq;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Structures.Hashing;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>Payloads of DUMP, byte for byte where redis-server 7.0.15 has shown what they are.</summary>
public sealed class RdbValueWriterTests
{
    [Theory]
    [InlineData("SET k hello", "0005 68656C6C6F 0C00")]
    [InlineData("SET k 12", "00C00C 0C00")]
    [InlineData("SET k -129", "00C17FFF 0C00")]
    [InlineData("SET k 100000", "00C2A0860100 0C00")]
    [InlineData("SET k 2147483648", "000A32313437343833363438 0C00")]
    [InlineData("SET k 012", "0003303132 0C00")]
    [InlineData("SET k aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "00C3 05 28 00 61 E0 1E 00 0C00")]
    [InlineData("SADD k 1 2", "0B 0C 020000000200000001000200 0C00")]
    [InlineData("RPUSH k a", "12 01 02 0A 0A000000010081 6102 FF 0C00")]
    [InlineData("ZADD k 1 a", "11 0C 0C0000000200 816102 0101 FF 0C00")]
    public void PayloadsAreTheBytesOfTheFormat(string command, string bytes)
    {
        string expected = bytes.Replace(" ", "", StringComparison.Ordinal);
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run(command);
        Assert.Equal(expected, Convert.ToHexString(client.Call("DUMP", "k").Bytes)[..^16]);
    }

    [Theory]
    [InlineData("7.4", 12)]
    [InlineData("7.2", 11)]
    [InlineData("7.0", 10)]
    [InlineData("6.2", 9)]
    public void TheFooterHasVersionAndChecksum(string level, int version)
    {
        using var server = new TestServer(configuration: ("rdb-compatibility", level));
        TestClient client = server.Connect();
        client.Call("SET", "k", "v");
        byte[] payload = client.Call("DUMP", "k").Bytes;
        Assert.Equal(version, BitConverter.ToUInt16(payload.AsSpan()[^10..]));
        Assert.Equal(Crc64.Append(0, payload.AsSpan()[..^8]), BitConverter.ToUInt64(payload.AsSpan()[^8..]));
        Assert.Equal("_", client.Run("DUMP missing"));
    }

    [Theory]
    [InlineData("7.4", 18, 20, 16, 17, 21)]
    [InlineData("7.2", 18, 20, 16, 17, 21)]
    [InlineData("7.0", 18, 2, 16, 17, 19)]
    [InlineData("6.2", 1, 2, 4, 5, 15)]
    public void EachLevelHasItsForms(string level, params int[] types)
    {
        using var server = new TestServer(configuration: ("rdb-compatibility", level));
        TestClient client = server.Connect();
        string[] commands =
            ["RPUSH list a", "SADD set a", "HSET hash a b", "ZADD zset 1 a", "XADD x 1-1 a b"];
        foreach (string command in commands)
            client.Run(command);
        Assert.Equal(types, commands.Select(command =>
            (int)client.Call("DUMP", command.Split(' ')[1]).Bytes[0]));
    }

    [Fact]
    public void WhatALevelCannotSayIsRefusedWithTheKeysName()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run("HSET small a b c d");
        client.Run("HPEXPIREAT small 4000000000000 FIELDS 1 a");
        client.Call(["HSET", "big", .. Enumerable.Range(0, 2000).Select(static number => $"f{number}")]);
        client.Run("HPEXPIREAT big 4000000000000 FIELDS 1 f0");
        client.Run("XADD stream IDMP producer id * a b");
        Assert.Equal((int)RdbType.HashListpackEx, client.Call("DUMP", "small").Bytes[0]);
        Assert.Equal((int)RdbType.HashMetadata, client.Call("DUMP", "big").Bytes[0]);
        RespValue stream = client.Call("DUMP", "stream");
        Assert.Equal((int)RdbType.StreamListpacks4, stream.Bytes[0]);
        Assert.Equal(13, stream.Bytes[^10]);
        foreach (string level in (string[])["6.2", "7.0", "7.2"])
        {
            client.Call("CONFIG", "SET", "rdb-compatibility", level);
            foreach (string key in (string[])["small", "big"])
            {
                Assert.Equal(
                    $"-ERR rdb-compatibility {level} has no deadlines of fields, which key '{key}' has",
                    client.Run($"DUMP {key}"));
            }

            Assert.Equal(
                $"-ERR rdb-compatibility {level} has no idempotent producers, which key 'stream' has",
                client.Run("DUMP stream"));
        }

        client.Run("HPERSIST small FIELDS 1 a");
        Assert.Equal((int)RdbType.Hash, client.Call("DUMP", "small").Bytes[0]);
    }
}
