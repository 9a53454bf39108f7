using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Resp;
using Cinnabar.Structures.HyperLogLogs;
using Cinnabar.Tests.Differential.Resp;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Differential.Structures;

public sealed class HyperLogLogOracleTests(OracleSession oracle) : IClassFixture<OracleSession>
{
    private const int RoundCount = 40;
    private static readonly int[] s_elementCounts = [0, 1, 3, 20, 150, 900, 1500, 4000, 30_000];

    /// <summary>The same elements leave the same bytes, and count the same; so do merges of them.</summary>
    [Fact]
    public void AddsAndMergesAsTheOracle()
    {
        oracle.Require();
        Seeded.Run(1, seed =>
        {
            var random = new Random((int)seed);
            for (int round = 0; round < RoundCount; round++) AddAndMerge(random);
        });
    }

    /// <summary>Registers of any distribution are estimated to the same number.</summary>
    [Fact]
    public void EstimatesAsTheOracle()
    {
        oracle.Require();
        Seeded.Run(1, seed =>
        {
            var random = new Random((int)seed);
            for (int round = 0; round < 300; round++) Estimate(random);
        });
    }

    private void AddAndMerge(Random random)
    {
        int sizeMax = random.Next(3) switch
        {
            0 => random.Next(16, 400),
            1 => 3000,
            _ => random.Next(3000, 12_000),
        };
        oracle.Ask("CONFIG", "SET", "hll-sparse-max-bytes", $"{sizeMax}");
        oracle.Ask("DEL", "a", "b", "c", "m");
        HyperLogLogMemory[] logs = [.. "abc".Select(_ => new HyperLogLogMemory(sizeMax))];
        int countMax = random.Next(s_elementCounts.Length);
        for (int index = 0; index < logs.Length; index++)
        {
            string key = "abc"[index].ToString();
            int elementCount = s_elementCounts[random.Next(countMax + 1)];
            byte[][] command = [Bytes("PFADD"), Bytes(key), .. Elements(random, elementCount)];
            foreach (byte[] element in command[2..]) logs[index].Add(element);
            Assert.Equal(1, oracle.Ask([command])[0].Integer);
            // Also where no element came: PFADD made the key.
            HyperLogLog.ForgetCount(logs[index].Value);
            Assert.Equal(Get(key), logs[index].Value.ToArray());
            Assert.True(HyperLogLog.TryCount(logs[index].Value, out ulong count));
            Assert.Equal((ulong)oracle.Ask("PFCOUNT", key).Integer, count);
        }
        Merge(logs, sizeMax);
        foreach (HyperLogLogMemory log in logs) log.Dispose();
    }

    private void Merge(HyperLogLogMemory[] logs, int sizeMax)
    {
        var union = new HyperLogLogUnion(new byte[HyperLogLog.RegisterCount]);
        bool isDense = false;
        foreach (HyperLogLogMemory log in logs)
        {
            Assert.True(union.TryAdd(log.Value));
            isDense |= HyperLogLog.IsDense(log.Value);
        }
        Assert.Equal((ulong)oracle.Ask("PFCOUNT", "a", "b", "c").Integer, union.Count());
        oracle.Ask("PFMERGE", "m", "a", "b", "c");
        using var merged = new HyperLogLogMemory(sizeMax);
        if (isDense) merged.MakeDense();
        merged.Merge(union);
        HyperLogLog.ForgetCount(merged.Value);
        Assert.Equal(Get("m"), merged.Value.ToArray());
        if (!isDense)
        {
            oracle.Ask("PFMERGE", "a", "b", "c");
            logs[0].Merge(union);
            HyperLogLog.ForgetCount(logs[0].Value);
            Assert.Equal(Get("a")[16..], logs[0].Value[16..].ToArray());
        }
    }

    private void Estimate(Random random)
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
        oracle.Ask([[Bytes("SET"), Bytes("d"), log.Value.ToArray()]]);
        Assert.True(HyperLogLog.TryCount(log.Value, out ulong count));
        Assert.Equal((ulong)oracle.Ask("PFCOUNT", "d").Integer, count);
    }

    private byte[] Get(string key)
    {
        Reply reply = oracle.Ask("GET", key);
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
