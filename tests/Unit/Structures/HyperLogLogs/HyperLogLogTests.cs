using System;
using System.Text;
using Cinnabar.Structures.HyperLogLogs;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.HyperLogLogs;

// The expected bytes are what redis-server 7.0.15 stored.
public sealed class HyperLogLogTests
{
    private const string Header = "48594c4c01000000";
    private const string Known = "0000000000000000";

    [Fact]
    public void AnEmptyHyperLogLogIsOneRunOfZeroes()
    {
        using var log = new HyperLogLogMemory();
        Assert.Equal(Header + Known + "7fff", Convert.ToHexStringLower(log.Value));
        Assert.True(HyperLogLog.HasHeader(log.Value));
        Assert.False(HyperLogLog.IsDense(log.Value));
        Assert.True(HyperLogLog.TryGetKnownCount(log.Value, out ulong known));
        Assert.Equal(0UL, known);
        Assert.True(HyperLogLog.TryCount(log.Value, out ulong count));
        Assert.Equal(0UL, count);
    }

    [Fact]
    public void ThreeElementsAreTheBytesOfRedis()
    {
        using var log = new HyperLogLogMemory();
        Assert.True(log.Add("a"u8));
        Assert.True(log.Add("b"u8));
        Assert.True(log.Add("c"u8));
        Assert.False(log.Add("b"u8));
        const string Expected = Header + "0000000000000080" + "60f38050b1844bfb80425a";
        Assert.Equal(Expected, Convert.ToHexStringLower(log.Value));
        Assert.False(HyperLogLog.TryGetKnownCount(log.Value, out _));
        Assert.True(HyperLogLog.TryCount(log.Value, out ulong count));
        Assert.Equal(3UL, count);
        HyperLogLog.SetKnownCount(log.Value, count);
        Assert.True(HyperLogLog.TryGetKnownCount(log.Value, out ulong known));
        Assert.Equal(3UL, known);
    }

    [Fact]
    public void RunsAreSplitAndJoined()
    {
        using var log = new HyperLogLogMemory();
        log.Raise(97, 5);
        Assert.Equal("z97 5x1 z16286", Runs(log));
        log.Raise(100, 5);
        Assert.Equal("z97 5x1 z2 5x1 z16283", Runs(log));
        log.Raise(98, 5);
        Assert.Equal("z97 5x2 z1 5x1 z16283", Runs(log));
        log.Raise(99, 5);
        Assert.Equal("z97 5x4 z16283", Runs(log));
        log.Raise(101, 5);
        Assert.Equal("z97 5x4 5x1 z16282", Runs(log));
        log.Raise(98, 6);
        Assert.Equal("z97 5x1 6x1 5x3 z16282", Runs(log));
        log.Raise(0, 1);
        log.Raise(HyperLogLog.RegisterCount - 1, 32);
        Assert.Equal("1x1 z96 5x1 6x1 5x3 z16281 32x1", Runs(log));
        log.Raise(63, 2);
        Assert.Equal("1x1 z62 2x1 z33 5x1 6x1 5x3 z16281 32x1", Runs(log));
        Assert.False(log.Raise(63, 1));
    }

    [Theory]
    [InlineData(33, 3000)]     // a value that no run can have
    [InlineData(32, 19)]       // two bytes more would be more than 19
    public void AValueTooHighForRunsMakesItDense(int value, int sparseSizeMax)
    {
        using var log = new HyperLogLogMemory(sparseSizeMax);
        HyperLogLog.SetKnownCount(log.Value, 77);
        Assert.True(log.Raise(9, value));
        Assert.Equal(HyperLogLog.DenseSize, log.Value.Length);
        Assert.True(HyperLogLog.IsDense(log.Value));
        Assert.False(HyperLogLog.TryGetKnownCount(log.Value, out ulong known));
        Assert.Equal(77UL, known & long.MaxValue);
        Assert.False(log.Raise(9, value));
        Assert.True(log.Raise(9, value + 1));
    }

    [Fact]
    public void AtTheLimitItStaysSparse()
    {
        using var log = new HyperLogLogMemory(sparseSizeMax: 21);
        Assert.True(log.Raise(9_000, 32));
        Assert.Equal(21, log.Value.Length);
        Assert.False(HyperLogLog.IsDense(log.Value));
        Assert.True(log.Raise(9_001, 32));    // joined: no larger, but it would have been for a moment
        Assert.True(HyperLogLog.IsDense(log.Value));
    }

    [Theory]
    [InlineData("")]
    [InlineData("48594c4c0100000000000000000000")]           // too short
    [InlineData("48594c4d01000000" + Known + "7fff")]        // other magic
    [InlineData("48594c4c02000000" + Known + "7fff")]        // other encoding
    [InlineData("48594c4c00000000" + Known + "7fff")]        // dense, but too short
    public void OtherStringsAreNotHyperLogLogs(string hex)
        => Assert.False(HyperLogLog.HasHeader(Convert.FromHexString(hex)));

    [Theory]
    [InlineData("")]              // no registers
    [InlineData("7ffe")]          // one too few
    [InlineData("7fff00")]        // one too many
    [InlineData("7f")]            // half a run
    [InlineData("7ffe81")]        // the last run is too long
    public void CorruptRunsAreFound(string runs)
    {
        using var log = new HyperLogLogMemory();
        log.Set(Convert.FromHexString(Header + Known + runs));
        Assert.True(HyperLogLog.HasHeader(log.Value));
        Assert.False(HyperLogLog.TryCount(log.Value, out _));
        Assert.False(log.MakeDense());
        Assert.False(new HyperLogLogUnion(new byte[HyperLogLog.RegisterCount]).TryAdd(log.Value));
    }

    [Fact]
    public void CorruptRunsAreNotChanged()
    {
        using var log = new HyperLogLogMemory();
        log.Set(Convert.FromHexString(Header + Known + "3f84"));
        byte[] before = log.Value.ToArray();
        Assert.Equal(RegisterUpdate.Corrupt, log.TryRaise(66, 3));
        Assert.Equal(before, log.Value.ToArray());
    }

    [Theory]
    [InlineData(1_000, 30)]
    [InlineData(100_000, 2_500)]
    public void EstimatesWithinThreeStandardErrors(int elementCount, int errorMax)
    {
        using var log = new HyperLogLogMemory();
        for (int i = 0; i < elementCount; i++) log.Add(Encoding.ASCII.GetBytes($"element {i}"));
        Assert.True(HyperLogLog.TryCount(log.Value, out ulong count));
        Assert.InRange((long)count, elementCount - errorMax, elementCount + errorMax);
    }

    [Theory]
    [InlineData("", 0xd8dfea6585bc9732UL)]
    [InlineData("a", 0x53d2470a9b43b1a7UL)]
    [InlineData("abcdefg", 0x22fe613bb08c9602UL)]
    [InlineData("abcdefgh", 0xf3a65df559914567UL)]
    [InlineData("abcdefghijklmnopqrstu", 0xf716943f7fdffb2aUL)]
    public void HashesLikeMurmurHash64A(string text, ulong expected)
        => Assert.Equal(expected, MurmurHash64A.Hash(Encoding.ASCII.GetBytes(text), 0xadc83b19));

    private static string Runs(HyperLogLogMemory log)
    {
        var text = new StringBuilder();
        SparseRuns runs = SparseRuns.Of(log.Value);
        while (runs.MoveNext())
            text.Append(runs.Value == 0 ? $"z{runs.Length} " : $"{runs.Value}x{runs.Length} ");
        Assert.True(runs.IsSound);
        return text.ToString().TrimEnd();
    }
}
