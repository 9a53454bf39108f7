using Cinnabar.Server.Host;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

public sealed class DescriptorBudgetTests
{
    [Theory]
    [InlineData(1, 32)]
    [InlineData(2, 32)]
    [InlineData(4, 64)]
    [InlineData(8, 64)]
    [InlineData(16, 128)]
    [InlineData(64, 352)]
    [InlineData(128, 672)]
    public void WhatIsReservedGrowsWithTheLoops(int loopCount, long reserved) =>
        Assert.Equal(reserved, DescriptorBudget.ReservedFor(loopCount, listenerCount: 3));
}
