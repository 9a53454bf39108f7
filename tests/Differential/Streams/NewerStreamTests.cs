using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>
/// What newer versions have added, at random, beside a newer server: only where CINNABAR_ORACLE names one,
/// which Debian does not have.
/// </summary>
public sealed class NewerStreamTests
{
    private const int CommandsPerCheckpoint = 200;
    private const int SecondsDefault = 5;
    private const int CommandCountMax = 40_000;

    // Commands, and options of commands, that the stream has.
    private const int NameCount = 42;

    private static readonly string[] s_times =
        ["TTL", "PTTL", "HTTL", "HPTTL", "EXPIRETIME", "PEXPIRETIME", "HEXPIRETIME", "HPEXPIRETIME"];

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAndContentsAreThoseOfANewerServer(int protocol)
    {
        Assert.SkipUnless(OracleServer.IsNamed, "CINNABAR_ORACLE names no newer server");
        using Duel duel = Duel.Start(SecondsDefault, protocol);
        duel.Comparable = Contents.Comparable;
        duel.IsAllowed = (words, theirs, ours) => AreSameTimes(words, theirs, ours)
            || StreamDifferences.IsAllowed(isOld: false, words, Contents.Comparable(words, theirs),
                Contents.Comparable(words, ours));
        var stream = new NewerStream(duel.Seed, duel.AskRedis);
        Assert.SkipUnless(stream.Names.Any(), "the server that CINNABAR_ORACLE names is not newer");
        for (int count = 1; duel.GoesOn; count++)
        {
            duel.Call(stream.Next().Words);
            if (count % CommandsPerCheckpoint != 0)
                continue;
            foreach (string[] words in Contents.Probes(duel.AskRedis, 0))
                duel.Probe(words);
            foreach (string key in (string[])["h0", "h1"])
                duel.Probe("HPEXPIRETIME", key, "FIELDS", "4", "f0", "f1", "f2", "f3");
        }
    }

    [Fact]
    public void EverythingThatIsNewerIsCarriedOut()
    {
        using var server = new OwnServer();
        RespClient ours = server.Connect(protocol: 3);
        var stream = new NewerStream(seed: 1, words => ours.Call(words));
        HashSet<string> missing = [.. stream.Names];
        Assert.Equal(NameCount, missing.Count);
        for (int count = 0; count < CommandCountMax && missing.Count > 0; count++)
        {
            (string name, string[] words) = stream.Next();
            if (ours.Call(words).Kind != '-')
                missing.Remove(name);
        }

        Assert.Empty(missing);
    }

    // Nothing that is newer is asked of the server that is the oracle of all other tests.
    [Fact]
    public void RedisOfDebianHasNothingOfIt()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        redis.Call("HELLO", "3");
        Assert.Empty(new NewerStream(seed: 1, words => redis.Call(words)).Names);
    }

    // Times that are left, or that were reckoned from them, hang on when a server got the command.
    private static bool AreSameTimes(string[] words, RespValue theirs, RespValue ours)
    {
        string name = words[0].ToUpperInvariant();
        if (!s_times.Contains(name))
            return false;
        string plain = name[0] == 'H' ? name[1..] : name;
        if (theirs.Items.Count == 0)
            return Contents.AreSameDeadlines(plain, $"{theirs}", $"{ours}");
        return theirs.Items.Count == ours.Items.Count && theirs.Items.Zip(ours.Items).All(pair =>
            $"{pair.First}" == $"{pair.Second}"
            || Contents.AreSameDeadlines(plain, $"{pair.First}", $"{pair.Second}"));
    }
}
