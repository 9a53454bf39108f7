using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Journal.Loading;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;
using Cinnabar.Resp;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Journal;

/// <summary>What is loaded of an append-only file, whole, cut off and damaged.</summary>
public sealed class AofLoaderTests : IAofLoadTarget, ICommandReplay
{
    private const string Name = "appendonly.aof";
    private const string First = "appendonly.aof.1.incr.aof";
    private const string Last = "appendonly.aof.2.incr.aof";

    private readonly SimulatedFileSystem _files = new();
    private readonly AofDirectory _directory;
    private readonly List<string> _commands = [];
    private readonly List<string> _log = [];

    public AofLoaderTests() => _directory = new AofDirectory(_files, "/data", "aof", Name);

    ICommandReplay IAofLoadTarget.Replay => this;

    [Fact]
    public void AFileThatIsCutOffAnywhereLoadsItsWholeCommands()
    {
        List<string> commands = ["SET a 1", "MULTI", "SET b 2", "SET c 3", "EXEC", "SET d 4"];
        byte[] text = [.. commands.SelectMany(Encode)];
        for (int length = 0; length <= text.Length; length++)
        {
            _commands.Clear();
            _files.Put(_directory.PathOf(First), []);
            _files.Put(_directory.PathOf(Last), text.AsSpan(0, length));
            Load(2);
            int count = commands.Count;
            while (commands.Take(count).Sum(one => Encode(one).Length) > length || count is > 1 and < 5)
                count--;
            Assert.Equal(commands.Take(count), _commands);
            // It is cut off there: appended commands are read again.
            Assert.Equal(commands.Take(count).Sum(one => Encode(one).Length),
                _files.Read(_directory.PathOf(Last)).Length);
        }
    }

    [Fact]
    public void TheLogHasTheLinesOfRedis()
    {
        _files.Put(_directory.PathOf(First), Encode("SET a 1"));
        _files.Put(_directory.PathOf(Last),
            [.. "#TS:5\r\n"u8, .. Encode("SET a 2"), .. "*1\r\n$5\r\nMULTI\r\n"u8]);
        Load(2);
        Assert.Equal(
        [
            $"DB loaded from incr file {First}: 0.000 seconds",
            $"Revert incomplete MULTI/EXEC transaction in AOF file {Last}",
            $"!!! Warning: short read while loading the AOF file {Last}!!!",
            $"!!! Truncating the AOF {Last} at offset 34 !!!",
            $"AOF {Last} loaded anyway because aof-load-truncated is enabled",
            $"DB loaded from incr file {Last}: 0.000 seconds",
        ], _log);
    }

    [Theory]
    [InlineData("*1\r\n$4\r\nPI",
        "Unexpected end of file reading the append only file " + Last + ". You can: ")]
    [InlineData("hello", "Bad file format reading the append only file " + Last + ": make a backup")]
    [InlineData("*1\r\n$x\r\n", "Bad file format reading the append only file " + Last)]
    [InlineData("*1\r\n$-1\r\n", "Bad file format reading the append only file " + Last)]
    [InlineData("*0\r\n", "Bad file format reading the append only file " + Last)]
    [InlineData("*1\r\n$99999999999999\r\n", "Bad file format reading the append only file " + Last)]
    [InlineData("*1\r\n$1\r\nabc", "Bad file format reading the append only file " + Last)]
    [InlineData("*1\r\n$7\r\nUNKNOWN\r\n", "Unknown command 'UNKNOWN' reading the append only file " + Last)]
    public void AnErrorNamesTheFile(string tail, string message)
    {
        _files.Put(_directory.PathOf(First), []);
        _files.Put(_directory.PathOf(Last), [.. Encode("SET a 1"), .. Encoding.Latin1.GetBytes(tail)]);
        AofLoadException fault = Assert.Throws<AofLoadException>(
            () => Load(2, new AofLoadOptions { CutsTruncated = false }));
        Assert.StartsWith(message, fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void OnlyTheLastFileMayBeCutOff()
    {
        _files.Put(_directory.PathOf(First), "*1\r\n"u8);
        _files.Put(_directory.PathOf(Last), Encode("SET a 1"));
        Assert.Equal("Fatal error: the truncated file is not the last file",
            Assert.Throws<AofLoadException>(() => Load(2)).Message);
    }

    [Fact]
    public void AFileThatIsMissingIsAnError() => Assert.Equal(
        $"Unable to obtain the AOF file {First} length. stat: No such file or directory",
        Assert.Throws<AofLoadException>(() => Load(1)).Message);

    [Fact]
    public void ADamagedTailWithinItsBoundIsCutOff()
    {
        _files.Put(_directory.PathOf(First), [.. Encode("SET a 1"), .. new byte[100]]);
        Load(1, new AofLoadOptions { CorruptTailBytesMax = 100 });
        Assert.Equal(["SET a 1"], _commands);
        Assert.Contains($"AOF {First} loaded anyway because aof-load-corrupt-tail-max-size is enabled", _log);
        Assert.Equal(Encode("SET a 1"), _files.Read(_directory.PathOf(First)));
        _files.Put(_directory.PathOf(First), [.. Encode("SET a 1"), .. new byte[101]]);
        Assert.Throws<AofLoadException>(() => Load(1, new AofLoadOptions { CorruptTailBytesMax = 100 }));
    }

    [Fact]
    public void ACommandLargerThanABlockIsRead()
    {
        string value = new('x', 3 << 20);
        _files.Put(_directory.PathOf(First),
            [.. Encode("SET a 1"), .. Encode("SET b " + value), .. Encode("GET c")]);
        Load(1);
        Assert.Equal(["SET a 1", "SET b " + value, "GET c"], _commands);
    }

    bool ICommandReplay.TryReplay(ArgumentList arguments)
    {
        List<string> words = [];
        for (int index = 0; index < arguments.Count; index++)
            words.Add(Encoding.Latin1.GetString(arguments[index].Span));
        _commands.Add(string.Join(' ', words));
        return words[0] != "UNKNOWN";
    }

    long? IAofLoadTarget.LoadSnapshot(StoredFile file, string name) => null;

    void IAofLoadTarget.Log(bool isWarning, string message) => _log.Add(message);

    bool IAofLoadTarget.Wait() => false;

    void IAofLoadTarget.Progress(long doneBytes, long totalBytes) => Assert.True(doneBytes <= totalBytes);

    private static byte[] Encode(string line) => RespClient.Encode(line.Split(' '));

    private void Load(int fileCount, AofLoadOptions? options = null)
    {
        AofManifest manifest = AofManifest.Empty;
        while (manifest.Increments.Count < fileCount)
            manifest = manifest.WithIncrement(Name);
        new AofLoader(_directory, options ?? new AofLoadOptions(), this, new ManualClock())
            .Load(manifest, isOldStyle: false);
    }
}
