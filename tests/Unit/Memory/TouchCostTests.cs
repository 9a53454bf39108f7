using Cinnabar.Memory;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed unsafe class TouchCostTests
{
    private const long Slow = TouchCost.SlowNs;
    private const long MiB = 1 << 20;

    [Fact]
    public void HugePagesAreUsedAsLongAsTheyAreFast()
    {
        TouchCost cost = new();
        Assert.True(cost.AllowsHuge(0));
        for (long mapped = 0; mapped < 1000 * MiB; mapped += 4 * MiB)
        {
            cost.Count(mapped % (12 * MiB) == 0 ? Slow : Slow - 1, mapped);
            Assert.True(cost.AllowsHuge(mapped));
        }
    }

    [Fact]
    public void AfterTwoSlowOnesSmallPagesFollow()
    {
        TouchCost cost = new();
        cost.Count(Slow, 100 * MiB);
        Assert.True(cost.AllowsHuge(100 * MiB));
        cost.Count(Slow, 104 * MiB);
        Assert.False(cost.AllowsHuge(104 * MiB));
        Assert.False(cost.AllowsHuge(104 * MiB + TouchCost.RetryBytesMin - 1));
        Assert.True(cost.AllowsHuge(104 * MiB + TouchCost.RetryBytesMin));
        Assert.False(cost.AllowsHuge(52 * MiB));
        Assert.True(cost.AllowsHuge(52 * MiB - 1));
    }

    [Fact]
    public void EachAttemptThatFailsDoublesTheGrowthUntilTheNext()
    {
        TouchCost cost = new();
        cost.Count(Slow, 0);
        long mapped = 0;
        for (long step = TouchCost.RetryBytesMin; step <= 16L << 30; step *= 2)
        {
            cost.Count(Slow, mapped);
            Assert.False(cost.AllowsHuge(mapped + step - 1));
            mapped += step;
            Assert.True(cost.AllowsHuge(mapped));
        }

        // A fast one starts all over.
        cost.Count(Slow - 1, mapped);
        cost.Count(Slow, mapped);
        Assert.True(cost.AllowsHuge(mapped));
        cost.Count(Slow, mapped);
        Assert.False(cost.AllowsHuge(mapped));
        Assert.True(cost.AllowsHuge(mapped + TouchCost.RetryBytesMin));
    }

    [Fact]
    public void SmallPagesOfAHalfAreTouched()
    {
        byte* half = NativePages.Map(Region.HalfBytes, Region.HalfBytes);
        try
        {
            LongWork work = new();
            long touchNs = TouchCost.OfPages(half, work);
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
}
