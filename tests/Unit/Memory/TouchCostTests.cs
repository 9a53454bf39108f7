using Cinnabar.Memory;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed unsafe class TouchCostTests
{
    private const long SlowHuge = TouchCost.SlowHugeNs;
    private const long SlowSmall = TouchCost.SlowSmallNs;

    [Fact]
    public void WithNobodyToMeasureThereAreHugePagesUntilOneIsSlow()
    {
        TouchCost cost = new();
        Assert.True(cost.AllowsHuge);
        cost.CountHalf(SlowHuge - 1, isHuge: true);
        Assert.True(cost.AllowsHuge);
        cost.CountHalf(SlowHuge, isHuge: true);
        Assert.False(cost.AllowsHuge);
    }

    [Fact]
    public void SmallPagesMustBeFastBeforeThereAreHugeOnes()
    {
        TouchCost cost = new();
        cost.Distrust();
        Assert.False(cost.AllowsHuge);
        cost.CountHalf(SlowSmall, isHuge: false);
        Assert.False(cost.AllowsHuge);
        cost.CountHalf(SlowSmall - 1, isHuge: false);
        Assert.True(cost.AllowsHuge);
    }

    [Fact]
    public void AfterASlowHugePageManySmallOnesInARowMustBeFast()
    {
        TouchCost cost = new();
        cost.Distrust();
        cost.CountHalf(0, isHuge: false);
        cost.CountHalf(SlowHuge, isHuge: true);
        CountFast(ref cost, TouchCost.RegainCountMin - 1);
        Assert.False(cost.AllowsHuge);
        cost.CountHalf(SlowSmall, isHuge: false);
        CountFast(ref cost, TouchCost.RegainCountMin - 1);
        Assert.False(cost.AllowsHuge);
        cost.CountHalf(0, isHuge: false);
        Assert.True(cost.AllowsHuge);
    }

    [Fact]
    public void EachSlowHugePageDoublesWhatIsAskedForUpToALimit()
    {
        TouchCost cost = new();
        cost.Distrust();
        cost.CountHalf(SlowHuge, isHuge: true);
        for (int wanted = TouchCost.RegainCountMin; wanted <= TouchCost.RegainCountMax; wanted *= 2)
        {
            CountFast(ref cost, wanted - 1);
            Assert.False(cost.AllowsHuge);
            cost.CountHalf(0, isHuge: false);
            Assert.True(cost.AllowsHuge);
            cost.CountHalf(SlowHuge, isHuge: true);
        }
        CountFast(ref cost, TouchCost.RegainCountMax);
        Assert.True(cost.AllowsHuge);
    }

    [Fact]
    public void AFewFastSlabsInARowAreAsGoodAsAHalf()
    {
        TouchCost cost = new();
        Assert.False(cost.WantsSlabs);
        cost.Distrust();
        for (int count = 1; count < TouchCost.SlabCountMin; count++)
            cost.CountSlab(TouchCost.SlowSlabNs - 1);
        cost.CountSlab(TouchCost.SlowSlabNs);
        for (int count = 1; count < TouchCost.SlabCountMin; count++)
            cost.CountSlab(TouchCost.SlowSlabNs - 1);
        Assert.True(cost.WantsSlabs);
        Assert.False(cost.AllowsHuge);
        cost.CountSlab(TouchCost.SlowSlabNs - 1);
        Assert.False(cost.WantsSlabs);
        Assert.True(cost.AllowsHuge);
    }

    [Fact]
    public void SlowSlabsAreMeasuredOnlyForAWhile()
    {
        TouchCost cost = new();
        cost.Distrust();
        for (int count = 0; count < TouchCost.SlabCountMax; count++)
        {
            Assert.True(cost.WantsSlabs);
            cost.CountSlab(TouchCost.SlowSlabNs);
        }
        Assert.False(cost.WantsSlabs);
        Assert.False(cost.AllowsHuge);
        cost.CountHalf(SlowSmall - 1, isHuge: false);
        Assert.True(cost.AllowsHuge);
    }

    [Fact]
    public void SmallPagesOfAHalfAreTouched()
    {
        byte* half = NativePages.Map(Region.HalfBytes, Region.HalfBytes);
        try
        {
            LongWork work = new();
            long touchNs = TouchCost.OfHalf(half, isHuge: false, work);
            Assert.True(touchNs > 0 || !System.OperatingSystem.IsLinux());
            Assert.Equal(0, half[Region.HalfBytes - 1]);
        }
        finally
        {
            NativePages.Unmap(half, Region.HalfBytes);
        }
    }

    [Fact]
    public void BlocksAreWholeWhereHugePagesAreSlow()
    {
        using PageSource pages = new(isChecked: false);
        pages.PrepareAhead();
        using Arena arena = new(pages, "test");
        LongWork work = new();
        for (int count = 0; count < 3000; count++)
        {
            // Says of each page source that the host is slow, whatever it is.
            pages.CountSlowTouch();
            byte* block = arena.Allocate(65_536);
            for (int offset = 0; offset < 65_536; offset += 4096)
            {
                Assert.Equal(0, block[offset]);
                block[offset] = 1;
            }
            if (count % 100 == 0)
                pages.PrepareNext(work);
        }
        Assert.InRange(pages.Measure().ActiveBytes, 3000 * 65_536L, 3001 * 65_536L);
    }

    private static void CountFast(ref TouchCost cost, int count)
    {
        for (; count > 0; count--)
            cost.CountHalf(SlowSmall - 1, isHuge: false);
    }
}
