using System;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Structures.HyperLogLogs;
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
        var random = new RandomSource(seed);
        using var log = new HyperLogLogMemory((int)random.NextBelow(3000) + 16);
        byte[] model = new byte[HyperLogLog.RegisterCount];
        int stepCount = (int)random.NextBelow(3000);
        for (int step = 0; step < stepCount; step++)
        {
            (int register, int value) = RandomUpdate(ref random);
            Assert.Equal(model[register] < value, log.Raise(register, value));
            model[register] = Math.Max(model[register], (byte)value);
        }
        Check(model, log);
        log.MakeDense();
        Check(model, log);
    });

    // One editor that goes on where it was, and a new one for each register.
    [Fact]
    public void MergesLikeOneRegisterAfterAnother() => Seeded.Run(24, seed =>
    {
        var random = new RandomSource(seed);
        using var target = new HyperLogLogMemory(5000);
        using var expected = new HyperLogLogMemory(5000);
        using var source = new HyperLogLogMemory(5000);
        int scale = (int)random.NextBelow(500) + 1;
        for (int step = 0; step < scale; step++)
        {
            (int register, int value) = RandomUpdate(ref random);
            target.Raise(register, value);
            expected.Raise(register, value);
            (register, value) = RandomUpdate(ref random);
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
    public void WhateverTheRunsAreNothingOutsideIsTouched() => Seeded.Run(2, seed =>
    {
        var random = new RandomSource(seed);
        using var log = new HyperLogLogMemory();
        Span<byte> start = stackalloc byte[HyperLogLog.EmptySize];
        HyperLogLog.WriteEmpty(start);
        byte[] registers = new byte[HyperLogLog.RegisterCount];
        int soundCount = 0;
        for (int round = 0; round < FuzzCount; round++)
        {
            byte[] value = [.. start[..16], .. RandomRuns(ref random)];
            log.Set(value);
            bool isSound = HyperLogLog.TryCount(log.Value, out _);
            Assert.Equal(isSound, new HyperLogLogUnion(registers).TryAdd(log.Value));
            (int register, int rank) = RandomUpdate(ref random);
            RegisterUpdate update = log.TryRaise(register, rank);
            if (!isSound) continue;
            soundCount++;
            Assert.True(HyperLogLog.TryCount(log.Value, out _));
            Assert.Equal(registers[register] < rank, update == RegisterUpdate.Changed);
        }
        Assert.InRange(soundCount, FuzzCount / 100, FuzzCount - FuzzCount / 100);
    });

    // Two bytes for each register are the most that a sparse one can make use of: longer ones are corrupt.
    [Fact]
    public void RunsAsLongAsTheyCanBeAreReadAndLongerOnesAreCorrupt() => Seeded.Run(20, seed =>
    {
        const int RunSize = 2;
        var random = new RandomSource(seed);
        int[] counts = [HyperLogLog.RegisterCount - 1, HyperLogLog.RegisterCount,
            HyperLogLog.RegisterCount + 1, HyperLogLog.RegisterCount + 1 + (int)random.NextBelow(20_000)];
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
            (int register, int rank) = RandomUpdate(ref random);
            RegisterUpdate update = log.TryRaise(register, rank);
            if (isSound) Assert.Equal(RegisterUpdate.Changed, update);
            // A byte that is not as it should be, anywhere: nothing outside is touched.
            runs[(int)random.NextBelow((ulong)runs.Length)] = (byte)random.Next();
            log.Set(value);
            isSound = HyperLogLog.TryCount(log.Value, out _);
            Assert.Equal(isSound, new HyperLogLogUnion(registers).TryAdd(log.Value));
            log.TryRaise(register, rank);
        }
    });

    private static (int Register, int Value) RandomUpdate(ref RandomSource random)
    {
        int range = random.NextBelow(2) == 0 ? 64 : HyperLogLog.RegisterCount;
        int value = random.NextBelow(500) == 0 ? (int)random.NextBelow(63) + 1 : (int)random.NextBelow(4) + 1;
        return ((int)random.NextBelow((ulong)range), value);
    }

    // Runs that are 16,384 registers together, with a byte changed now and then.
    private static byte[] RandomRuns(ref RandomSource random)
    {
        byte[] bytes = new byte[24];
        int length = 0;
        int left = HyperLogLog.RegisterCount;
        while (left > 0 && length < 20)
        {
            byte head = (byte)(length == 18 ? 0x40 : random.Next());
            int count = length == 18 ? left : (int)random.NextBelow((ulong)Math.Min(left, 4)) + 1;
            left -= count;
            if (head >= 0x80) bytes[length++] = (byte)(head & ~3 | (count - 1));
            else if (head < 0x40 && count <= 64) bytes[length++] = (byte)(count - 1);
            else (bytes[length++], bytes[length++]) = ((byte)(0x40 | (count - 1) >> 8), (byte)(count - 1));
        }
        if (random.NextBelow(2) == 0) bytes[random.NextBelow((ulong)length)] = (byte)random.Next();
        if (random.NextBelow(10) == 0) length--;
        return bytes[..length];
    }

    private static void Check(byte[] model, HyperLogLogMemory log)
    {
        byte[] registers = new byte[HyperLogLog.RegisterCount];
        var union = new HyperLogLogUnion(registers);
        Assert.True(union.TryAdd(log.Value));
        Assert.Equal(model, registers);
        int[] histogram = new int[RegisterHistogram.Length];
        RegisterHistogram.CountInto(registers, histogram);
        for (int value = 0; value < histogram.Length; value++)
            Assert.Equal(model.Count(register => register == value), histogram[value]);
        Assert.True(HyperLogLog.TryCount(log.Value, out ulong count));
        Assert.Equal(HyperLogLogEstimate.FromHistogram(histogram), count);
        Assert.Equal(count, union.Count());
        if (!HyperLogLog.IsDense(log.Value)) return;
        byte[] packed = new byte[DenseRegisters.Size];
        for (int register = 0; register < model.Length; register++)
        {
            DenseRegisters.Set(packed, register, 63);
            DenseRegisters.Set(packed, register, model[register]);
            Assert.Equal(model[register], DenseRegisters.Get(packed, register));
        }
        Assert.Equal(packed, log.Value[16..].ToArray());
    }
}
