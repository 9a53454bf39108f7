using Cinnabar.Memory;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

// The regions have no memory: nothing here looks at it.
public sealed unsafe class FreeRegionsTests
{
    private readonly FreeRegions _free = new();
    private nuint _address;

    [Fact]
    public void NothingOfAnUntouchedRegionIsReady()
    {
        Add(isHuge: true, isUntouched: true);
        Assert.False(_free.HasFirst);
        Assert.Null(_free.FindReady());
        Assert.Equal(0, _free.ReadyCount);
    }

    [Fact]
    public void UntouchedHugePagesAreFoundOnlyWhereTheyAreAllowed()
    {
        Region small = Add(isHuge: false, isUntouched: true);
        Region huge = Add(isHuge: true, isUntouched: true);
        Assert.Same(small, _free.FindUntouched(mayBeHuge: false));
        Assert.Same(huge, _free.FindUntouched(mayBeHuge: true));
        _free.TakeHalf(small);
        _free.TakeHalf(small);
        Assert.Null(_free.FindUntouched(mayBeHuge: false));
        Assert.Same(huge, _free.FindUntouched(mayBeHuge: true));
    }

    [Fact]
    public void APreparedLowerHalfHasTheFirstSlab()
    {
        Region region = Add(isHuge: true, isUntouched: true);
        byte* half = _free.TakeHalf(region);
        Assert.True(half == region.Address);
        Assert.False(_free.HasFirst);
        _free.GiveHalfBack(region, half, isPrepared: true);
        Assert.True(_free.HasFirst);
        Assert.Same(region, _free.FindReady());
        Assert.Equal(Region.HalfCount, _free.ReadyCount);
        Assert.Same(region, _free.UnlistFirst());
        _free.Take(region, isFirst: true, out _, out bool wasUntouched);
        Assert.False(wasUntouched);
        Assert.False(_free.HasFirst);
    }

    [Fact]
    public void WhoTouchesAHalfLeavesItsFirstSlabReady()
    {
        Region region = Add(isHuge: true, isUntouched: true);
        _free.Take(region, isFirst: false, out _, out bool wasUntouched);
        Assert.True(wasUntouched);
        Assert.True(_free.HasFirst);
        Assert.Equal(Region.HalfCount - 1, _free.ReadyCount);
    }

    [Fact]
    public void AHalfThatLostItsMemoryIsUntouchedAgain()
    {
        Region region = Add(isHuge: true, isUntouched: true);
        byte* half = _free.TakeHalf(region);
        _free.GiveHalfBack(region, half, isPrepared: true);
        Assert.True(half == _free.TakePrepared(region));
        _free.GiveHalfBack(region, half, isPrepared: false);
        Assert.False(_free.HasFirst);
        Assert.Null(_free.FindReady());
        Assert.Same(region, _free.FindUntouched(mayBeHuge: true));
    }

    [Fact]
    public void AnEmptyRegionIsFoundTouchedOrNot()
    {
        Region ready = Add(isHuge: false, isUntouched: false);
        Region untouched = Add(isHuge: true, isUntouched: true);
        Assert.Equal(2, _free.EmptyCount);
        Assert.Same(ready, _free.RemoveEmpty());
        Assert.Same(untouched, _free.RemoveEmpty());
        Assert.Null(_free.RemoveEmpty());
        Assert.Equal(0, _free.EmptyCount);
        Assert.False(_free.HasFirst);
        Assert.Null(_free.FindReady());
        Assert.Null(_free.FindUntouched(mayBeHuge: true));
    }

    private Region Add(bool isHuge, bool isUntouched)
    {
        _address += Slab.RegionBytes;
        Region region = new((byte*)_address, isHuge, isUntouched);
        _free.Add(region);
        return region;
    }
}
