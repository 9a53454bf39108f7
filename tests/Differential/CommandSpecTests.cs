using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential;

/// <summary>
/// Compares the specs with COMMAND INFO and COMMAND DOCS of redis-server, field by field. What is
/// different stands in <see cref="SpecDifferences"/>, each with its reason; a line there that is not
/// needed is an error.
/// </summary>
public sealed class CommandSpecTests
{
    [Fact]
    public void SpecsSayWhatRedisSays()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        CommandFacts theirs = CommandFacts.Of(client);
        CommandFacts ours = CommandFacts.OfSpecs();

        List<string> unexpected = [];
        HashSet<string> unneeded = [.. SpecDifferences.Fields.Keys];
        foreach ((string field, string fact) in ours.Facts)
        {
            if (!theirs.Facts.TryGetValue(field, out string? theirFact) || theirFact == fact) continue;
            if (!unneeded.Remove(field)) unexpected.Add($"{field}:\n  redis {theirFact}\n  spec  {fact}");
        }

        Assert.True(unexpected.Count == 0, string.Join("\n", unexpected));
        Assert.Empty(unneeded);
    }

    [Fact]
    public void WhatOneSideLacksIsKnown()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        CommandFacts theirs = CommandFacts.Of(client);
        CommandFacts ours = CommandFacts.OfSpecs();

        string[] newer = [.. ours.Names.Except(theirs.Names)];
        Assert.Equal(SpecDifferences.Newer.Order(StringComparer.Ordinal), newer);
        foreach (string name in newer)
        {
            var since = Version.Parse(ours.Facts[name + " since"][1..]);
            Assert.True(since > new Version(7, 0, 15), $"{name} is not newer than the oracle");
        }

        // Commands come with their types; but a container that exists has all subcommands except these.
        IEnumerable<string> missing = theirs.Names
            .Where(name => name.Contains('|') && ours.Names.Contains(name.Split('|')[0]))
            .Except(ours.Names);
        Assert.Equal(SpecDifferences.SubcommandsNotYet.Order(StringComparer.Ordinal), missing);
    }
}
