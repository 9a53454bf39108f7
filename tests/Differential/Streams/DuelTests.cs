using System;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>Under any one seed, such as that of CI, engine and program both meet both protocols.</summary>
public sealed class DuelTests
{
    private const int Seed = 7;

    [Theory]
    [InlineData("a", 2)]
    [InlineData("a", 3)]
    [InlineData("b", 2)]
    [InlineData("b", 3)]
    public void EachFormMeetsBothProtocols(string family, int protocol)
    {
        string name = TestContext.Current.Test!.TestDisplayName;
        string otherProtocol = Replaced(name, $"protocol: {protocol}", $"protocol: {5 - protocol}");
        string otherFamily = Replaced(name, $"\"{family}\"", family == "a" ? "\"b\"" : "\"a\"");
        bool isInEngine = Duel.IsInEngine(Seed, name);
        Assert.NotEqual(isInEngine, Duel.IsInEngine(Seed, otherProtocol));
        Assert.NotEqual(isInEngine, Duel.IsInEngine(Seed, otherFamily));
        Assert.NotEqual(isInEngine, Duel.IsInEngine(Seed + 1, name));
    }

    private static string Replaced(string name, string part, string by)
    {
        Assert.Contains(part, name, StringComparison.Ordinal);
        return name.Replace(part, by, StringComparison.Ordinal);
    }
}
