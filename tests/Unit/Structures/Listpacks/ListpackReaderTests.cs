using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Listpacks;

public sealed unsafe class ListpackReaderTests
{
    [Fact]
    public void WalksInBothDirections()
    {
        using var pack = new ListpackMemory(
            "a", "12", "", new string('x', 100), new string('y', 5000), "-70000");
        ListpackReader reader = pack.Reader;
        List<int> forward = [];
        for (int position = reader.First; position != 0; position = reader.Next(position))
            forward.Add(position);
        List<int> backward = [];
        for (int position = reader.Last; position != 0; position = reader.Previous(position))
            backward.Insert(0, position);
        Assert.Equal(6, forward.Count);
        Assert.Equal(forward, backward);
        for (int index = 0; index < 6; index++)
        {
            Assert.Equal(forward[index], reader.Seek(index));
            Assert.Equal(forward[index], reader.Seek(index - 6));
            Assert.Equal(forward[index], reader.Behind(forward[0], index));
        }
        Assert.Equal(0, reader.Seek(6));
        Assert.Equal(0, reader.Seek(-7));
        Assert.Equal(reader.End, reader.Behind(forward[0], 99));
        Assert.Equal(reader.End, reader.Behind(reader.Last));
        Assert.Equal(reader.Last, reader.Previous(reader.End));
    }

    [Fact]
    public void FindsOnlyWhereTheStrideLeads()
    {
        using var pack = new ListpackMemory("name", "age", "age", "7", "7", "name");
        ListpackReader reader = pack.Reader;
        Assert.Equal(reader.Seek(0), reader.Find("name"u8, reader.First, 2));
        Assert.Equal(reader.Seek(2), reader.Find("age"u8, reader.First, 2));
        Assert.Equal(reader.Seek(4), reader.Find("7"u8, reader.First, 2));
        Assert.Equal(reader.Seek(1), reader.Find("age"u8, reader.First));
        Assert.Equal(reader.Seek(3), reader.Find("7"u8, reader.First, 3));
        Assert.Equal(reader.Seek(5), reader.Find("name"u8, reader.Seek(1), 2));
        Assert.Equal(0, reader.Find("age"u8, reader.Seek(3)));
        Assert.Equal(0, reader.Find("age"u8, 0));
        Assert.Equal(0, reader.Find("07"u8, reader.First));
    }

    // Texts of every length that differ in one byte, at every place, from each other and from what is sought.
    [Fact]
    public void FindsNoTextThatDiffersInOneByte()
    {
        for (int length = 1; length < 70; length++)
        {
            string sought = new('t', length);
            using var pack = new ListpackMemory(sought + "t", sought[..^1]);
            for (int at = 0; at < length; at++)
            {
                string other = string.Concat(sought.AsSpan(0, at), "T", sought.AsSpan(at + 1));
                pack.Insert(pack.Reader.End, Encoding.Latin1.GetBytes(other));
            }
            byte[] text = Encoding.Latin1.GetBytes(sought);
            Assert.Equal(0, pack.Reader.Find(text, pack.Reader.First));
            pack.Insert(pack.Reader.End, text);
            Assert.Equal(pack.Reader.Last, pack.Reader.Find(text, pack.Reader.First));
        }
    }

    // 12 as a text and as an integer of 16 bits, as an older version's conversion might have written them.
    [Theory]
    [InlineData("0b000000010082313203ff")]
    [InlineData("0b0000000100f10c0003ff")]
    [InlineData("0a0000000100c00c02ff")]
    public void FindsIntegersThatAreStoredOtherwise(string hex)
    {
        using var pack = new ListpackMemory();
        byte[] bytes = Convert.FromHexString(hex);
        pack.Set(bytes);
        Assert.True(ListpackValidator.IsSound(bytes));
        Assert.Equal(pack.Reader.First, pack.Reader.Find("12"u8, pack.Reader.First));
        Assert.Equal(0, pack.Reader.Find("13"u8, pack.Reader.First));
        Assert.True(pack.Reader[pack.Reader.First].TryGetInteger(out long integer));
        Assert.Equal(12, integer);
    }

    [Fact]
    public void SamplesEachGroupEquallyOften()
    {
        using var pack = new ListpackMemory("a", "1", "b", "2", "c", "3", "d", "4", "e", "5");
        var random = new RandomSource(7);
        var counts = new Dictionary<int, int>();
        const int RoundCount = 20_000;
        const int Expected = RoundCount * 2 / 5;
        for (int round = 0; round < RoundCount; round++)
        {
            int last = 0;
            int picks = 0;
            var sample = new ListpackSample(pack.Data, stride: 2, count: 2, ref random);
            for (; sample.MoveNext(); picks++)
            {
                Assert.True(sample.Position > last, "not in the listpack's order");
                last = sample.Position;
                counts[last] = counts.GetValueOrDefault(last) + 1;
            }
            Assert.Equal(2, picks);
        }
        Assert.Equal(Fields(pack), counts.Keys.Order());
        Assert.All(counts.Values, count => Assert.InRange(count, Expected - 500, Expected + 500));
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(5, 5)]
    [InlineData(9, 5)]
    public void SamplesAtMostWhatIsThere(int count, int expected)
    {
        using var pack = new ListpackMemory("a", "1", "b", "2", "c", "3", "d", "4", "e", "5");
        var random = new RandomSource(1);
        int picks = 0;
        var sample = new ListpackSample(pack.Data, stride: 2, count, ref random);
        while (sample.MoveNext()) picks++;
        Assert.Equal(expected, picks);
    }

    [Fact]
    public void PicksEachGroupEquallyOftenInEveryPlace()
    {
        using var pack = new ListpackMemory("a", "1", "b", "2", "c", "3");
        var random = new RandomSource(11);
        var counts = new Dictionary<(int, int), int>();
        const int RoundCount = 9_000;
        Span<int> positions = stackalloc int[4];
        for (int round = 0; round < RoundCount; round++)
        {
            ListpackPicks.Fill(pack.Reader, 2, positions, ref random);
            for (int place = 0; place < positions.Length; place++)
                counts[(place, positions[place])] = counts.GetValueOrDefault((place, positions[place])) + 1;
            int single = ListpackPicks.Pick(pack.Reader, 2, ref random);
            counts[(4, single)] = counts.GetValueOrDefault((4, single)) + 1;
        }
        Assert.Equal(15, counts.Count);
        Assert.Equal(Fields(pack), counts.Keys.Select(key => key.Item2).Distinct().Order());
        Assert.All(counts.Values, count => Assert.InRange(count, RoundCount / 3 - 400, RoundCount / 3 + 400));
    }

    [Fact]
    public void ReadingAndEditingAllocateNothing()
    {
        using var pack = new ListpackMemory();
        Work(pack);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Work(pack);
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    private static void Work(ListpackMemory pack)
    {
        var random = new RandomSource(3);
        pack.Edit().Clear();
        for (int round = 0; round < 50; round++)
        {
            var field = new ListpackElement(round % 3 == 0 ? "a longer field of a hash"u8 : "f"u8);
            var value = new ListpackElement(round * 1000L);
            pack.Edit(field.Size + value.Size).Append(field, value);
            pack.Reader.Find("g"u8, pack.Reader.First, 2);
            pack.Edit().Delete(pack.Reader.First, round % 2 * 2);
            foreach (ListpackValue entry in pack.Reader) _ = entry.IsInteger;
            var sample = new ListpackSample(pack.Data, 2, 3, ref random);
            while (sample.MoveNext()) _ = sample.Position;
        }
    }

    private static List<int> Fields(ListpackMemory pack)
    {
        List<int> positions = [];
        for (int index = 0; index < pack.Reader.Count; index += 2) positions.Add(pack.Reader.Seek(index));
        return positions;
    }
}
