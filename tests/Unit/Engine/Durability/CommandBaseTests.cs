using System;
using System.Linq;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Bases of the append-only file that are commands.</summary>
public sealed class CommandBaseTests
{
    private const string Base = "appendonly.aof.2.base.aof";

    private readonly SimulatedFileSystem _files = new();
    private readonly ManualClock _clock = new();

    [Fact]
    public void ABaseOfCommandsMakesTheSameData() => Seeded.Run(3, seed =>
    {
        var files = new SimulatedFileSystem();
        var clock = new ManualClock();
        using TestServer server = Start(files, clock);
        TestClient client = server.Connect();
        var keys = new RandomKeys(new Random((int)seed));
        foreach (string[] words in keys.Commands(60))
            Assert.NotEqual('-', client.Call(WithoutMinusZero(words)).Kind);
        string digests = Digests(client, keys);
        Rewrite(server, clock, client);
        Assert.Contains(files.Paths, path => path.EndsWith(Base, StringComparison.Ordinal));
        Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        Assert.Equal(digests, Digests(client, keys));
    });

    // A small sorted set has 0 where a big one has -0, and 64 members are a small one: so has Redis.
    private static string[] WithoutMinusZero(string[] words) =>
        words[0] == "ZADD" ? [.. words.Select(static word => word == "-0" ? "0" : word)] : words;

    private static string Digests(TestClient client, RandomKeys keys)
    {
        var text = new StringBuilder();
        foreach ((int database, string key) in keys.Made)
        {
            client.Run($"SELECT {database}");
            text.Append($"{key}: {client.Call("TYPE", key)} {client.Call("DEBUG", "DIGEST-VALUE", key)} ")
                .Append($"{client.Call("PEXPIRETIME", key)}\n");
        }

        return text.Append(client.Run("DEBUG DIGEST")).ToString();
    }

    /// <summary>What Redis 7.0 does not know, and what commands cannot make.</summary>
    [Theory]
    [InlineData("HSET k a 1 b 2|HPEXPIREAT k 9999999999999 FIELDS 1 a", "HPEXPIRETIME k FIELDS 2 a b")]
    [InlineData("XADD k 1-1 a 1|XADD k 2-1 a 1|XGROUP CREATE k g 0|XREADGROUP GROUP g c STREAMS k >|"
        + "XDEL k 1-1", "XPENDING k g")]
    [InlineData("XADD k 1-1 a 1|XDEL k 1-1|XGROUP CREATE k g $", "XINFO STREAM k")]
    [InlineData("XGROUP CREATE k g $ MKSTREAM", "XINFO STREAM k")]
    [InlineData("XADD k IDMP p 1 * a 1|XADD k IDMP p 2 * a 1", "XINFO STREAM k")]
    [InlineData("SET k 1 PXAT 9999999999999", "PEXPIRETIME k")]
    public void EverythingOfAKeyComesBack(string commands, string question)
    {
        using TestServer server = Start(_files, _clock);
        TestClient client = server.Connect();
        foreach (string command in commands.Split('|'))
            Assert.DoesNotContain("ERR", client.Run(command), StringComparison.Ordinal);
        string before = client.Run(question);
        Rewrite(server, _clock, client);
        Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        Assert.Equal(before, client.Run(question));
    }

    /// <summary>At most 64 elements a command, as in Redis's files.</summary>
    [Fact]
    public void CommandsHaveSixtyFourElementsAtMost()
    {
        using TestServer server = Start(_files, _clock);
        TestClient client = server.Connect();
        client.Run($"RPUSH list {string.Join(' ', Enumerable.Range(0, 130))}");
        Rewrite(server, _clock, client);
        string path = Assert.Single(_files.Paths, path => path.EndsWith(Base, StringComparison.Ordinal));
        string text = Encoding.Latin1.GetString(_files.Read(path));
        Assert.StartsWith(Command("SELECT", "0") + "*66\r\n$5\r\nRPUSH\r\n$4\r\nlist\r\n$1\r\n0\r\n", text,
            StringComparison.Ordinal);
        Assert.Equal([66, 66, 4], text.Split("RPUSH")[..^1]
            .Select(static part => int.Parse(part.Split('*')[^1].Split('\r')[0],
                System.Globalization.CultureInfo.InvariantCulture)));
    }

    /// <summary>What the configured version cannot express is refused, never dropped.</summary>
    [Fact]
    public void DeadlinesOfFieldsAreRefusedBefore74()
    {
        using TestServer server = Start(_files, _clock);
        TestClient client = server.Connect();
        client.Run("HSET named a 1");
        client.Run("HPEXPIREAT named 9999999999999 FIELDS 1 a");
        client.Run("CONFIG SET rdb-compatibility 7.0");
        Rewrite(server, _clock, client);
        Assert.Contains("aof_last_bgrewrite_status:err", client.Run("INFO persistence"),
            StringComparison.Ordinal);
        Assert.Contains(server.Log.Lines, line => line.Contains("'named'", StringComparison.Ordinal));
        Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        Assert.Equal("*[:9999999999999]", client.Run("HPEXPIRETIME named FIELDS 1 a"));
    }

    /// <summary>What is in the file already is loaded at every level.</summary>
    [Fact]
    public void APayloadOfANewerVersionIsLoaded()
    {
        using TestServer server = Start(_files, _clock);
        TestClient client = server.Connect();
        client.Run("HSET k a 1");
        client.Run("HPEXPIREAT k 9999999999999 FIELDS 1 a");
        client.Call("RESTORE", "copy", "0", client.Call("DUMP", "k").Text);
        client.Run("CONFIG SET rdb-compatibility 7.0");
        Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        Assert.Equal("*[:9999999999999]", client.Run("HPEXPIRETIME k FIELDS 1 a"));
        Assert.Equal("*[:9999999999999]", client.Run("HPEXPIRETIME copy FIELDS 1 a"));
    }

    /// <summary>Libraries of functions are in the file, and those that it loads are kept.</summary>
    [Fact]
    public void FunctionsAreKept()
    {
        const string Path = "appendonlydir/appendonly.aof.1.incr.aof";
        string directory = System.IO.Directory.GetCurrentDirectory();
        _files.Put(System.IO.Path.Combine(directory, "appendonlydir/appendonly.aof.manifest"),
            "file appendonly.aof.1.incr.aof seq 1 type i\n"u8.ToArray());
        _files.Put(System.IO.Path.Combine(directory, Path), Encoding.Latin1.GetBytes(
            Command("FUNCTION", "LOAD", Library("one", "old"))
            + Command("FUNCTION", "LOAD", Library("two", "x"))
            + Command("function", "load", "REPLACE", Library("one", "new"))
            + Command("FUNCTION", "DELETE", "two") + Command("SET", "a", "1")));
        using TestServer server = Start(_files, _clock);
        TestClient client = server.Connect();
        Rewrite(server, _clock, client);
        Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        Assert.Equal("$new", client.Run("FCALL one 0"));
        Assert.Equal("-ERR Function not found", client.Run("FCALL two 0"));
        Assert.Equal("$1", client.Run("GET a"));
    }

    /// <summary>No level before functions drops them.</summary>
    [Theory]
    [InlineData("no")]
    [InlineData("yes")]
    public void FunctionsAreRefusedBefore70(string preamble)
    {
        using TestServer server = Start(_files, _clock);
        TestClient client = server.Connect();
        client.Run($"CONFIG SET aof-use-rdb-preamble {preamble}");
        client.Call("FUNCTION", "LOAD", Library("one", "1"));
        client.Run("CONFIG SET rdb-compatibility 6.2");
        Rewrite(server, _clock, client);
        Assert.Contains("aof_last_bgrewrite_status:err", client.Run("INFO persistence"),
            StringComparison.Ordinal);
        Assert.Contains(server.Log.Lines, line => line.Contains(
            "rdb-compatibility 6.2 has no functions, which library 'one' has", StringComparison.Ordinal));
        Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        Assert.Equal("$1", client.Run("FCALL one 0"));
        client.Run("FUNCTION DELETE one");
        Assert.Equal("+OK", client.Run("DEBUG LOADAOF"));
        Assert.Equal("*", client.Run("FUNCTION LIST"));
    }

    private static string Library(string name, string result) =>
        $"#!lua name={name}\nredis.register_function('{name}', function() return '{result}' end)";

    private static string Command(params string[] words) =>
        $"*{words.Length}\r\n" + string.Concat(words.Select(static word => $"${word.Length}\r\n{word}\r\n"));

    private static void Rewrite(TestServer server, ManualClock clock, TestClient client)
    {
        Assert.StartsWith("+Background", client.Run("BGREWRITEAOF"), StringComparison.Ordinal);
        for (int step = 0; step < 10; step++)
        {
            clock.Advance(microseconds: 1_000_000);
            server.Engine.Data.Journal.Step();
            server.Run();
        }
    }

    private static TestServer Start(SimulatedFileSystem files, ManualClock clock)
    {
        TestServer server = TestServer.On(files, clock, ("appendonly", "yes"), ("aof-use-rdb-preamble", "no"),
            ("enable-debug-command", "yes"), ("auto-aof-rewrite-percentage", "0"));
        Assert.Null(server.Load());
        return server;
    }
}
