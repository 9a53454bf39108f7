using Cinnabar.Engine.Configuration;
using Xunit;

namespace Cinnabar.Tests.Unit.Configuration;

public sealed class ConfigurationTextTests
{
    [Theory]
    [InlineData("a b  c\t d", "a|b|c|d")]
    [InlineData("\"a b\" 'c d'", "a b|c d")]
    [InlineData("\"a\\n\\x41\\\"\\\\\\q\"", "a\nA\"\\q")]
    [InlineData("'it\\'s \\n'", "it's \\n")]
    [InlineData("\"\" ''", "|")]
    [InlineData("ab\"c d\"", "abc d")]
    [InlineData("  ", null)]
    public void SplitsIntoWords(string line, string? words) =>
        Assert.Equal(words?.Split('|') ?? [], ConfigurationText.Split(line)!);

    [Theory]
    [InlineData("\"a")]
    [InlineData("'a")]
    [InlineData("\"a\"b")]
    [InlineData("a 'b'c")]
    [InlineData("\"a\\\"")]
    public void RejectsUnbalancedQuotes(string line) => Assert.Null(ConfigurationText.Split(line));

    [Fact]
    public void QuotedTextsOfAllBytesComeBack()
    {
        for (int first = 0; first < 256; first++)
        {
            string text = $"{(char)first} x{(char)(255 - first)}\\x4";
            Assert.Equal([text], ConfigurationText.Split(ConfigurationText.Quote(text))!);
        }
        Assert.Equal("\"x\\\"y\\n\"", ConfigurationText.Quote("x\"y\n"));
    }

    [Theory]
    [InlineData("0", 0)]
    [InlineData("", 0)]
    [InlineData("k", 0)]
    [InlineData("1b", 1)]
    [InlineData("1k", 1000)]
    [InlineData("1KB", 1024)]
    [InlineData("2m", 2_000_000)]
    [InlineData("2Mb", 2 << 20)]
    [InlineData("1g", 1_000_000_000)]
    [InlineData("1gb", 1 << 30)]
    public void ReadsMemoryUnits(string text, ulong bytes)
    {
        Assert.True(MemoryText.TryParse(text, out ulong read));
        Assert.Equal(bytes, read);
    }

    [Theory]
    [InlineData("-1")]
    [InlineData("1t")]
    [InlineData("99999999999999999999")]
    [InlineData("99999999999999999gb")]
    public void RejectsOtherMemoryTexts(string text) => Assert.False(MemoryText.TryParse(text, out _));

    [Fact]
    public void WritesMemoryInTheLargestExactUnit()
    {
        Assert.Equal("0", MemoryText.Format(0));
        Assert.Equal("100mb", MemoryText.Format(100UL << 20));
        Assert.Equal("4kb", MemoryText.Format(4096));
        Assert.Equal("1gb", MemoryText.Format(1UL << 30));
        Assert.Equal("1500", MemoryText.Format(1500));
    }
}
