using System;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>Under any one seed, such as that of CI, commands on the loop and off it both meet both
/// protocols.</summary>
public sealed class DuelTests
{
    private const int Seed = 7;

    [Theory]
    [InlineData("a", 2)]
    [InlineData("a", 3)]
    [InlineData("b", 2)]
    [InlineData("b", 3)]
    public void EachPlaceMeetsBothProtocols(string family, int protocol)
    {
        string name = TestContext.Current.Test!.TestDisplayName;
        string otherProtocol = Replaced(name, $"protocol: {protocol}", $"protocol: {5 - protocol}");
        string otherFamily = Replaced(name, $"\"{family}\"", family == "a" ? "\"b\"" : "\"a\"");
        bool isOffLoop = Duel.IsOffLoop(Seed, name);
        Assert.NotEqual(isOffLoop, Duel.IsOffLoop(Seed, otherProtocol));
        Assert.NotEqual(isOffLoop, Duel.IsOffLoop(Seed, otherFamily));
        Assert.NotEqual(isOffLoop, Duel.IsOffLoop(Seed + 1, name));
    }

    private static string Replaced(string name, string part, string by)
    {
        Assert.Contains(part, name, StringComparison.Ordinal);
        return name.Replace(part, by, StringComparison.Ordinal);
    }
}
