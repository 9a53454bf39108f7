using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Cinnabar.Engine.Replication.Links;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>A stream leaves the same data, whether one thread applies it or loops help.</summary>
public sealed class StreamApplierTests
{
    private const int CommandCount = 30_000;
    private const int KeyCount = 60;
    private const int WaitMs = 20;

    [Theory]
    [InlineData(2)]
    [InlineData(4)]
    public void LoopsThatHelpChangeNoOrder(int loopCount)
    {
        for (int seed = 1; seed <= 3; seed++)
        {
            byte[] stream = RandomStream(new Random(seed), CommandCount);
            (string expected, long sharedCount) = Apply(stream, loopCount: 1, new Random(seed));
            Assert.Equal(0, sharedCount);
            (string digest, sharedCount) = Apply(stream, loopCount, new Random(seed));
            Assert.Equal(expected, digest);
            Assert.True(sharedCount > 10, $"{sharedCount} batches were shared");
        }
    }

    [Theory]
    [InlineData("PSUBSCRIBE __keyevent@*")]
    [InlineData("MONITOR")]
    public void WhatClientsAreToldOfInOrderIsNotShared(string command)
    {
        byte[] stream = RandomStream(new Random(4), CommandCount / 10);
        (_, long sharedCount) = Apply(stream, loopCount: 3, new Random(4), command.Split(' '));
        Assert.Equal(0, sharedCount);
    }

    [Fact]
    public void SubcommandsOfOneLengthAreToldApart()
    {
        using var server = new TestServer(
            loopCount: 1, clock: null, ("propagation-error-behavior", "panic-on-replicas"));
        Apply(server, ["XADD", "stream", "1-1", "a", "b"], ["XGROUP", "CREATE", "stream", "group", "0"],
            ["XGROUP", "CREATECONSUMER", "stream", "group", "one"],
            ["XGROUP", "CREATECONSUMER", "stream", "group", "other"],
            ["XGROUP", "DELCONSUMER", "stream", "group", "one"],
            ["XGROUP", "SETID", "stream", "group", "1-1"]);
        Assert.Contains("$consumers, :1, $pending, :0, $last-delivered-id, $1-1,",
            server.Connect().Run("XINFO GROUPS stream"));
    }

    /// <summary>A master's bytes end no line of the log.</summary>
    [Fact]
    public void AnErrorIsOneLineInTheLog()
    {
        using var server = new TestServer(loopCount: 1);
        Apply(server, ["NO\r\n1:M SUCH", "a"]);
        Assert.Equal("== CRITICAL == This replica is sending an error to its master: 'ERR unknown command' "
            + "after processing the command 'NO  1:M SUCH'", server.Log.Lines.Last());
    }

    [Fact]
    public void AnErrorEndsTheServerWhereItIsToPanic()
    {
        using var server = new TestServer(
            loopCount: 1, clock: null, ("propagation-error-behavior", "panic-on-replicas"));
        Exception fault = Assert.Throws<InvalidOperationException>(
            () => Apply(server, ["NOSUCH", "a"]));
        Assert.Contains("panicked sending an error to its master", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("no")]
    [InlineData("yes")]
    public void ADiskThatFailsEndsAReplicaUnlessItIsToBeIgnored(string isIgnored)
    {
        using var server = new TestServer(loopCount: 1, clock: null,
            ("replica-ignore-disk-write-errors", isIgnored));
        TestClient client = server.Connect();
        server.Engine.DiskErrors.SetJournal("No space left on device");
        Apply(server, ["PING"]);
        if (isIgnored == "yes")
        {
            Apply(server, ["SET", "a", "1"], ["MULTI"], ["SET", "a", "2"], ["EXEC"]);
            Assert.Single(server.Log.Lines,
                line => line.Contains("unable to write to disk", StringComparison.Ordinal));
            Assert.Equal("$2", client.Run("GET a"));
            return;
        }

        Exception fault = Assert.Throws<InvalidOperationException>(
            () => Apply(server, ["SET", "a", "1"]));
        Assert.Equal("Replica was unable to write command to disk.", fault.Message);
        Assert.Equal("_", client.Run("GET a"));
    }

    /// <summary>Else the master hears of the offset once a second only, and WAIT takes as long.</summary>
    [Fact]
    public void AMasterThatAsksIsToBeAnswered()
    {
        using var server = new TestServer(loopCount: 1);
        using var applier = new StreamApplier(server.Engine);
        Apply(applier, ["SET", "key", "value"]);
        Assert.False(applier.IsOffsetWanted);
        Apply(applier, ["REPLCONF", "GETACK", "*"]);
        Assert.True(applier.IsOffsetWanted);
    }

    private static void Apply(TestServer server, params ReadOnlySpan<string[]> commands)
    {
        using var applier = new StreamApplier(server.Engine);
        Apply(applier, commands);
    }

    private static void Apply(StreamApplier applier, params ReadOnlySpan<string[]> commands)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var connection = MasterConnection.Connect(
            new MasterAddress("127.0.0.1", ((IPEndPoint)listener.LocalEndpoint).Port), "",
            isMultipath: false, timeoutMs: 60_000, new SystemClock());
        using Socket master = listener.AcceptSocket();
        int byteCount = 0;
        foreach (string[] command in commands)
            byteCount += master.Send(RespClient.Encode(command));
        while (connection.HeldCount < byteCount)
            connection.TryReceive(WaitMs);
        applier.Apply(connection);
    }

    // What the order of commands of a key is, its value shows.
    private static byte[] RandomStream(Random random, int count)
    {
        var bytes = new MemoryStream();
        for (int index = 0; index < count; index++)
        {
            string text = index.ToString(CultureInfo.InvariantCulture);
            string key = $"{random.Next(KeyCount)}";
            string other = $"{random.Next(KeyCount)}";
            bytes.Write(RespClient.Encode(random.Next(100) switch
            {
                0 => ["RENAME", "s" + key, "s" + other],
                1 => ["MSET", "s" + key, text, "s" + other, text],
                2 => ["DEL", "s" + key, "l" + other, "h" + key],
                3 => ["SELECT", $"{random.Next(3)}"],
                4 => ["LMOVE", "l" + key, "l" + other, "LEFT", "RIGHT"],
                5 => ["COPY", "s" + key, "s" + other, "REPLACE"],
                < 40 => ["APPEND", "s" + key, text],
                < 60 => ["HSET", "h" + key, $"{random.Next(20)}", text],
                < 80 => ["RPUSH", "l" + key, text],
                _ => ["SET", "s" + key, text],
            }));
        }

        return bytes.ToArray();
    }

    private static (string Digest, long SharedCount) Apply(
        byte[] stream, int loopCount, Random random, params ReadOnlySpan<string> listening)
    {
        using var server = new TestServer(loopCount, clock: null, ("enable-debug-command", "yes"),
            ("notify-keyspace-events", "KEA"));
        if (!listening.IsEmpty)
            server.Connect().Call(listening);
        using var applier = new StreamApplier(server.Engine, sharesAll: true);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        int port = ((IPEndPoint)listener.LocalEndpoint).Port;
        using var connection = MasterConnection.Connect(
            new MasterAddress("127.0.0.1", port), "", isMultipath: false, timeoutMs: 60_000,
            new SystemClock());
        using Socket master = listener.AcceptSocket();
        bool isOver = false;
        var sending = new Thread(() =>
        {
            for (int position = 0; position < stream.Length;)
                position += master.Send(stream, position, Piece(position), SocketFlags.None);
        });
        int Piece(int position) => Math.Min(random.Next(1, 40_000), stream.Length - position);
        var loops = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                for (int loop = 1; loop < loopCount; loop++)
                    server.Engine.Loops[loop].Turn();
                Thread.Yield();
            }
        });
        sending.Start();
        loops.Start();
        long start = server.Engine.Replication.Offset;
        while (server.Engine.Replication.Offset - start < stream.Length)
        {
            if (connection.TryReceive(WaitMs))
                applier.Apply(connection);
        }

        Volatile.Write(ref isOver, true);
        sending.Join();
        loops.Join();
        string digest = server.Connect().Call("DEBUG", "DIGEST").Text;
        return (digest, applier.SharedCount);
    }
}
