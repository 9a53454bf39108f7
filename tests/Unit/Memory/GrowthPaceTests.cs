using Cinnabar.Memory;
using Xunit;

namespace Cinnabar.Tests.Unit.Memory;

public sealed class GrowthPaceTests
{
    [Fact]
    public void MoreIsReadyTheFasterSlabsAreTaken()
    {
        GrowthPace pace = default;
        Assert.Equal(16, pace.ReadyCount(1 << 20));
        for (int count = 0; count < 100; count++)
            pace.Count(5000 + count);
        Assert.Equal(100, pace.RecentCount);
        Assert.Equal(200, pace.ReadyCount(1 << 20));
        pace.Count(5120);
        Assert.Equal(100, pace.RecentCount);
        for (int count = 0; count < 5000; count++)
            pace.Count(5130);
        Assert.Equal(1024, pace.ReadyCount(1 << 20));
    }

    [Fact]
    public void AfterARestItBeginsAnew()
    {
        GrowthPace pace = default;
        for (int count = 0; count < 100; count++)
            pace.Count(5000);
        pace.Count(5200);
        Assert.Equal(1, pace.RecentCount);
        Assert.Equal(16, pace.ReadyCount(1 << 20));
    }

    [Fact]
    public void OfMuchMemoryAShareIsReady() =>
        Assert.Equal((64L << 30) / Slab.Bytes / 256, default(GrowthPace).ReadyCount(64L << 30));
}
