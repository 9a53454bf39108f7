using System;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Unit.Persistence;
using Xunit;
using static Cinnabar.Tests.Unit.Engine.Durability.PersistenceInfo;

namespace Cinnabar.Tests.Unit.Engine;

/// <summary>DEBUG RELOAD.</summary>
public sealed class DebugReloadTests
{
    private static string Snapshot => Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb");

    /// <summary>Values of all types in all encodings come back as they were.</summary>
    [Fact]
    public void EveryValueSurvives()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        string many = string.Join(' ', Enumerable.Range(0, 300).Select(static n => $"member:{n}"));
        string pairs = string.Join(' ', Enumerable.Range(0, 300).Select(static n => $"{n} member:{n}"));
        foreach (string line in (string[])
        [
            "SET text hello", "SET number 12345", $"SET big {new string('x', 100_000)}",
            "SETEX dated 10000 value", "RPUSH list a b c", $"RPUSH longlist {many}", "SADD ints 1 2 3",
            "SADD set a b 1", $"SADD bigset {many}", "ZADD zset 1.5 a -inf b", $"ZADD bigzset {pairs}",
            "HSET hash a 1 b 2", $"HSET bighash {pairs}", "HSET dated-hash a 1 b 2",
            "HEXPIRE dated-hash 5000 FIELDS 1 a", "XADD stream 1-1 a 1", "XADD stream 2-0 a 1 b 2",
            "XGROUP CREATE stream group 0", "XREADGROUP GROUP group consumer STREAMS stream >",
            "PFADD hyperloglog a b c", "SELECT 3", "SET other 1", "SELECT 0",
        ])
            Assert.DoesNotContain("ERR", client.Run(line), StringComparison.Ordinal);
        string digest = client.Run("DEBUG DIGEST");
        string deadlines = client.Run("HPEXPIRETIME dated-hash FIELDS 2 a b");
        long changeCount = server.Engine.Statistics.ChangeCount;
        Assert.Equal("+OK", client.Run("DEBUG RELOAD"));
        Assert.Equal(digest, client.Run("DEBUG DIGEST"));
        Assert.Equal(changeCount, server.Engine.Statistics.ChangeCount);
        Assert.Equal(deadlines, client.Run("HPEXPIRETIME dated-hash FIELDS 2 a b"));
        Assert.Equal([Snapshot], server.Files.Paths);
    }

    /// <summary>Where there is nothing to load the server goes on as before.</summary>
    [Fact]
    public void AFileThatIsNotThereIsAnError()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("SET a 1");
        Assert.StartsWith("-ERR Error trying to load the RDB dump", client.Run("DEBUG RELOAD NOSAVE NOFLUSH"),
            StringComparison.Ordinal);
        Assert.Equal("$1", client.Run("GET a"));
        Assert.Equal("+OK", client.Run("DEBUG RELOAD"));
        Assert.Equal("$1", client.Run("GET a"));
    }

    /// <summary>What the options leave out.</summary>
    [Fact]
    public void OptionsSayWhatIsDone()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        server.Files.Put(Snapshot, new RdbFileBuilder().String("a", "file").End());
        client.Run("SET a memory");
        client.Run("SET b memory");
        Assert.Equal("+OK", client.Run("DEBUG RELOAD NOSAVE NOFLUSH MERGE"));
        Assert.Equal("*[$file, $memory]", client.Run("MGET a b"));
        Assert.StartsWith("-ERR Error trying to load the RDB dump", client.Run("DEBUG RELOAD NOSAVE NOFLUSH"),
            StringComparison.Ordinal);
        Assert.Equal("+OK", client.Run("DEBUG RELOAD NOSAVE"));
        Assert.Equal("*[$file, _]", client.Run("MGET a b"));
        Assert.Equal("-ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.",
            client.Run("DEBUG RELOAD NOSENSE"));
    }

    /// <summary>A damaged file is named in the log, and the server goes on.</summary>
    [Fact]
    public void ADamagedFileIsReported()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        server.Files.Put(Snapshot, [.. new RdbFileBuilder().String("a", "1").End()[..^4]]);
        Assert.StartsWith("-ERR Error trying to load", client.Run("DEBUG RELOAD NOSAVE"),
            StringComparison.Ordinal);
        Assert.Contains(server.Log.Lines,
            line => line.Contains("Short read or OOM loading DB", StringComparison.Ordinal));
        Assert.Equal("+OK", client.Run("SET a 1"));
    }

    /// <summary>Libraries of functions are in the file that is saved; one that is there is an
    /// error.</summary>
    [Fact]
    public void FunctionsSurvive()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        const string code = "#!lua name=library\nredis.register_function('f', function() return 7 end)";
        server.Files.Put(Snapshot,
            new RdbFileBuilder().Opcode(RdbOpcode.Function2).Text(code).End());
        Assert.Equal("+OK", client.Run("DEBUG RELOAD NOSAVE"));
        Assert.Equal("+OK", client.Run("DEBUG RELOAD"));
        Assert.Equal("+OK", client.Run("SAVE"));
        Assert.Equal("+OK", client.Run("DEBUG RELOAD NOSAVE"));
        Assert.Equal(":7", client.Run("FCALL f 0"));
        Assert.StartsWith("-ERR Error trying to load", client.Run("DEBUG RELOAD NOFLUSH"),
            StringComparison.Ordinal);
        Assert.Equal("+OK", client.Run("DEBUG RELOAD NOFLUSH MERGE"));
        Assert.Equal("*[*[$library_name, $library, $engine, $LUA, $functions, "
            + "*[*[$name, $f, $description, _, $flags, *]]]]", client.Run("FUNCTION LIST"));
    }

    /// <summary>As in Redis the file is a save, but for the count of saves: a save that failed before no
    /// longer refuses writes.</summary>
    [Fact]
    public void ItIsASave()
    {
        var clock = new ManualClock();
        using var server = new TestServer(2, clock, ("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        client.Call("CONFIG", "SET", "save", "3600 1");
        client.Run("SET a 1");
        server.Files.Changing = static (_, _) => false;
        client.Run("BGSAVE");
        server.Run();
        Assert.StartsWith("-MISCONF", client.Run("SET a 2"), StringComparison.Ordinal);
        Assert.Equal("-ERR", client.Run("DEBUG RELOAD"));
        Assert.StartsWith("-MISCONF", client.Run("SET a 2"), StringComparison.Ordinal);
        Assert.Contains(server.Log.Lines, static line => line.Contains("Failed opening the temp RDB file"));
        server.Files.Changing = null;
        clock.Advance(5_000_000);
        string before = client.Run("LASTSAVE");
        Assert.Equal("+OK", client.Run("DEBUG RELOAD"));
        AssertInfo(client, "rdb_last_bgsave_status:ok", "rdb_changes_since_last_save:0", "rdb_saves:1");
        string saved = client.Run("LASTSAVE");
        Assert.NotEqual(before, saved);
        Assert.Equal("+OK", client.Run("SET a 2"));
        clock.Advance(5_000_000);
        Assert.Equal("+OK", client.Run("DEBUG RELOAD NOSAVE"));
        Assert.Equal(saved, client.Run("LASTSAVE"));
        AssertInfo(client, "rdb_changes_since_last_save:1");
        Assert.Equal("$1", client.Run("GET a"));
    }

    /// <summary>Where each save makes a file of its own it is loaded from its own.</summary>
    [Fact]
    public void ItLoadsTheFileThatItSaves()
    {
        var clock = new ManualClock();
        using var server = new TestServer(
            2, clock, ("enable-debug-command", "yes"), ("dbfilename", "dump-{timestamp}.rdb"));
        TestClient client = server.Connect();
        client.Run("SET a 1");
        client.Run("SAVE");
        client.Run("SET a 2");
        clock.Advance(5_000_000);
        Assert.Equal("+OK", client.Run("DEBUG RELOAD"));
        Assert.Equal("$2", client.Run("GET a"));
        Assert.Equal(2, server.Files.Paths.Length);
    }

    /// <summary>A file whose keys of modules were left out is not written over.</summary>
    [Fact]
    public void AnIncompleteFileIsKept()
    {
        using TestServer server = Start();
        TestClient client = server.Connect();
        client.Run("CONFIG SET rdb-skip-module-keys yes");
        byte[] file = new RdbFileBuilder().Module("m", 1 << 20, "text").String("a", "1").End();
        server.Files.Put(Snapshot, file);
        Assert.Equal("+OK", client.Run("DEBUG RELOAD NOSAVE"));
        Assert.Equal("$1", client.Run("GET a"));
        Assert.Equal("-ERR", client.Run("DEBUG RELOAD"));
        Assert.StartsWith("-ERR", client.Run("SAVE"), StringComparison.Ordinal);
        Assert.Equal(file, server.Files.Read(Snapshot));
        server.Files.Delete(Snapshot);
        Assert.Equal("+OK", client.Run("SAVE"));
    }

    private static TestServer Start() =>
        new(loopCount: 2, clock: null, ("enable-debug-command", "yes"));
}
