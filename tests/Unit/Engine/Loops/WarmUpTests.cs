using Cinnabar.Engine.Loops;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

public sealed class WarmUpTests
{
    [Fact]
    public void NoCommandIsAnsweredByAnError() => Assert.Equal(0, WarmUp.Run(roundCount: 5, served: null));
}
