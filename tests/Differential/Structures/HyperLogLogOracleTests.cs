using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Structures.HyperLogLogs;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Differential.Structures;

public sealed class HyperLogLogOracleTests
{
    private const int RoundCount = 40;
    private static readonly int[] s_elementCounts = [0, 1, 3, 20, 150, 900, 1500, 4000, 30_000];

    /// <summary>The same elements leave the same bytes, and count the same; so do merges of them.</summary>
    [Fact]
    public void AddsAndMergesAsTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        Seeded.Run(1, seed =>
        {
            var random = new Random((int)seed);
            for (int round = 0; round < RoundCount; round++) AddAndMerge(client, random);
        });
    }

    /// <summary>Registers of any distribution are estimated to the same number.</summary>
    [Fact]
    public void EstimatesAsTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        Seeded.Run(1, seed =>
        {
            var random = new Random((int)seed);
            for (int round = 0; round < 300; round++) Estimate(client, random);
        });
    }

    private static void AddAndMerge(RespClient client, Random random)
    {
        int sizeMax = random.Next(3) switch
        {
            0 => random.Next(16, 400),
            1 => 3000,
            _ => random.Next(3000, 12_000),
        };
        client.Call("CONFIG", "SET", "hll-sparse-max-bytes", $"{sizeMax}");
        client.Call("DEL", "a", "b", "c", "m");
        HyperLogLogMemory[] logs = [.. "abc".Select(_ => new HyperLogLogMemory(sizeMax))];
        int countMax = random.Next(s_elementCounts.Length);
        for (int index = 0; index < logs.Length; index++)
        {
            string key = "abc"[index].ToString();
            int elementCount = s_elementCounts[random.Next(countMax + 1)];
            byte[][] command = [Bytes("PFADD"), Bytes(key), .. Elements(random, elementCount)];
            foreach (byte[] element in command[2..]) logs[index].Add(element);
            Assert.Equal(1, client.CallAll([command])[0].Integer);
            // Also where no element came: PFADD made the key.
            HyperLogLog.ForgetCount(logs[index].Value);
            Assert.Equal(Get(client, key), logs[index].Value.ToArray());
            Assert.True(HyperLogLog.TryCount(logs[index].Value, out ulong count));
            Assert.Equal((ulong)client.Call("PFCOUNT", key).Integer, count);
        }
        Merge(client, logs, sizeMax);
        foreach (HyperLogLogMemory log in logs) log.Dispose();
    }

    private static void Merge(RespClient client, HyperLogLogMemory[] logs, int sizeMax)
    {
        var union = new HyperLogLogUnion(new byte[HyperLogLog.RegisterCount]);
        bool isDense = false;
        foreach (HyperLogLogMemory log in logs)
        {
            Assert.True(union.TryAdd(log.Value));
            isDense |= HyperLogLog.IsDense(log.Value);
        }
        Assert.Equal((ulong)client.Call("PFCOUNT", "a", "b", "c").Integer, union.Count());
        client.Call("PFMERGE", "m", "a", "b", "c");
        using var merged = new HyperLogLogMemory(sizeMax);
        if (isDense) merged.MakeDense();
        merged.Merge(union);
        HyperLogLog.ForgetCount(merged.Value);
        Assert.Equal(Get(client, "m"), merged.Value.ToArray());
        if (!isDense)
        {
            client.Call("PFMERGE", "a", "b", "c");
            logs[0].Merge(union);
            HyperLogLog.ForgetCount(logs[0].Value);
            Assert.Equal(Get(client, "a")[16..], logs[0].Value[16..].ToArray());
        }
    }

    private static void Estimate(RespClient client, Random random)
    {
        byte[] registers = new byte[HyperLogLog.RegisterCount];
        using var log = new HyperLogLogMemory();
        log.MakeDense();
        int level = random.Next(53);
        int share = random.Next(1, 101);
        for (int register = 0; register < registers.Length; register++)
        {
            int rank = random.Next(100) < share ? level + (int)-Math.Log2(1 - random.NextDouble()) : 0;
            registers[register] = (byte)Math.Min(rank, random.Next(20) == 0 ? 51 : 50);
        }
        for (int register = 0; register < registers.Length; register++)
        {
            if (registers[register] > 0) log.Raise(register, registers[register]);
        }
        client.CallAll([[Bytes("SET"), Bytes("d"), log.Value.ToArray()]]);
        Assert.True(HyperLogLog.TryCount(log.Value, out ulong count));
        Assert.Equal((ulong)client.Call("PFCOUNT", "d").Integer, count);
    }

    private static byte[] Get(RespClient client, string key)
    {
        RespValue reply = client.Call("GET", key);
        return reply.Bytes;
    }

    private static IEnumerable<byte[]> Elements(Random random, int count)
    {
        for (int index = 0; index < count; index++)
        {
            byte[] element = new byte[random.Next(1, 24)];
            random.NextBytes(element);
            yield return element;
        }
    }

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);
}
