using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>What is asked at a checkpoint about the consumer groups of a stream, their consumers and their
/// pending entries, without the times.</summary>
internal static partial class StreamGroups
{
    /// <summary>An entry delivered longer ago than this got its time by IDLE or TIME: no stream runs that
    /// long, and no two servers agree on the milliseconds.</summary>
    public const long LongIdleMs = 500_000;

    private const string CountMax = "1000000";

    // What the time decides: when a consumer was seen, when an entry was delivered.
    private static readonly string[] s_times = ["idle", "inactive", "seen-time", "active-time"];

    /// <summary>The questions about the groups of a stream.</summary>
    /// <param name="call">Asks a server that knows them.</param>
    /// <param name="key">The stream's key.</param>
    public static IEnumerable<string[]> Probes(Func<string[], RespValue> call, string key)
    {
        yield return ["XINFO", "GROUPS", key];
        foreach (RespValue group in call(["XINFO", "GROUPS", key]).Items)
        {
            string name = group["name"]!.Text;
            yield return ["XINFO", "CONSUMERS", key, name];
            yield return ["XPENDING", key, name];
            yield return ["XPENDING", key, name, "-", "+", CountMax];
        }
    }

    /// <summary>Whether a command is one of these questions, or any about pending entries.</summary>
    public static bool IsQuestion(string[] words) => words is ["XINFO", "GROUPS" or "CONSUMERS", ..]
        || (IsPending(words) && words.Length > 3);

    /// <summary>The reply without times, or only roughly: a group or a consumer a line, or a pending
    /// entry.</summary>
    public static string Comparable(string[] words, RespValue reply)
    {
        if (reply.Items.Count == 0)
            return reply.ToString();
        IEnumerable<string> lines = IsPending(words)
            ? reply.Items.Select(static entry =>
                $"{entry.Items[0]} {entry.Items[1]} {RoughIdle(entry.Items[2])} {entry.Items[3]}")
            : reply.Items.Select(static about => string.Join(' ', about.Items.Chunk(2)
                .Where(static pair => !s_times.Contains(pair[0].Text))
                .Select(static pair => $"{pair[0].Text}={pair[1]}")));
        return $"{reply.Kind}\n{string.Join('\n', lines)}";
    }

    /// <summary>How long ago an entry was delivered, as far as two servers must agree on it: lately, as long
    /// as IDLE says, or in the year that TIME says.</summary>
    public static string RoughIdle(RespValue ms) => ms.Integer switch
    {
        < LongIdleMs => "short",
        < 1000 * LongIdleMs => "long",
        _ => "years",
    };

    /// <summary>
    /// Whether two such replies differ only in what newer versions do: since Redis 7.2 commands make their
    /// consumer even if they find nothing for it, since 7.4.2 and 8.0 more is known of what a group has read.
    /// </summary>
    /// <param name="words">The question.</param>
    /// <param name="redis">What Redis 7.0 said, as <see cref="Comparable"/> has it.</param>
    /// <param name="ours">What we said.</param>
    public static bool AreAsGoodAsOld(string[] words, string redis, string ours)
    {
        if (words is ["XINFO", "GROUPS", ..])
            return NewerPattern().Replace(redis, "") == NewerPattern().Replace(ours, "");
        if (words is not ["XINFO", "CONSUMERS", ..])
            return false;
        string[] theirs = Lines(redis);
        string[] mine = Lines(ours);
        return !theirs.Except(mine).Any() && mine.Except(theirs).All(static line =>
            line.EndsWith(" pending=:0", StringComparison.Ordinal));
    }

    private static bool IsPending(string[] words) =>
        words[0].Equals("XPENDING", StringComparison.OrdinalIgnoreCase);

    private static string[] Lines(string text) => [.. text.Split('\n').Skip(1)];

    [GeneratedRegex(@" ?\b(consumers|entries-read|lag)=\S+")]
    private static partial Regex NewerPattern();
}
