using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Events;

/// <summary>The events of random commands, all classes on, are those of redis-server, order
/// included.</summary>
public sealed class EventOracleTests
{
    private const int CommandCount = 1500;
    private const int CommandCountOfClass = 200;
    private const string AllClasses = "KEAmn";
    private const string Classes = "g$lshzxetdmn";

    /// <summary>The families of commands.</summary>
    public static TheoryData<string> Families => [.. CommandFamily.Names];

    [Theory]
    [MemberData(nameof(Families))]
    public void EventsAreThoseOfRedis(string family)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start();
        using OracleServer own = OracleServer.StartOwn("--io-threads", "1");
        Seeded.Run(4, seed => Compare((redis, own), family, (int)seed, CommandCount, AllClasses));
    }

    private static void Compare((OracleServer Redis, OracleServer Own) servers, string family, int seed,
        int commandCount, string classes)
    {
        using var theirs = new ServerEvents(servers.Redis, classes);
        using var ours = new ServerEvents(servers.Own, classes);
        var stream = new CommandStream(words => theirs.Ask(words), seed, CommandFamily.CommandsOf(family));
        var transaction = new Queued();
        List<string> differences = [];
        List<string> early = [];
        for (int count = 0; count < commandCount; count++)
        {
            string[] words = stream.Next();
            (string reply, List<string> expected) = theirs.Call(words);
            (string ownReply, List<string> actual) = ours.Call(words);
            transaction.Note(words);
            Allow(words, expected, actual, early);
            if (transaction.HasSort)
            {
                expected.RemoveAll(IsMiss);
                actual.RemoveAll(IsMiss);
            }

            if (reply == ownReply && !transaction.HasOldDeadline && !expected.SequenceEqual(actual))
                differences.Add($"{string.Join(' ', words)} ({reply} | {ownReply}):\n"
                    + $"  {string.Join(", ", expected)}\n  {string.Join(", ", actual)}");
        }

        Assert.True(differences.Count == 0,
            $"{classes}, {differences.Count}: {string.Join("\n", differences.Take(20))}");
    }

    /// <summary>The events of what no stream has: clients that wait, scripts, keys from
    /// outside.</summary>
    [Fact]
    public void EventsOfOtherCausesAreThoseOfRedis()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start();
        using OracleServer own = OracleServer.StartOwn("--io-threads", "1");
        CompareOtherCauses(redis, own, AllClasses);
    }

    private static void CompareOtherCauses(OracleServer redis, OracleServer own, string classes)
    {
        using var theirs = new ServerEvents(redis, classes);
        using var ours = new ServerEvents(own, classes);
        foreach (string[] words in EventCauses.All)
        {
            (string reply, List<string> expected) = theirs.Call(words);
            (string ownReply, List<string> actual) = ours.Call(words);
            if (words.Contains("XREAD"))
                DropRepeatedMisses(expected);
            string what = $"{classes}, {string.Join(' ', words)}: ";
            Assert.Equal($"{what}{reply} {string.Join(", ", expected)}",
                $"{what}{ownReply} {string.Join(", ", actual)}");
        }
    }

    /// <summary>Each event is of the class of which it is in redis-server.</summary>
    [Theory]
    [MemberData(nameof(Families))]
    public void EachEventIsOfItsClass(string family)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start();
        using OracleServer own = OracleServer.StartOwn("--io-threads", "1");
        Seeded.Run(1, seed =>
        {
            foreach (char letter in Classes)
                Compare((redis, own), family, (int)seed, CommandCountOfClass, $"E{letter}");
        });
    }

    /// <summary>So is each of what no stream has, on either channel.</summary>
    [Fact]
    public void EachEventOfOtherCausesIsOfItsClass()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start();
        using OracleServer own = OracleServer.StartOwn("--io-threads", "1");
        foreach (char letter in Classes)
        {
            CompareOtherCauses(redis, own, $"K{letter}");
            CompareOtherCauses(redis, own, $"E{letter}");
        }
    }

    private static void Allow(
        string[] words, List<string> expected, List<string> actual, List<string> early)
    {
        string name = words[0].ToLowerInvariant();
        // Redis 7.0 looks a stream up twice.
        if (name is "xread" or "xreadgroup" or "exec")
        {
            DropRepeatedMisses(expected);
            DropRepeatedMisses(actual);
        }

        // Keys with a deadline in the past, which Redis 7.0 stores.
        expected.RemoveAll(static line => line.Contains("expired", StringComparison.Ordinal));
        // Since Redis 7.2 a claim makes its consumer even if it finds nothing for it. Asked for later, it is
        // new in 7.0 only, and deleted before, it was there here only.
        if (!actual.Exists(IsNewConsumer))
        {
            expected.RemoveAll(line => IsNewConsumer(line) && early.Remove(line));
        }
        else if (!expected.Exists(IsNewConsumer))
        {
            early.AddRange(actual.Where(IsNewConsumer));
            actual.RemoveAll(IsNewConsumer);
        }

        if (!expected.Exists(IsDeletedConsumer))
            actual.RemoveAll(IsDeletedConsumer);
    }

    private static void DropRepeatedMisses(List<string> events)
    {
        var seen = new HashSet<string>();
        events.RemoveAll(line =>
        {
            if (!IsMiss(line))
                seen.Clear();
            return IsMiss(line) && !seen.Add(line);
        });
    }

    private static bool IsMiss(string line) => line.Contains("keymiss", StringComparison.Ordinal);

    private static bool IsNewConsumer(string line) =>
        line.Contains("xgroup-createconsumer", StringComparison.Ordinal);

    private static bool IsDeletedConsumer(string line) =>
        line.Contains("xgroup-delconsumer", StringComparison.Ordinal);

    /// <summary>What of a command, or of those that EXEC runs, cannot be predicted.</summary>
    private sealed class Queued
    {
        private bool _isInTransaction;

        /// <summary>Of SET with a deadline in the past Redis 7.0 makes a key that has expired.</summary>
        public bool HasOldDeadline { get; private set; }

        /// <summary>SORT reads the weights of a set's members in the order of the set, up to the first that
        /// is none.</summary>
        public bool HasSort { get; private set; }

        public void Note(string[] words)
        {
            string name = words[0].ToLowerInvariant();
            if (name != "exec" && !_isInTransaction)
                (HasOldDeadline, HasSort) = (false, false);
            HasSort |= name is "sort" or "sort_ro";
            HasOldDeadline |= name is "set" or "getex" && Array.Exists(words, static word =>
                word.Equals("exat", StringComparison.OrdinalIgnoreCase)
                || word.Equals("pxat", StringComparison.OrdinalIgnoreCase));
            if (name is "multi" or "exec" or "discard")
                _isInTransaction = name == "multi";
        }
    }
}
