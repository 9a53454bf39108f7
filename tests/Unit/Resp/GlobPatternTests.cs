using System.Linq;
using System.Text;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Resp;

public sealed class GlobPatternTests
{
    [Theory]
    [InlineData("*", "abc", true)]
    [InlineData("*", "", false)]
    [InlineData("", "", true)]
    [InlineData("", "a", false)]
    [InlineData("a*", "a", true)]
    [InlineData("a**", "a", true)]
    [InlineData("h?llo", "hello", true)]
    [InlineData("h?llo", "hllo", false)]
    [InlineData("h*llo", "hllo", true)]
    [InlineData("h*llo", "heeeello", true)]
    [InlineData("h[ae]llo", "hallo", true)]
    [InlineData("h[ae]llo", "hillo", false)]
    [InlineData("h[^e]llo", "hallo", true)]
    [InlineData("h[^e]llo", "hello", false)]
    [InlineData("h[a-b]llo", "hbllo", true)]
    [InlineData("h[b-a]llo", "hallo", true)]
    [InlineData("h[a-b]llo", "hcllo", false)]
    [InlineData("\\*", "*", true)]
    [InlineData("\\*", "a", false)]
    [InlineData("a\\", "a\\", true)]
    [InlineData("[\\]]", "]", true)]
    [InlineData("[]a", "a", false)]
    [InlineData("[^]a", "xa", true)]
    [InlineData("[ab", "b", true)]
    [InlineData("[a-", "-", true)]
    [InlineData("[a-]", "]", true)]
    [InlineData("*a*b*c", "xxaxbxbxc", true)]
    [InlineData("*a*b*c", "xxaxbxbx", false)]
    [InlineData("ABC", "abc", false)]
    public void Matches(string pattern, string text, bool expected)
        => Assert.Equal(expected, GlobPattern.Matches(Bytes(pattern), Bytes(text)));

    [Theory]
    [InlineData("ABc*", "abCd", true)]
    [InlineData("[A-C]", "b", true)]
    [InlineData("[^B]", "b", false)]
    [InlineData("\\A", "a", true)]
    [InlineData("[\\A]", "a", false)]
    public void IgnoresCase(string pattern, string text, bool expected)
        => Assert.Equal(expected, GlobPattern.Matches(Bytes(pattern), Bytes(text), ignoreCase: true));

    /// <summary>Takes ages in a matcher that tries every split at every star.</summary>
    [Fact]
    public void HostilePatternsStayPolynomial()
    {
        byte[] text = Bytes(new string('a', 20_000));
        Assert.False(GlobPattern.Matches(Repeat("a*", 100, "b"), text));
        Assert.False(GlobPattern.Matches(Repeat("*[a]?", 900, "b"), text));
        Assert.True(GlobPattern.Matches(Repeat("*a", 900, ""), text));
    }

    private static byte[] Repeat(string piece, int count, string end)
        => Bytes(string.Concat(Enumerable.Repeat(piece, count)) + end);

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    [Theory]
    [InlineData(1000, 1, true)]
    [InlineData(1001, 1, false)]
    [InlineData(1000, 3, true)]
    [InlineData(1001, 3, false)]
    public void NothingMatchesBehindTheThousandthRunOfStars(int runCount, int starCount, bool isMatch)
    {
        string piece = new string('*', starCount) + "?";
        byte[] pattern = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(piece, runCount)));
        byte[] text = Encoding.ASCII.GetBytes(new string('a', runCount));
        Assert.Equal(isMatch, GlobPattern.Matches(pattern, text));
        Assert.Equal(isMatch, GlobPattern.Matches([.. pattern, (byte)'*'], text));
    }
}
