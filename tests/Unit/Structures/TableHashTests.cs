using Cinnabar.Platform;
using Cinnabar.Structures.Tables;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures;

public class TableHashTests
{
    [Fact]
    public void TagIsNeverTheFreeMark()
    {
        for (ulong hash = 0; hash < 512; hash++)
            Assert.NotEqual(0, TableHash.Tag(hash));
    }

    [Fact]
    public void PositionIsIncreasingAndCoversTheLine()
    {
        Assert.Equal(0u, TableHash.Position(0));
        Assert.Equal(uint.MaxValue, TableHash.Position((ulong)uint.MaxValue << 20));
        uint last = 0;
        for (ulong even = 1; even <= uint.MaxValue; even += 65_537)
        {
            uint position = TableHash.Position(even << 20);
            Assert.True(position > last, $"at {even}");
            last = position;
        }
    }

    [Fact]
    public void PositionIgnoresTheOtherBits()
    {
        var random = new RandomSource(3);
        for (int attempt = 0; attempt < 1000; attempt++)
        {
            ulong hash = random.Next();
            Assert.Equal(TableHash.Position(hash), TableHash.Position(hash ^ 0xFFF0_0000_000F_FFFF));
        }
    }
}
