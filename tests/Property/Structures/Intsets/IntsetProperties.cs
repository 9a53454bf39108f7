using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Structures.Intsets;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.Intsets;

public sealed class IntsetProperties
{
    [Fact]
    public void ActsLikeASortedSet() => Seeded.Run(60, seed =>
    {
        using var run = new Run(new Draws(seed));
        run.Steps(300);
    });

    [Fact]
    public void NoProgramFindsADifference() => Fuzzer.Run(programCount: 150, programSizeMax: 1_000, draws =>
    {
        using var run = new Run(draws);
        run.Steps(int.MaxValue);
    });

    [Fact]
    public void OnlyAscendingMembersOfTheRightSizeAreSound() => Seeded.Run(2, seed =>
    {
        const int RoundCount = 40_000;
        var draws = new Draws(seed);
        using var memory = new PackMemory(4096);
        int soundCount = 0;
        for (int round = 0; round < RoundCount; round++) soundCount += CheckBytes(memory, draws) ? 1 : 0;
        Assert.InRange(soundCount, RoundCount / 100, RoundCount - RoundCount / 100);
    });

    [Fact]
    public void NoProgramIsValidatedThatIsNotSound() =>
        Fuzzer.Run(programCount: 1_000, programSizeMax: 200, draws =>
        {
            using var memory = new PackMemory(4096);
            while (!draws.HasEnded) CheckBytes(memory, draws);
        });

    private static bool CheckBytes(PackMemory memory, Draws draws)
    {
        byte[] bytes = RandomBytes(draws);
        memory.Set(bytes);
        bool isSound = IntsetReader.IsSound(memory.Span);
        Assert.Equal(IsSound(bytes), isSound);
        draws.Mark(isSound ? 1 : 0, bytes.Length, bytes.Length > 0 ? bytes[0] : -1);
        return isSound;
    }

    private static byte[] RandomBytes(Draws draws)
    {
        int width = 1 << draws.Below(3) + 1;
        int count = draws.Below(4);
        byte[] bytes = new byte[8 + width * count + (draws.Below(10) == 0 ? 1 : 0)];
        bytes[0] = (byte)(draws.Below(10) == 0 ? draws.Below(256) : width);
        bytes[4] = (byte)count;
        for (int index = 8; index < bytes.Length; index++) bytes[index] = (byte)draws.Below(256);
        if (draws.Below(10) == 0) bytes[draws.Below(bytes.Length)] ^= (byte)draws.Below(256);
        return draws.Below(10) == 0 ? bytes[..draws.Below(bytes.Length)] : bytes;
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

    private sealed class Run(Draws draws) : IDisposable
    {
        private readonly IntsetMemory _set = new();
        private readonly SortedSet<long> _model = [];

        internal void Steps(int count)
        {
            for (int step = 0; step < count && !draws.HasEnded; step++)
            {
                Step();
                Check(Value());
            }
        }

        public void Dispose() => _set.Dispose();

        private void Step()
        {
            long value = Value();
            int choice = draws.Below(6);
            if (choice < 4)
                Assert.Equal(_model.Add(value), _set.Add(value));
            else if (choice == 4 && _model.Count > 0)
                RemoveAt(draws.Below(_model.Count));
            else
                Assert.Equal(_model.Remove(value), _set.Edit().Remove(value));
        }

        // Small ones, those about which members become wider, and any.
        private long Value()
        {
            long near = draws.Below(5) - 2;
            return draws.Below(8) switch
            {
                < 3 => draws.Below(200) - 100,
                3 => short.MaxValue + near,
                4 => short.MinValue + near,
                5 => (draws.Below(2) == 0 ? int.MaxValue : int.MinValue) + near,
                6 => draws.Below(2) == 0 ? long.MaxValue - Math.Abs(near) : long.MinValue + Math.Abs(near),
                _ => (long)draws.Next() >> draws.Below(64),
            };
        }

        private void RemoveAt(int index)
        {
            _model.Remove(_model.ElementAt(index));
            _set.Edit().RemoveAt(index);
        }

        private void Check(long other)
        {
            _set.Edit();
            IntsetReader reader = _set.Reader;
            Assert.True(IntsetReader.IsSound(reader.Bytes));
            Assert.Equal(_model, _set.Members());
            Assert.Equal(_model.Contains(other), reader.Contains(other));
            int index = reader.Find(other);
            Assert.Equal(_model.Count(member => member < other), index < 0 ? ~index : index);
            draws.Mark(_model.Count < 8 ? _model.Count : 8 + long.Log2(_model.Count), reader.Bytes[0]);
            if (_model.Count == 0) return;
            Assert.Equal(_model.Min, reader.Min);
            Assert.Equal(_model.Max, reader.Max);
        }
    }
}
