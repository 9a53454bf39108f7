using System;
using System.Collections.Generic;
using System.IO;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Server.Host;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

/// <summary>oom-score-adj, over a file that stands for the system's.</summary>
public sealed class OomScoreTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("cinnabar-oom-").FullName;
    private readonly ConfigurationRegistry _registry = new();
    private readonly TestLog _log = new();

    private string Score
    {
        get => File.ReadAllText(FilePath).TrimEnd();
        set => File.WriteAllText(FilePath, value + "\n");
    }

    private string FilePath => Path.Combine(_directory, "score");

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Theory]
    [InlineData("yes", "10 20 30", "110")]
    [InlineData("relative", "10 20 30", "110")]
    [InlineData("absolute", "777 20 30", "777")]
    [InlineData("relative", "2000 0 0", "1000")]
    [InlineData("absolute", "-2000 0 0", "-1000")]
    public void TheScoreIsAdjustedAndPutBack(string mode, string values, string expected)
    {
        Score = "100";
        Follow();
        Assert.Null(Set("oom-score-adj-values", values));
        Assert.Equal("100", Score);
        Assert.Null(Set("oom-score-adj", mode));
        Assert.Equal(expected, Score);
        Assert.Null(Set("oom-score-adj", "no"));
        Assert.StartsWith("100", Score, StringComparison.Ordinal);
    }

    [Fact]
    public void WhatItStartsFromIsReadWhenItIsSwitchedOn()
    {
        Score = "100";
        Follow();
        Score = "103";
        Assert.Null(_registry.Set([new("oom-score-adj-values", "9 9 9"), new("oom-score-adj", "yes")], true));
        Assert.Equal("112", Score);
        Assert.Null(Set("oom-score-adj-values", "15 9 9"));
        Assert.Equal("118", Score);
    }

    [Fact]
    public void AReplicaHasAValueOfItsOwn()
    {
        Score = "100";
        var score = new OomScore(_registry, _log, FilePath);
        score.Follow();
        score.NoteRole(isReplica: true);
        Assert.Equal("100", Score);
        Assert.Null(_registry.Set([new("oom-score-adj-values", "1 2 3"), new("oom-score-adj", "yes")], true));
        Assert.Equal("102", Score);
        score.NoteRole(isReplica: false);
        Assert.StartsWith("101", Score, StringComparison.Ordinal);
    }

    [Fact]
    public void WhatTheSystemRefusesChangesNothing()
    {
        Follow();
        Assert.Equal("ERR CONFIG SET failed (possibly related to argument 'oom-score-adj') - Failed to set "
            + "current oom_score_adj. Check server logs.", Set("oom-score-adj", "yes"));
        Assert.Equal("no", _registry.TextOf("oom-score-adj"));
        Assert.Contains(_log.Lines, line => line.StartsWith("Unable to change oom_score_adj: ",
            StringComparison.Ordinal));
    }

    private void Follow() => new OomScore(_registry, _log, FilePath).Follow();

    private string? Set(string name, string value) =>
        _registry.Set([new KeyValuePair<string, string>(name, value)], isLocalClient: true);
}
