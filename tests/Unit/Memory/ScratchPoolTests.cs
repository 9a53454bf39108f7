using System;
using Cinnabar.Memory;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed class ScratchPoolTests : IDisposable
{
    private const int BigLength = 1 << 20;
    private readonly ScratchPool _pool = new();

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void ABlockIsUsedAgain()
    {
        using (var first = new Scratch<ulong>(_pool, BigLength))
            first.Span.Fill(7);
        Assert.Equal(1, _pool.KeptCount);
        using (var again = new Scratch<ulong>(_pool, BigLength - 10))
        {
            Assert.Equal(0, _pool.KeptCount);
            Assert.Equal(BigLength - 10, again.Span.Length);
            Assert.Equal(7UL, again.Span[^1]);
        }
        Assert.Equal(0, _pool.TakenCount);
    }

    [Fact]
    public void ABlockFarTooBigIsLeftForOthers()
    {
        new Scratch<ulong>(_pool, BigLength).Dispose();
        using var small = new Scratch<byte>(_pool, BigLength);
        Assert.Equal(1, _pool.KeptCount);
    }

    [Fact]
    public void SmallAndHugeBlocksAreNotKept()
    {
        new Scratch<byte>(_pool, 100).Dispose();
        new Scratch<byte>(_pool, 20 << 20).Dispose();
        Assert.Equal(0, _pool.KeptCount);
    }

    [Fact]
    public void NoMoreThanSomeAreKept()
    {
        var taken = new Scratch<ulong>[20];
        foreach (ref Scratch<ulong> one in taken.AsSpan())
            one = new Scratch<ulong>(_pool, BigLength);
        Assert.Equal(taken.Length, _pool.TakenCount);
        foreach (Scratch<ulong> one in taken)
            one.Dispose();
        Assert.Equal(0, _pool.TakenCount);
        Assert.Equal(8, _pool.KeptCount);
    }

    [Fact]
    public void UnusedBlocksAreFreedOneByOne()
    {
        using (new Scratch<ulong>(_pool, BigLength))
            new Scratch<ulong>(_pool, BigLength).Dispose();
        for (int call = 0; call < ScratchPool.IdleCallsMax; call++)
            _pool.GiveBackIdle();
        Assert.Equal(2, _pool.KeptCount);
        _pool.GiveBackIdle();
        Assert.Equal(1, _pool.KeptCount);
        _pool.GiveBackIdle();
        _pool.GiveBackIdle();
        Assert.Equal(0, _pool.KeptCount);
    }

    [Fact]
    public void NothingNeedsNoPool() => default(Scratch<int>).Dispose();
}
