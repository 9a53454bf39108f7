using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>A full synchronisation in a form that cannot express one key, in the middle of the data: it ends
/// there, the master's log names the key, the replica's own data stay, and when the key has gone it
/// succeeds.</summary>
public sealed class RefusedSynchronisationTests : IDisposable
{
    private const int KeyCount = 3_000;
    private const int ValueLength = 1_000;
    private const string Refusal = "has no deadlines of fields, which key '";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-refused-");
    private readonly StoredServer _server;
    private readonly RespClient _master;

    public RefusedSynchronisationTests()
    {
        _server = StoredServer.StartOwn(_directory.FullName, "--repl-diskless-sync-delay", "0",
            "--enable-debug-command", "yes", "--rdbcompression", "no");
        _master = _server.Connect();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _master.Dispose();
        _server.Dispose();
        _directory.Delete(recursive: true);
    }

    [Theory]
    [InlineData("own", "disabled", "yes")]
    [InlineData("own", "swapdb", "yes")]
    [InlineData("own", "swapdb", "no")]
    [InlineData("redis", "disabled", "yes")]
    [InlineData("redis", "swapdb", "no")]
    public void AReplicaKeepsItsData(string kind, string loading, string isDiskless)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        string key = Fill();
        // No redis-server of Debian reads more; what is there stays.
        _master.Call("CONFIG", "SET", "rdb-compatibility", "7.0", "repl-diskless-sync", isDiskless);
        string[] options = ["--enable-debug-command", "yes", "--repl-diskless-load", loading];
        using OracleServer other =
            kind == "own" ? OracleServer.StartOwn(options) : OracleServer.Start(options);
        using RespClient replica = other.Connect();
        replica.Run("SET own data");
        replica.Call("REPLICAOF", "127.0.0.1", _server.Port.ToString(CultureInfo.InvariantCulture));
        ReplicationPair.Await("it was refused twice",
            () => ReplicationPair.Number(_master, "stats", "sync_full") > 2);
        ReplicationPair.Await("the log names the key",
            () => _server.Log.Contains($"{Refusal}{key}'", StringComparison.Ordinal));
        Assert.Equal("down", ReplicationPair.Field(replica, "replication", "master_link_status"));
        // While the next attempt loads what comes, nothing is shown.
        ReplicationPair.Await("own data are shown", () => replica.Run("GET own") == "$data");
        ReplicationPair.Await("there are no others", () => replica.Run("DBSIZE") == ":1");
        _master.Call("DEL", key);
        new ReplicationPair(_master, replica).AwaitEqual();
        Assert.Equal("_", replica.Run("GET own"));
    }

    [Fact]
    public void TheVersionThatIsToldDecides()
    {
        string key = Fill();
        using var socket = new TcpClient("127.0.0.1", _server.Port);
        using NetworkStream old = socket.GetStream();
        old.Write("REPLCONF version 7.2.0 capa eof capa psync2\r\nPSYNC ? -1\r\n"u8);
        using var text = new StreamReader(old, Encoding.Latin1);
        string got = text.ReadToEnd();
        Assert.StartsWith("+OK\r\n+FULLRESYNC ", got, StringComparison.Ordinal);
        // It has come to the middle.
        Assert.Contains(new string('x', ValueLength), got, StringComparison.Ordinal);
        Assert.DoesNotContain(key, got, StringComparison.Ordinal);
        ReplicationPair.Await("the log names the key",
            () => _server.Log.Contains($"{Refusal}{key}'", StringComparison.Ordinal));
        Assert.Equal(":1", _master.Run($"HLEN {key}"));
    }

    /// <summary>Before Redis 7.0 there are no functions, neither in the data nor as the only part of them.
    /// </summary>
    [Theory]
    [InlineData("6.2", "REPLCONF capa eof capa psync2\r\n")]
    [InlineData("6.2", "REPLCONF capa eof rdb-filter-only functions\r\n")]
    [InlineData("7.4", "REPLCONF version 6.2.14 capa eof capa psync2\r\n")]
    public void ALibraryIsNeverDropped(string level, string announcement)
    {
        _master.Call("FUNCTION", "LOAD", "#!lua name=named\nredis.register_function('f', function() end)");
        _master.Run($"CONFIG SET rdb-compatibility {level}");
        using var socket = new TcpClient("127.0.0.1", _server.Port);
        using NetworkStream old = socket.GetStream();
        old.Write(Encoding.ASCII.GetBytes(announcement + "PSYNC ? -1\r\n"));
        using var text = new StreamReader(old, Encoding.Latin1);
        string got = text.ReadToEnd();
        Assert.StartsWith("+OK\r\n+FULLRESYNC ", got, StringComparison.Ordinal);
        ReplicationPair.Await("the log names the library", () => _server.Log.Contains(
            "rdb-compatibility 6.2 has no functions, which library 'named' has", StringComparison.Ordinal));
        Assert.Equal("+PONG", _master.Run("PING"));
    }

    // Gives a key in the middle, a hash whose field has a deadline.
    private string Fill()
    {
        string value = new('x', ValueLength);
        // No name is the beginning of another.
        for (int number = 0; number < KeyCount; number++)
            _master.Call("SET", $"key:{number:D4}", value);
        List<string> inOrder = [];
        string cursor = "0";
        do
        {
            RespValue reply = _master.Call("SCAN", cursor, "COUNT", "1000");
            cursor = reply.Items[0].Text;
            foreach (RespValue one in reply.Items[1].Items)
                inOrder.Add(one.Text);
        }
        while (cursor != "0");
        string key = inOrder[KeyCount / 2];
        _master.Call("DEL", key);
        _master.Call("HSET", key, "field", "value");
        _master.Call("HEXPIRE", key, "100000", "FIELDS", "1", "field");
        return key;
    }
}
