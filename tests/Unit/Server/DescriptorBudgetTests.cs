using Cinnabar.Server.Host;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

public sealed class DescriptorBudgetTests
{
    [Theory]
    [InlineData(1, 128)]
    [InlineData(2, 128)]
    [InlineData(4, 128)]
    [InlineData(8, 160)]
    [InlineData(16, 192)]
    [InlineData(64, 448)]
    [InlineData(128, 768)]
    public void TheReserveGrowsWithTheLoops(int loopCount, long reserved) =>
        Assert.Equal(reserved, DescriptorBudget.ReservedFor(loopCount, listenerCount: 3));
}
