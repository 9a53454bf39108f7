using System;
using System.IO;
using System.Text;
using Cinnabar.Persistence.Journal.Checking;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Journal;

/// <summary>The check of append-only files; a differential test compares it with redis-check-aof.</summary>
public sealed class AofCheckTests
{
    private const string Set = "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n";

    private readonly SimulatedFileSystem _files = new();
    private readonly StringWriter _output = new();

    [Fact]
    public void AValidFileIsSaidToBeValid()
    {
        Put("/f", Set);
        Assert.Equal(0, Run("/f"));
        Assert.Equal(Lines("Start checking Old-Style AOF",
            "AOF analyzed: filename=/f, size=27, ok_up_to=27, ok_up_to_line=8, diff=0",
            "AOF /f is valid"), Text());
    }

    [Fact]
    public void FixingCutsTheFileOff()
    {
        Put("/f", Set + "*3\r\n$3\r\nSE");
        string analyzed = Lines("Start checking Old-Style AOF",
            "0x              23: Expected to read 5 bytes, got 2 bytes",
            "AOF analyzed: filename=/f, size=37, ok_up_to=27, ok_up_to_line=10, diff=10");
        Assert.Equal(1, Run("/f"));
        Assert.Equal(analyzed + Lines("AOF /f is not valid. Use the --fix option to try fixing it."), Text());
        string question = analyzed
            + Lines("This will shrink the AOF /f from 37 bytes, with 10 bytes, to 27 bytes");
        Assert.Equal(1, Run("/f", isFixing: true, answer: "n"));
        Assert.Equal(question + Lines("Continue? [y/N]: Aborting..."), Text());
        Assert.Equal(0, Run("/f", isFixing: true, answer: "y"));
        Assert.Equal(question + Lines("Continue? [y/N]: Successfully truncated AOF /f"), Text());
        Assert.Equal(Set.Length, _files.Read("/f").Length);
    }

    [Fact]
    public void ATransactionWithoutItsEndIsCutOffAsAWhole()
    {
        Put("/f", Set + "*1\r\n$5\r\nMULTI\r\n" + Set);
        Assert.Equal(1, Run("/f"));
        Assert.Equal(Lines("Start checking Old-Style AOF",
            "0x              42: Reached EOF before reading EXEC for MULTI",
            "AOF analyzed: filename=/f, size=69, ok_up_to=27, ok_up_to_line=18, diff=42",
            "AOF /f is not valid. Use the --fix option to try fixing it."), Text());
    }

    /// <summary>To mend is not to make: a server would start with less than it had.</summary>
    [Theory]
    [InlineData(true, 0)]
    [InlineData(false, 250)]
    public void AFileThatIsMissingIsNotMade(bool isFixing, long timestamp)
    {
        Put("/d/m", "file b.aof seq 1 type b\nfile i.1 seq 1 type i\n");
        Put("/d/b.aof", Set);
        Assert.Equal(1, Run("/d/m", isFixing: isFixing, timestamp: timestamp));
        Assert.EndsWith(Lines("Cannot open file /d/i.1: No such file or directory, aborting..."), Text(),
            StringComparison.Ordinal);
        Assert.False(_files.Exists("/d/i.1"));
    }

    [Fact]
    public void AManifestHasAllItsFilesChecked()
    {
        Put("/d/m", "file b.aof seq 1 type b\nfile i.1 seq 1 type i\nfile i.2 seq 2 type i\n");
        Put("/d/b.aof", "");
        Put("/d/i.1", "#TS:100\r\n" + Set);
        Put("/d/i.2", "#TS:200\r\n" + Set + "#TS:300\r\n" + Set);
        Assert.Equal(0, Run("/d/m"));
        Assert.Equal(Lines("Start checking Multi Part AOF", "Start to check BASE AOF (RESP format).",
            "BASE AOF b.aof is empty", "Start to check INCR files.",
            "AOF analyzed: filename=i.1, size=36, ok_up_to=36, ok_up_to_line=8, diff=0",
            "INCR AOF i.1 is valid",
            "AOF analyzed: filename=i.2, size=72, ok_up_to=72, ok_up_to_line=22, diff=0",
            "INCR AOF i.2 is valid", "All AOF files and manifest are valid"), Text());
        Assert.Equal(0, Run("/d/m", timestamp: 250));
        Assert.EndsWith(Lines("Successfully truncated AOF i.2 to timestamp 250",
            "All AOF files and manifest are valid"), Text(), StringComparison.Ordinal);
        Assert.Equal(36, _files.Read("/d/i.2").Length);
        Assert.Equal(1, Run("/d/m", timestamp: 150));
        Assert.EndsWith(Lines("AOF /d/i.2 has nothing before timestamp 150, aborting..."), Text(),
            StringComparison.Ordinal);
    }

    [Fact]
    public void AMissingFileIsAnError()
    {
        Assert.Equal(1, Run("/nofile"));
        Assert.Equal(Lines("Cannot open file /nofile: No such file or directory"), Text());
    }

    private static string Lines(params string[] lines) => string.Join('\n', lines) + "\n";

    private void Put(string path, string text) => _files.Put(path, Encoding.Latin1.GetBytes(text));

    private string Text()
    {
        string text = _output.ToString().ReplaceLineEndings("\n");
        _output.GetStringBuilder().Clear();
        return text;
    }

    private int Run(string path, bool isFixing = false, string? answer = null, long timestamp = 0) =>
        new AofCheck(_files, new AofCheckOptions
        {
            IsFixing = isFixing,
            TimestampSeconds = timestamp,
            Output = _output,
            ReadAnswer = () => answer,
            CheckSnapshot = (_, _) => null,
        }).Run(path);
}
