using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace.SortedSets;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

public sealed class SmallResultTests
{
    // Texts of 30 bytes and more that differ only between the samples of their hash share one row of slots.
    [Theory]
    [InlineData("", "")]
    [InlineData("a text whose first bytes are like those of ", " and its last ones likewise")]
    public void MembersAreFoundWhileTheyComeAndThenInOrder(string prefix, string suffix)
    {
        var random = new Random(18);
        var result = new SmallResult();
        for (int round = 0; round < 200; round++)
        {
            var expected = new Dictionary<string, double>();
            int count = random.Next(round % 4 == 0 ? 12 : SmallResult.CountMax + 200);
            result.Begin();
            for (int i = 0; i < count; i++)
            {
                string member = prefix + random.Next(1 + (2 * count)) + suffix;
                byte[] bytes = Encoding.ASCII.GetBytes(member);
                double score = random.Next(round % 2 == 0 ? 3 : 1000);
                int number = result.Find(bytes);
                Assert.Equal(expected.ContainsKey(member), number >= 0);
                if (number >= 0)
                    result.Change(number, score);
                else if (!result.HasRoomFor(bytes))
                    continue;
                else
                    result.Add(bytes, score);
                expected[member] = score;
            }

            result.Order();
            string[] texts = [.. expected
                .OrderBy(pair => pair.Value).ThenBy(pair => pair.Key, StringComparer.Ordinal)
                .Select(pair => $"{pair.Key} {pair.Value}")];
            Assert.Equal(texts, Enumerable.Range(0, result.Count).Select(
                rank => $"{Encoding.ASCII.GetString(result.Member(rank))} {result.Score(rank)}"));
            result.End();
        }
    }

    [Fact]
    public void ThereIsRoomUpToBothLimits()
    {
        var result = new SmallResult();
        result.Begin();
        for (int i = 0; i < SmallResult.CountMax; i++)
        {
            Assert.True(result.HasRoomFor(BitConverter.GetBytes(i)));
            result.Add(BitConverter.GetBytes(i), 0);
        }

        Assert.False(result.HasRoomFor("x"u8));
        result.End();
        result.Begin();
        Assert.True(result.HasRoomFor(new byte[SmallResult.TextBytesMax]));
        Assert.False(result.HasRoomFor(new byte[SmallResult.TextBytesMax + 1]));
        result.Add(new byte[SmallResult.TextBytesMax], 1);
        Assert.True(result.HasRoomFor([]));
        Assert.False(result.HasRoomFor("x"u8));
    }
}
