using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Journaling;

/// <summary>Recorded commands, to be compared between servers whose clocks differ a little.</summary>
internal static class RecordedText
{
    private const long EarliestMs = 1_600_000_000_000;
    private const long ToleranceMs = 120_000;

    /// <summary>The commands of a text, as words in lower case.</summary>
    public static List<string[]> CommandsOf(byte[] text)
    {
        List<string[]> commands = [];
        using var stream = new MemoryStream(text);
        var reader = new RespReader(stream);
        while (stream.Position < stream.Length)
            commands.Add([.. reader.Read().Items.Select(static item => item.Text.ToLowerInvariant())]);
        return commands;
    }

    /// <summary>Whether two records are the same but for the clocks.</summary>
    public static bool AreEqual(List<string[]> first, List<string[]> second) =>
        first.Count == second.Count && first.Zip(second).All(static pair =>
            pair.First.Length == pair.Second.Length && pair.First.Zip(pair.Second).All(AreEqual));

    /// <summary>Commands on one line.</summary>
    public static string Shown(List<string[]> commands) =>
        string.Join("; ", commands.Select(static words => string.Join(' ', words)));

    private static bool AreEqual((string First, string Second) words) => words.First == words.Second
        || (TryTime(words.First, out long first) && TryTime(words.Second, out long second)
            && Math.Abs(first - second) < ToleranceMs);

    private static bool TryTime(string word, out long timeMs) =>
        long.TryParse(word, out timeMs) && timeMs > EarliestMs;
}
