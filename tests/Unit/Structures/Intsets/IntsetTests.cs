using System;
using System.Collections.Generic;
using Cinnabar.Platform;
using Cinnabar.Structures.Intsets;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Intsets;

// The expected bytes are what redis-server 7.0.15 dumped for a set with these members.
public sealed unsafe class IntsetTests
{
    [Theory]
    [InlineData("0200000003000000" + "fbff01000300", "3 1 -5")]
    [InlineData("0400000004000000" + "fbffffff010000000300000070110100", "3 1 -5 70000")]
    [InlineData("0800000002000000" + "0100000000000000" + "0000000000010000", "1 1099511627776")]
    [InlineData("0400000002000000" + "ff7fffff" + "01000000", "1 -32769")]
    public void MembersAreTheBytesOfRedis(string expected, string members)
    {
        using var set = new IntsetMemory(Array.ConvertAll(members.Split(' '), long.Parse));
        Assert.Equal(expected, Convert.ToHexStringLower(set.Reader.Bytes));
        Assert.True(IntsetReader.IsSound(set.Reader.Bytes));
    }

    [Theory]
    [InlineData(short.MaxValue, 2)]
    [InlineData(short.MaxValue + 1L, 4)]
    [InlineData(short.MinValue, 2)]
    [InlineData(short.MinValue - 1L, 4)]
    [InlineData(int.MaxValue, 4)]
    [InlineData(int.MaxValue + 1L, 8)]
    [InlineData(int.MinValue, 4)]
    [InlineData(int.MinValue - 1L, 8)]
    [InlineData(long.MaxValue, 8)]
    [InlineData(long.MinValue, 8)]
    public void OneMemberThatDoesNotFitWidensAll(long value, int width)
    {
        using var set = new IntsetMemory(1, -1, 5);
        Assert.True(set.Add(value));
        Assert.Equal(width, set.Reader.Width);
        long[] expected = value < 0 ? [value, -1, 1, 5] : [-1, 1, 5, value];
        Assert.Equal(expected, set.Members());
        Assert.Equal(expected[0], set.Reader.Min);
        Assert.Equal(expected[3], set.Reader.Max);
        Assert.True(set.Edit().Remove(value));
        Assert.Equal(width, set.Reader.Width);
        Assert.Equal([-1, 1, 5], set.Members());
    }

    [Fact]
    public void FindsMembersAndThePlacesOfOthers()
    {
        using var set = new IntsetMemory(10, 20, 30);
        Assert.Equal(0, set.Reader.Find(10));
        Assert.Equal(2, set.Reader.Find(30));
        Assert.Equal(~0, set.Reader.Find(9));
        Assert.Equal(~1, set.Reader.Find(11));
        Assert.Equal(~3, set.Reader.Find(31));
        Assert.Equal(~3, set.Reader.Find(long.MaxValue));
        Assert.Equal(~0, set.Reader.Find(long.MinValue));
        Assert.False(set.Reader.Contains(65536 + 10));
    }

    [Fact]
    public void RemovesRanges()
    {
        using var set = new IntsetMemory(1, 2, 3, 4, 5);
        set.Edit().RemoveAt(1, 3);
        Assert.Equal([1, 5], set.Members());
        Assert.Throws<ArgumentOutOfRangeException>(() => set.Edit().RemoveAt(1, 2));
        Assert.False(set.Edit().Remove(3));
        set.Edit().RemoveAt(0, 2);
        Assert.Equal(0, set.Reader.Count);
        Assert.False(set.Reader.Contains(1));
    }

    [Fact]
    public void AnInsertionThatDoesNotFitChangesNothing()
    {
        using var set = new IntsetMemory(1, 2);
        Assert.Throws<ArgumentOutOfRangeException>(() => set.Edit(1).Add(3));
        Assert.Throws<ArgumentOutOfRangeException>(() => set.Edit(7).Add(70_000));
        Assert.False(set.Edit().Add(2));
        Assert.Equal([1, 2], set.Members());
    }

    [Theory]
    [InlineData("02000000010000")]
    [InlineData("0200000001000000")]              // a member that is not there
    [InlineData("0200000000000000" + "0100")]     // one too many
    [InlineData("0300000001000000" + "010000")]   // a width that is none
    [InlineData("0000000000000000")]
    [InlineData("0200000002000000" + "01000100")] // a duplicate
    [InlineData("0200000002000000" + "0200ffff")] // not ascending
    [InlineData("04000000010000c0" + "01000000")] // a size of more than 32 bits
    public void InvalidBytesAreRefused(string hex)
        => Assert.False(IntsetReader.IsSound(Convert.FromHexString(hex)));

    [Fact]
    public void PicksEachMemberEquallyOften()
    {
        using var set = new IntsetMemory(-7, 70_000, 5);
        var random = new RandomSource(5);
        var counts = new Dictionary<long, int>();
        for (int round = 0; round < 3000; round++)
        {
            long member = set.Reader.Pick(ref random);
            counts[member] = counts.GetValueOrDefault(member) + 1;
        }
        Assert.Equal(3, counts.Count);
        Assert.All(counts.Values, count => Assert.InRange(count, 800, 1200));
    }
}
