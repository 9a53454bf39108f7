using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Resp;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Differential.Resp;

public sealed class GlobOracleTests(OracleSession oracle) : IClassFixture<OracleSession>
{
    private const int PatternCount = 2_000;
    private const int TextCount = 40;

    /// <summary>KEYS finds the same keys: 80,000 pairs of patterns and texts of few different
    /// bytes.</summary>
    [Fact]
    public void MatchesAsTheOracle()
    {
        oracle.Require();
        Seeded.Run(1, seed => Match(new Random((int)seed)));
    }

    /// <summary>CONFIG GET ignores case where a pattern has a star, a question mark or a bracket.</summary>
    [Theory]
    [InlineData("MAXMEMORY-S*")]
    [InlineData("maxmemory-[R-T]amples")]
    [InlineData("maxmemory-[t-R]amples")]
    [InlineData("maxmemory-[^S]amples")]
    [InlineData("maxmemory-\\Sample*")]
    [InlineData("maxmemory-[\\S]amples")]
    [InlineData("maxmemory-[\\s]amples")]
    [InlineData("maxmemory-[Z-a]amples")]
    public void IgnoresCaseAsTheOracle(string pattern)
    {
        oracle.Require();
        Reply reply = oracle.Ask("CONFIG", "GET", pattern);
        bool isFound = reply.Items.Any(item => item.Text == "maxmemory-samples");
        bool isMatch = GlobPattern.Matches(Encoding.ASCII.GetBytes(pattern), "maxmemory-samples"u8, true);
        Assert.Equal(isFound, isMatch);
    }

    private void Match(Random random)
    {
        string[] texts = [.. Picks(random, TextCount, "abcAB-]\\^*", 8).Append("").Distinct()];
        string[] patterns = [.. Picks(random, PatternCount, "abcA??**[[]]\\^-a-b", 14)];
        oracle.Ask("FLUSHALL");
        oracle.Ask(texts.Select(text => new[] { "SET"u8.ToArray(), Encoding.Latin1.GetBytes(text), [] }));
        List<Reply> replies = oracle.Ask(patterns.Select(
            pattern => new[] { "KEYS"u8.ToArray(), Encoding.Latin1.GetBytes(pattern) }));
        for (int index = 0; index < patterns.Length; index++)
        {
            // KEYS * asks no matcher.
            byte[] pattern = Encoding.Latin1.GetBytes(patterns[index]);
            bool isAll = patterns[index] == "*";
            IEnumerable<string> expected = replies[index].Items.Select(item => item.Text);
            IEnumerable<string> actual = texts
                .Where(text => isAll || GlobPattern.Matches(pattern, Encoding.Latin1.GetBytes(text)));
            Assert.True(
                expected.ToHashSet().SetEquals(actual),
                $"{patterns[index]}: [{string.Join(" ", expected)}], not [{string.Join(" ", actual)}]");
        }
    }

    private static IEnumerable<string> Picks(Random random, int count, string alphabet, int lengthMax)
        => Enumerable.Range(0, count).Select(_ => Pick(random, alphabet, lengthMax));

    private static string Pick(Random random, string alphabet, int lengthMax)
    {
        char[] text = new char[random.Next(1, lengthMax)];
        for (int index = 0; index < text.Length; index++)
        {
            text[index] = alphabet[random.Next(alphabet.Length)];
        }

        return new string(text);
    }
}
