using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Differential.Streams;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Tracking;

/// <summary>The invalidations that random commands of two clients bring to one that tracks are those of
/// redis-server, order included.</summary>
public sealed class TrackingOracleTests
{
    private const int CommandCount = 1200;

    // Within a transaction no reply ends what is compared: RawReplyTests has one. SWAPDB differs, and so do
    // the keys of an XREAD whose arguments are wrong.
    private static readonly string[] s_excluded = ["multi", "exec", "discard", "swapdb", "xread"];

    private static readonly HashSet<string> s_deadlines =
    [
        "ex", "px", "exat", "pxat", "getex", "setex", "psetex", "msetex", "expire", "pexpire", "expireat",
        "pexpireat",
    ];

    /// <summary>The families of commands with each mode.</summary>
    public static TheoryData<string, string> Modes => new()
    {
        { "strings", "" }, { "lists", "" }, { "sets", "" }, { "sortedsets", "BCAST" },
        { "streams", "OPTOUT" }, { "mixed", "BCAST PREFIX k1 PREFIX k2 NOLOOP" }, { "mixed", "" },
    };

    [Theory]
    [MemberData(nameof(Modes))]
    public void InvalidationsAreThoseOfRedis(string family, string mode)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start();
        Seeded.Run(1, seed => Compare(redis, family, mode, (int)seed));
    }

    private static void Compare(OracleServer redis, string family, string mode, int seed)
    {
        using RespClient theirs = redis.Connect();
        using RespClient theirWriter = redis.Connect();
        using var server = new OwnServer();
        RespClient ours = server.Connect(protocol: 3);
        RespClient ourWriter = server.Connect();
        string[] track =
            ["CLIENT", "TRACKING", "ON", .. mode.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        theirWriter.Call("FLUSHALL");
        theirs.Call("HELLO", "3");
        theirs.Call(track);
        ours.Call(track);
        var random = new Random(seed);
        var stream = new CommandStream(words => theirWriter.Call(words), seed,
            CommandFamily.CommandsOf(family).Except(s_excluded));
        List<string> differences = [];
        for (int count = 0; count < CommandCount; count++)
        {
            string[] words = stream.Next();
            if (Array.Exists(words, IsOfDeadline) || HasBadCount(words))
                continue;
            bool isOwn = random.Next(2) == 0;
            if (!isOwn)
            {
                theirWriter.Call(words);
                ourWriter.Call(words);
            }

            string expected = Pushes(theirs, isOwn ? words : ["PING"]);
            string actual = Pushes(ours, isOwn ? words : ["PING"]);
            string sender = isOwn ? "own" : "other";
            if (expected != actual)
                differences.Add($"{sender} {string.Join(' ', words)}\n  {expected}\n  {actual}");
        }

        Assert.True(differences.Count == 0,
            $"{differences.Count}: {string.Join("\n", differences.Take(20))}");
    }

    private static string Pushes(RespClient client, string[] words)
    {
        client.Send(words);
        List<RespValue> replies = [];
        do
            replies.Add(client.Read());
        while (replies[^1].Kind == '>');
        client.Send("ECHO", "end");
        do
            replies.Add(client.Read());
        while (replies[^1].Text != "end");
        return string.Join(' ', replies.Select(Shown));
    }

    // Other tests compare replies.
    private static string Shown(RespValue reply) => reply.Kind == '>' ? $"{reply}" : "reply";

    // A count of keys with a sign or a fraction is an error; Redis tracks the keys behind it nevertheless.
    private static bool HasBadCount(string[] words) => words.Length > 1
        && words[1] is ['+' or (>= '0' and <= '9'), ..] && !words[1].All(char.IsAsciiDigit);

    // When a key expires, and what is done with a deadline in the past, is another matter.
    private static bool IsOfDeadline(string word) => s_deadlines.Contains(word.ToLowerInvariant());
}
