using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Resp;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Resp;

public sealed class GlobOracleTests
{
    private const int PatternCount = 2_000;
    private const int TextCount = 40;

    private static readonly string[] s_configurationPatterns =
    [
        "MAXMEMORY-S*", "maxmemory-[R-T]amples", "maxmemory-[t-R]amples", "maxmemory-[^S]amples",
        "maxmemory-\\Sample*", "maxmemory-[\\S]amples", "maxmemory-[\\s]amples", "maxmemory-[Z-a]amples",
    ];

    /// <summary>KEYS finds the same keys: 80,000 pairs of patterns and texts of few different
    /// bytes.</summary>
    [Fact]
    public void MatchesAsTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        Seeded.Run(1, seed => Match(client, new Random((int)seed)));
    }

    /// <summary>CONFIG GET ignores case where a pattern has a star, a question mark or a bracket.</summary>
    [Fact]
    public void IgnoresCaseAsTheOracle()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        foreach (string pattern in s_configurationPatterns)
        {
            RespValue reply = client.Call("CONFIG", "GET", pattern);
            bool isFound = reply.Items.Any(item => item.Text == "maxmemory-samples");
            byte[] bytes = Encoding.ASCII.GetBytes(pattern);
            bool isMatch = GlobPattern.Matches(bytes, "maxmemory-samples"u8, true);
            Assert.True(isFound == isMatch, $"{pattern}: {isFound}, not {isMatch}");
        }
    }

    private static void Match(RespClient client, Random random)
    {
        string[] texts = [.. Picks(random, TextCount, "abcAB-]\\^*", 8).Append("").Distinct()];
        string[] patterns = [.. Picks(random, PatternCount, "abcA??**[[]]\\^-a-b", 14)];
        client.Call("FLUSHALL");
        client.CallAll(texts.Select(text => new[] { "SET"u8.ToArray(), Encoding.Latin1.GetBytes(text), [] }));
        RespValue[] replies = client.CallAll(patterns.Select(
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
