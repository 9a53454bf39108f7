using System.Linq;
using System.Text;
using Cinnabar.Persistence.Journal;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Journal;

/// <summary>Manifests are Redis's, with its errors.</summary>
public sealed class AofManifestTests
{
    private const string Name = "appendonly.aof";

    [Fact]
    public void ARewriteMovesWhatItReplacesToTheHistory()
    {
        AofManifest manifest = AofManifest.Empty.WithBase(Name, isSnapshot: true).WithIncrement(Name);
        Assert.Equal("""
            file appendonly.aof.1.base.rdb seq 1 type b
            file appendonly.aof.1.incr.aof seq 1 type i

            """, Text(manifest));
        manifest = manifest.WithIncrement(Name);
        Assert.Equal(["appendonly.aof.1.base.rdb", "appendonly.aof.1.incr.aof", "appendonly.aof.2.incr.aof"],
            manifest.Loaded.Select(file => file.Name));
        manifest = manifest.WithBase(Name, isSnapshot: false).WithoutIncrements(keptCount: 1);
        Assert.Equal("""
            file appendonly.aof.2.base.aof seq 2 type b
            file appendonly.aof.1.incr.aof seq 1 type h
            file appendonly.aof.1.base.rdb seq 1 type h
            file appendonly.aof.2.incr.aof seq 2 type i

            """, Text(manifest));
        manifest = manifest.WithoutHistory().WithoutIncrements(keptCount: 0).WithIncrement(Name);
        Assert.Equal("appendonly.aof.3.incr.aof", manifest.Increments[^1].Name);
    }

    [Theory]
    [InlineData("file a.1.base.rdb seq 1 type b\nfile a.3.incr.aof seq 3 type i\n")]
    [InlineData("file \"a b\\\"\\n\\r\\t\\a\\b\\x00.1.base.rdb\" seq 1 type b\n")]
    [InlineData("file \"\\xc3\\xa9.1.base.rdb\" seq 1 type b\n")]
    public void AManifestIsWrittenAsItWasRead(string text) =>
        Assert.Equal(text, Text(AofManifest.Parse(Encoding.Latin1.GetBytes(text))));

    [Theory]
    [InlineData("file \"a\\x0ab\" seq 1 type b\n", "a\nb")]
    [InlineData("file 'a\\'b c' seq 1 type b\n", "a'b c")]
    [InlineData("file \"\\xc3\\xa9\" seq 1 type b\n", "\u00e9")]
    public void ANameMayBeQuotedInSeveralWays(string text, string name) =>
        Assert.Equal(name, AofManifest.Parse(Encoding.Latin1.GetBytes(text)).Base!.Name);

    [Fact]
    public void WordsOfLaterVersionsAndCommentsAreSkipped()
    {
        AofManifest manifest = AofManifest.Parse(
            "# a comment\r\n  FILE a seq 7 type i startoffset 12 endoffset 99\n"u8);
        Assert.Equal(new AofFile("a", 7, AofFileKind.Increment), Assert.Single(manifest.Increments));
        Assert.Equal(7, manifest.IncrementSequence);
    }

    [Theory]
    [InlineData("", 0, "Found an empty AOF manifest")]
    [InlineData("file a seq 1 type b", 1, "The AOF manifest file contains too long line")]
    [InlineData("file a seq 1 type x\n", 1, "Unknown AOF file type")]
    [InlineData("foo\n", 1, "Invalid AOF manifest file format")]
    [InlineData("\n", 1, "Invalid AOF manifest file format")]
    [InlineData("file a seq 0 type b\n", 1, "Invalid AOF manifest file format")]
    [InlineData("file \"a seq 1 type b\n", 1, "Invalid AOF manifest file format")]
    [InlineData("file a/b seq 1 type b\n", 1, "File can't be a path, just a filename")]
    [InlineData("file a seq 1 type b\nfile c seq 2 type b\n", 2, "Found duplicate base file information")]
    [InlineData("file a seq 2 type i\nfile b seq 2 type i\n", 2, "Found a non-monotonic sequence number")]
    public void AnInvalidManifestIsRefused(string text, int lineNumber, string message)
    {
        AofManifestException fault = Assert.Throws<AofManifestException>(
            () => AofManifest.Parse(Encoding.Latin1.GetBytes(text)));
        Assert.Equal((lineNumber, message), (fault.LineNumber, fault.Message));
    }

    private static string Text(AofManifest manifest) => Encoding.Latin1.GetString(manifest.Format());
}
