using System;
using System.Linq;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Loops;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

public sealed class WarmUpTests
{
    [Fact]
    public void NoCommandIsAnsweredByAnError() => Assert.Equal(0, WarmUp.Run(roundCount: 5, served: null));

    [Theory]
    [InlineData("ECHO", "PUBLISH", "TYPE", "STRLEN", "APPEND", "GETRANGE", "SETNX", "DECR", "PTTL", "UNLINK")]
    [InlineData("LINDEX", "LTRIM", "SRANDMEMBER", "HMGET", "HEXISTS", "HLEN", "ZCARD", "ZCOUNT", "ZREM")]
    [InlineData("XRANGE", "SELECT", "DBSIZE", "GETDEL", "SMISMEMBER")]
    public void CommonCommandsAreRun(params string[] commands)
    {
        string[] run = [.. WarmUp.Lines.Select(static line => line.Split(' ')[0])];
        foreach (string command in commands)
            Assert.Contains(command, run);
    }

    [Fact]
    public void WhatFailsIsNamedInTheLogAndEndsNothing()
    {
        var log = new TestLog();
        using var engine = new ServerEngine(new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = log,
            LoopCount = 1,
        });
        WarmUp.Start(engine, static () => throw new InvalidOperationException("On purpose.")).Join();
        Assert.Contains(log.Lines, static line =>
            line.StartsWith("Warming up has failed: System.InvalidOperationException: On purpose.",
                StringComparison.Ordinal));
    }
}
