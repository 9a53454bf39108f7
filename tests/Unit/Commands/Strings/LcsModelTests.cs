using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Commands;
using Xunit;

namespace Cinnabar.Tests.Unit.Commands.Strings;

/// <summary>LCS against the whole table, and its limits.</summary>
public sealed class LcsModelTests
{
    [Fact]
    public void RandomStringsAgreeWithTheWholeTable() => Seeded.Run(3, seed =>
    {
        var random = new RandomSource(seed);
        using CommandHarness harness = DataCommands.NewHarness();
        for (int round = 0; round < 150; round++)
        {
            string a = Text(ref random);
            string b = Text(ref random);
            harness.RunWords("MSET", "a", a, "b", b);
            (string text, string matches) = Model(a, b);
            Assert.Equal($"$\"{text}\"", Transcript.Run(harness, "LCS a b"));
            Assert.Equal($":{text.Length}", Transcript.Run(harness, "LCS a b LEN"));
            string expected = $"*[$\"matches\", *[{matches}], $\"len\", :{text.Length}]";
            Assert.Equal(expected, Transcript.Run(harness, "LCS a b IDX WITHMATCHLEN"));
        }
    });

    [Fact]
    public void AStringInBlocksWorks()
    {
        using CommandHarness harness = DataCommands.NewHarness();
        harness.RunWords("SET", "a", new string('x', 70_000) + "abc");
        harness.RunWords("SET", "b", "zabc");
        Assert.Equal("$\"abc\"", Transcript.Run(harness, "LCS a b"));
        Assert.Equal("$\"abc\"", Transcript.Run(harness, "LCS b a"));
        string expected = "*[$\"matches\", *[*[*[:1, :3], *[:70000, :70002]]], $\"len\", :3]";
        Assert.Equal(expected, Transcript.Run(harness, "LCS b a IDX"));
    }

    [Fact]
    public void TooMuchWorkIsRefusedAsInRedis()
    {
        const string error =
            "-ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len";
        using CommandHarness harness = DataCommands.NewHarness();
        harness.RunWords("MSET", "a", new string('x', 2000), "b", new string('y', 2000));
        Assert.Equal(":0", Transcript.Run(harness, "LCS a b LEN"));
        Assert.Equal(1, harness.SlowLaneCount);
        harness.Execution.StringLengthMax = (2001 * 2001 * 4) - 1;
        Assert.Equal(error, Transcript.Run(harness, "LCS a b LEN"));
        Assert.Equal(error, Transcript.Run(harness, "LCS a b"));
        Assert.Equal(error, Transcript.Run(harness, "LCS a b IDX"));
        harness.Execution.StringLengthMax++;
        Assert.Equal("$\"\"", Transcript.Run(harness, "LCS a b"));
    }

    private static string Text(ref RandomSource random)
    {
        var text = new char[random.NextBelow(60)];
        uint letterCount = (uint)(1 + random.NextBelow(4));
        for (int index = 0; index < text.Length; index++)
            text[index] = (char)('a' + random.NextBelow(letterCount));
        return new string(text);
    }

    private static (string Text, string Matches) Model(string a, string b)
    {
        var table = new int[a.Length + 1, b.Length + 1];
        for (int i = 1; i <= a.Length; i++)
        {
            for (int j = 1; j <= b.Length; j++)
            {
                table[i, j] = a[i - 1] == b[j - 1]
                    ? table[i - 1, j - 1] + 1
                    : Math.Max(table[i - 1, j], table[i, j - 1]);
            }
        }

        List<(int I, int J)> pairs = Walk(a, b, table);
        var text = new string([.. Enumerable.Reverse(pairs).Select(pair => a[pair.I])]);
        return (text, string.Join(", ", Runs(pairs)));
    }

    private static List<(int I, int J)> Walk(string a, string b, int[,] table)
    {
        List<(int I, int J)> pairs = [];
        for (int i = a.Length, j = b.Length; i > 0 && j > 0;)
        {
            if (a[i - 1] == b[j - 1])
                pairs.Add((--i, --j));
            else if (table[i - 1, j] > table[i, j - 1])
                i--;
            else
                j--;
        }

        return pairs;
    }

    private static List<string> Runs(List<(int I, int J)> pairs)
    {
        List<string> runs = [];
        for (int last = 0; last < pairs.Count;)
        {
            int first = last;
            while (first + 1 < pairs.Count && pairs[first + 1] == (pairs[first].I - 1, pairs[first].J - 1))
                first++;
            string aRun = $"*[:{pairs[first].I}, :{pairs[last].I}]";
            string bRun = $"*[:{pairs[first].J}, :{pairs[last].J}]";
            runs.Add($"*[{aRun}, {bRun}, :{first - last + 1}]");
            last = first + 1;
        }

        return runs;
    }
}
