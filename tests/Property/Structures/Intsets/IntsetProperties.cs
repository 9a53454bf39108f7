using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Structures.Intsets;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.Intsets;

public sealed class IntsetProperties
{
    [Fact]
    public void ActsLikeASortedSet() => Seeded.Run(60, seed =>
    {
        var random = new RandomSource(seed);
        using var set = new IntsetMemory();
        var model = new SortedSet<long>();
        int bitsMax = (int)random.NextBelow(64) + 1;
        for (int step = 0; step < 300; step++)
        {
            long value = (long)random.Next() >> (64 - (int)random.NextBelow((ulong)bitsMax) - 1);
            if (random.NextBelow(3) > 0)
                Assert.Equal(model.Add(value), set.Add(value));
            else if (random.NextBelow(2) == 0 && model.Count > 0)
                RemoveAt(set, model, (int)random.NextBelow((ulong)model.Count));
            else
                Assert.Equal(model.Remove(value), set.Edit().Remove(value));
            Check(set, model, (long)random.Next() >> (int)random.NextBelow(64));
        }
    });

    [Fact]
    public void OnlyAscendingMembersOfTheRightSizeAreSound() => Seeded.Run(2, seed =>
    {
        var random = new RandomSource(seed);
        using var memory = new PackMemory(4096);
        int soundCount = 0;
        for (int round = 0; round < 40_000; round++)
        {
            byte[] bytes = RandomBytes(ref random);
            memory.Set(bytes);
            bool isSound = IntsetReader.IsSound(memory.Span);
            Assert.Equal(IsSound(bytes), isSound);
            soundCount += isSound ? 1 : 0;
        }
        Assert.InRange(soundCount, 400, 39_600);
    });

    private static void RemoveAt(IntsetMemory set, SortedSet<long> model, int index)
    {
        model.Remove(model.ElementAt(index));
        set.Edit().RemoveAt(index);
    }

    private static void Check(IntsetMemory set, SortedSet<long> model, long other)
    {
        set.Edit();
        Assert.True(IntsetReader.IsSound(set.Reader.Bytes));
        Assert.Equal(model, set.Members());
        Assert.Equal(model.Contains(other), set.Reader.Contains(other));
        int index = set.Reader.Find(other);
        Assert.Equal(model.Count(member => member < other), index < 0 ? ~index : index);
        if (model.Count == 0) return;
        Assert.Equal(model.Min, set.Reader.Min);
        Assert.Equal(model.Max, set.Reader.Max);
    }

    private static byte[] RandomBytes(ref RandomSource random)
    {
        int width = 1 << (int)(random.NextBelow(3) + 1);
        int count = (int)random.NextBelow(4);
        byte[] bytes = new byte[8 + width * count + (random.NextBelow(10) == 0 ? 1 : 0)];
        bytes[0] = (byte)(random.NextBelow(10) == 0 ? random.Next() : (ulong)width);
        bytes[4] = (byte)count;
        for (int index = 8; index < bytes.Length; index++) bytes[index] = (byte)random.Next();
        if (random.NextBelow(10) == 0) bytes[random.NextBelow((ulong)bytes.Length)] ^= (byte)random.Next();
        return random.NextBelow(10) == 0 ? bytes[..(int)random.NextBelow((ulong)bytes.Length)] : bytes;
    }

    private static bool IsSound(byte[] bytes)
    {
        if (bytes.Length < 8) return false;
        long width = BitConverter.ToUInt32(bytes);
        long count = BitConverter.ToUInt32(bytes, 4);
        if (width is not (2 or 4 or 8) || bytes.Length != 8 + width * count) return false;
        List<long> members = [];
        for (int at = 8; at < bytes.Length; at += (int)width)
        {
            members.Add(width == 2 ? BitConverter.ToInt16(bytes, at)
                : width == 4 ? BitConverter.ToInt32(bytes, at) : BitConverter.ToInt64(bytes, at));
        }
        return members.SequenceEqual(members.Distinct().Order());
    }
}
