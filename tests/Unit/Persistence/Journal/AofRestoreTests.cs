using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Journal.Checking;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Journal;

/// <summary>A moment is restored from the last base before it and the commands up to it.</summary>
public sealed class AofRestoreTests
{
    private const string Name = "appendonly.aof";

    private readonly SimulatedFileSystem _files = new();
    private readonly StringWriter _output = new();

    public AofRestoreTests()
    {
        AofManifest manifest = AofManifest.Empty.WithBase(Name, isSnapshot: false).WithIncrement(Name)
            .WithIncrement(Name).WithBase(Name, isSnapshot: false).WithoutIncrements(1)
            .WithIncrement(Name);
        Put("base.aof", 1, "#TS:100\r\n", "SET a 1");
        Put("incr.aof", 1, "#TS:110\r\n", "SET a 2", "#TS:120\r\n", "SET a 3");
        Put("base.aof", 2, "#TS:130\r\n", "SET a 3");
        Put("incr.aof", 2, "#TS:140\r\n", "SET a 4");
        Put("incr.aof", 3, "#TS:150\r\n", "SET a 5", "#TS:160\r\n", "SET a 6");
        _files.Put($"/data/appendonlydir/{Name}.manifest", manifest.Format());
    }

    [Theory]
    [InlineData(105, "1.base.aof 1.incr.aof", "SET a 1")]
    [InlineData(110, "1.base.aof 1.incr.aof", "SET a 1;SET a 2")]
    [InlineData(125, "1.base.aof 1.incr.aof 2.incr.aof", "SET a 1;SET a 2;SET a 3")]
    [InlineData(130, "2.base.aof 2.incr.aof", "SET a 3")]
    [InlineData(155, "2.base.aof 2.incr.aof 3.incr.aof", "SET a 3;SET a 4;SET a 5")]
    [InlineData(999, "2.base.aof 2.incr.aof 3.incr.aof", "SET a 3;SET a 4;SET a 5;SET a 6")]
    public void AMomentIsRestored(long seconds, string files, string commands)
    {
        string[] before = [.. _files.Paths];
        Assert.True(new AofRestore(_files, _output).Run("/data", "/new", seconds), _output.ToString());
        AofManifest manifest = new AofDirectory(_files, "/new", "appendonlydir", Name).Load()!;
        Assert.Equal(files, string.Join(' ', manifest.Loaded.Select(one => one.Name[(Name.Length + 1)..])));
        Assert.Equal(commands, string.Join(';', manifest.Loaded.Select(one => CommandsOf(one.Name))
            .Where(text => text.Length > 0)));
        Assert.Equal(before, _files.Paths.Where(
            path => !path.StartsWith("/new/", System.StringComparison.Ordinal)));
    }

    [Fact]
    public void NothingIsRestoredFromBeforeTheFirstBaseOrOverAnotherFile()
    {
        Assert.False(new AofRestore(_files, _output).Run("/data/appendonlydir", "/new", 99));
        Assert.False(new AofRestore(_files, _output).Run("/nothing", "/new", 200));
        string[] before = [.. _files.Paths];
        Assert.False(new AofRestore(_files, _output).Run("/data", "/data", 200));
        Assert.False(new AofRestore(_files, _output).Run("/data", "/data/appendonlydir", 200));
        Assert.False(
            new AofRestore(_files, _output).Run("/data/appendonlydir", "/data/appendonlydir/a", 200));
        Assert.Equal(before, _files.Paths);
        Assert.DoesNotContain("/new", string.Join(' ', _files.Paths), System.StringComparison.Ordinal);
    }

    private string CommandsOf(string name)
    {
        string text = Encoding.Latin1.GetString(_files.Read("/new/appendonlydir/" + name));
        return string.Join(';', text.Split("\r\n")
            .Where(line => line.Length == 1 && char.IsAsciiDigit(line[0]))
            .Select(line => "SET a " + line));
    }

    private void Put(string kind, int sequence, params string[] items) => _files.Put(
        $"/data/appendonlydir/{Name}.{sequence}.{kind}", [.. items.SelectMany(item =>
            item[0] == '#' ? Encoding.Latin1.GetBytes(item) : RespClient.Encode(item.Split(' ')))]);
}
