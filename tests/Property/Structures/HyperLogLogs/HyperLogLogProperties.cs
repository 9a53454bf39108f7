using System;
using Cinnabar.Structures.HyperLogLogs;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.HyperLogLogs;

public sealed class HyperLogLogProperties
{
    private const int FuzzCount = 40_000;

    [Fact]
    public void ActsLikeAnArrayOfRegisters() => Seeded.Run(24, seed =>
    {
        var draws = new Draws(seed);
        using var run = new HyperLogLogRun(draws);
        run.Steps(draws.Below(3000));
        run.Check();
        run.MakeDense();
        run.Check();
    });

    [Fact]
    public void NoProgramFindsADifference() => Fuzzer.Run(programCount: 150, programSizeMax: 1_500, draws =>
    {
        using var run = new HyperLogLogRun(draws);
        run.Steps(int.MaxValue);
        run.Check();
    });

    // One editor that goes on where it was, and a new one for each register.
    [Fact]
    public void MergesLikeOneRegisterAfterAnother() => Seeded.Run(24, seed =>
    {
        var draws = new Draws(seed);
        using var target = new HyperLogLogMemory(5000);
        using var expected = new HyperLogLogMemory(5000);
        using var source = new HyperLogLogMemory(5000);
        int scale = draws.Below(500) + 1;
        for (int step = 0; step < scale; step++)
        {
            (int register, int value) = HyperLogLogRun.RandomUpdate(draws);
            target.Raise(register, value);
            expected.Raise(register, value);
            (register, value) = HyperLogLogRun.RandomUpdate(draws);
            source.Raise(register, value);
        }
        var union = new HyperLogLogUnion(new byte[HyperLogLog.RegisterCount]);
        Assert.True(union.TryAdd(target.Value));
        Assert.True(union.TryAdd(source.Value));
        for (int register = 0; register < HyperLogLog.RegisterCount; register++)
        {
            if (union.Registers[register] > 0) expected.Raise(register, union.Registers[register]);
        }
        target.Merge(union);
        Assert.Equal(expected.Value.ToArray(), target.Value.ToArray());
        byte[] dense = new byte[HyperLogLog.DenseSize];
        union.WriteDense(dense);
        target.MakeDense();
        Assert.Equal(target.Value.ToArray(), dense);
    });

    [Fact]
    public void RunsTouchNoByteOutside() => Seeded.Run(2, seed =>
    {
        var draws = new Draws(seed);
        using var log = new HyperLogLogMemory();
        byte[] registers = new byte[HyperLogLog.RegisterCount];
        int soundCount = 0;
        for (int round = 0; round < FuzzCount; round++)
            soundCount += CheckRuns(log, registers, draws) ? 1 : 0;
        Assert.InRange(soundCount, FuzzCount / 100, FuzzCount - FuzzCount / 100);
    });

    [Fact]
    public void NoProgramOfRunsTouchesAByteOutside() =>
        Fuzzer.Run(programCount: 500, programSizeMax: 300, draws =>
        {
            using var log = new HyperLogLogMemory();
            byte[] registers = new byte[HyperLogLog.RegisterCount];
            while (!draws.HasEnded) CheckRuns(log, registers, draws);
        });

    // Two bytes for each register are the most that a sparse one can make use of: longer ones are corrupt.
    [Fact]
    public void RunsAsLongAsTheyCanBeAreReadAndLongerOnesAreCorrupt() => Seeded.Run(20, seed =>
    {
        const int RunSize = 2;
        var draws = new Draws(seed);
        int[] counts = [HyperLogLog.RegisterCount - 1, HyperLogLog.RegisterCount,
            HyperLogLog.RegisterCount + 1, HyperLogLog.RegisterCount + 1 + draws.Below(20_000)];
        byte[] registers = new byte[HyperLogLog.RegisterCount];
        foreach (int count in counts)
        {
            byte[] value = new byte[HyperLogLog.HeaderSize + RunSize * count];
            HyperLogLog.WriteEmpty(value);
            Span<byte> runs = value.AsSpan(HyperLogLog.HeaderSize);
            for (int run = 0; run < count; run++) (runs[RunSize * run], runs[RunSize * run + 1]) = (0x40, 0);
            bool isSound = count == HyperLogLog.RegisterCount;
            using var log = new HyperLogLogMemory(HyperLogLog.SparseSizeMax, value.Length);
            log.Set(value);
            Assert.Equal(isSound, HyperLogLog.TryCount(log.Value, out ulong estimate));
            Assert.Equal(isSound, new HyperLogLogUnion(registers).TryAdd(log.Value));
            Assert.Equal(0UL, isSound ? estimate : 0);
            (int register, int rank) = HyperLogLogRun.RandomUpdate(draws);
            RegisterUpdate update = log.TryRaise(register, rank);
            if (isSound) Assert.Equal(RegisterUpdate.Changed, update);
            // A byte that is not as it should be, anywhere: nothing outside is touched.
            runs[draws.Below(runs.Length)] = (byte)draws.Below(256);
            log.Set(value);
            isSound = HyperLogLog.TryCount(log.Value, out _);
            Assert.Equal(isSound, new HyperLogLogUnion(registers).TryAdd(log.Value));
            log.TryRaise(register, rank);
        }
    });

    // Whether the value is sound, and what can be read and raised in it.
    private static bool CheckRuns(HyperLogLogMemory log, byte[] registers, Draws draws)
    {
        Span<byte> start = stackalloc byte[HyperLogLog.EmptySize];
        HyperLogLog.WriteEmpty(start);
        byte[] runs = RandomRuns(draws);
        log.Set([.. start[..HyperLogLog.HeaderSize], .. runs]);
        bool isSound = HyperLogLog.TryCount(log.Value, out _);
        Assert.Equal(isSound, new HyperLogLogUnion(registers).TryAdd(log.Value));
        (int register, int rank) = HyperLogLogRun.RandomUpdate(draws);
        RegisterUpdate update = log.TryRaise(register, rank);
        draws.Mark(isSound ? 1 : 0, runs.Length, (int)update);
        if (!isSound) return false;
        Assert.True(HyperLogLog.TryCount(log.Value, out _));
        Assert.Equal(registers[register] < rank, update == RegisterUpdate.Changed);
        return true;
    }

    // Runs that are 16,384 registers together, with a byte changed now and then.
    private static byte[] RandomRuns(Draws draws)
    {
        byte[] bytes = new byte[24];
        int length = 0;
        int left = HyperLogLog.RegisterCount;
        while (left > 0 && length < 20)
        {
            byte head = (byte)(length == 18 ? 0x40 : draws.Below(256));
            int count = length == 18 ? left : draws.Below(Math.Min(left, 4)) + 1;
            left -= count;
            if (head >= 0x80) bytes[length++] = (byte)(head & ~3 | (count - 1));
            else if (head < 0x40 && count <= 64) bytes[length++] = (byte)(count - 1);
            else (bytes[length++], bytes[length++]) = ((byte)(0x40 | (count - 1) >> 8), (byte)(count - 1));
        }
        if (draws.Below(2) == 0) bytes[draws.Below(length)] = (byte)draws.Below(256);
        if (draws.Below(10) == 0) length--;
        return bytes[..length];
    }
}
