using System;
using System.IO;
using System.Text.Json;
using System.Threading;
using Cinnabar.Server;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

public sealed class CompilerRankTests : IDisposable
{
    private readonly AutoResetEvent _wake = new(false);
    private readonly CompilerRank _rank;
    private bool _isThere;
    private bool _isBegunMeanwhile;
    private int _lookCount;

    public CompilerRankTests() => _rank = new CompilerRank(_wake, () =>
    {
        _lookCount++;
        if (_isBegunMeanwhile)
            _rank!.Begin();
        return _isThere;
    });

    public void Dispose() => _wake.Dispose();

    [Fact]
    public void ItIsLookedForUntilItIsFound()
    {
        for (int count = 0; count < 3; count++)
        {
            Assert.NotNull(_rank.Period);
            _rank.Look();
        }
        _isThere = true;
        _rank.Look();
        Assert.Null(_rank.Period);
        _rank.Look();
        Assert.Equal(4, _lookCount);
    }

    [Fact]
    public void ItIsGivenUpAndLookedForAgainWhenCompilingBegins()
    {
        while (_rank.Period is not null)
            _rank.Look();
        Assert.Equal(CompilerRank.LookCount, _lookCount);
        Assert.False(_wake.WaitOne(0));
        _rank.Begin();
        Assert.True(_wake.WaitOne(0));
        Assert.NotNull(_rank.Period);
        _isThere = true;
        _rank.Look();
        Assert.Equal(CompilerRank.LookCount + 1, _lookCount);
        Assert.Null(_rank.Period);
    }

    [Fact]
    public void WhoBeginsWhileItIsLookedForIsHeard()
    {
        _isThere = true;
        _isBegunMeanwhile = true;
        _rank.Look();
        Assert.NotNull(_rank.Period);
        _isBegunMeanwhile = false;
        _rank.Look();
        Assert.Equal(2, _lookCount);
        Assert.Null(_rank.Period);
    }

    [Fact]
    public void WithoutMachineCodeFromAheadTheCompilerIsNotAtTheEnd()
    {
        string file = Path.Combine(AppContext.BaseDirectory, "cinnabar-server.runtimeconfig.json");
        using JsonDocument configuration = JsonDocument.Parse(File.ReadAllText(file));
        JsonElement properties = configuration.RootElement.GetProperty("runtimeOptions")
            .GetProperty("configProperties");
        bool isAhead = properties.GetProperty(
            "System.Runtime.TieredCompilation.CallCountingDelayMs").GetInt32() > 1;
        string? setting = properties.TryGetProperty("Cinnabar.CompilerLowerBy", out JsonElement steps)
            ? steps.GetRawText() : null;
        Assert.Equal(isAhead ? 19 : 10, CompilerRank.StepsOf(setting));
        Assert.Equal(19, CompilerRank.StepsOf(null));
    }
}
