using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>A replica that applies its master's stream in batches: nothing of that can be seen.</summary>
public sealed class ReplicaBatchTests
{
    private const int ReadKeyCount = 16;
    private const int PieceSize = 50_000;
    private static readonly string[] s_readKeys =
        [.. Enumerable.Range(0, ReadKeyCount).Select(index => $"key:{index}")];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task AReaderSeesTheStateBehindSomeCommand(int loopCount)
    {
        var bytes = new MemoryStream();
        for (int round = 1; round <= 5_000; round++)
        {
            foreach (string key in s_readKeys)
                bytes.Write(RespClient.Encode(["SET", key, Text(round)]));
        }

        using var own = new OwnServer(loopCount);
        using var master = new ScriptedMaster(bytes.ToArray());
        RespClient replica = Follow(own, master);
        RespClient reader = own.Connect();
        Task sending = Task.Run(() => master.SendTo((int)bytes.Length));
        long last = 0;
        while (last < 5_000)
        {
            long[] seen = [.. reader.Call(["MGET", .. s_readKeys]).Items.Select(Number)];
            for (int index = 1; index < seen.Length; index++)
                Assert.True(seen[index] <= seen[index - 1], $"{index} is written behind {index - 1}");
            Assert.InRange(seen[0] - seen[^1], 0, 1);
            // Two commands: what is written first is read last.
            long late = Number(reader.Call("GET", s_readKeys[^1]));
            long early = Number(reader.Call("GET", s_readKeys[0]));
            Assert.True(late <= early, $"{late} was written before {early}");
            Assert.True(seen[^1] >= last, "the data go back");
            last = seen[^1];
        }

        await sending;
        AwaitOffset(replica, master.Position);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task APromotionNamesWhatWasApplied(int loopCount)
    {
        var units = new RandomUnits(seed: loopCount, count: 60_000);
        var random = new Random(loopCount);
        for (int round = 0; round < 4; round++)
        {
            using var own = new OwnServer(loopCount);
            using var master = new ScriptedMaster(units.Bytes);
            RespClient replica = Follow(own, master);
            Task sending = Task.Run(() => master.SendTo(units.Bytes.Length));
            int wanted = random.Next(units.Bytes.Length / 2);
            ReplicationPair.Await("some of the stream is applied", () => Offset(replica) >= wanted);
            Assert.Equal("OK", replica.Call("REPLICAOF", "NO", "ONE").Text);
            int offset = (int)ReplicationPair.Number(replica, "replication", "second_repl_offset") - 1;
            int count = units.CountAt(offset);
            Assert.True(count >= 0, $"{offset} lies in a unit");
            AssertData(units.DataBehind(count), replica);
            await sending;
        }
    }

    [Fact]
    public void ACutFallsOnAUnitsEdge()
    {
        var units = new RandomUnits(seed: 5, count: 40_000);
        var random = new Random(5);
        using var own = new OwnServer(2);
        using var master = new ScriptedMaster(units.Bytes);
        RespClient replica = Follow(own, master);
        for (int cut = 0; cut < 25; cut++)
        {
            master.SendTo(Math.Min(master.Position + random.Next(1, PieceSize), units.Bytes.Length - 1));
            // Sometimes all of it has come before the cut.
            if (cut % 3 == 0)
                ReplicationPair.Await("something is applied", () => Offset(replica) > master.Position - 200);
            master.Cut();
            int offset = master.Accept();
            Assert.True(units.CountAt(offset) >= 0, $"{offset} lies in a unit");
            Assert.Equal(offset, Offset(replica));
        }

        master.SendTo(units.Bytes.Length);
        AwaitOffset(replica, units.Bytes.Length);
        AssertData(units.DataBehind(int.MaxValue), replica);
    }

    [Fact]
    public void AnAppendOnlyFileHasWhatWasApplied()
    {
        var units = new RandomUnits(seed: 9, count: 30_000);
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-batch-");
        try
        {
            using var own = StoredServer.StartOwn(
                directory.FullName, "--appendonly", "yes", "--io-threads", "2");
            using var master = new ScriptedMaster(units.Bytes);
            using (RespClient replica = own.Connect())
            {
                replica.Call("REPLICAOF", "127.0.0.1", Text(master.Port));
                master.Accept();
                master.SendTo(units.Bytes.Length / 2);
                // Before the rewrite behind the load is over, the file is not the new data's.
                ReplicationPair.Await("the file is there", () =>
                    ReplicationPair.Field(replica, "persistence", "aof_last_rewrite_time_sec") != "-1"
                    && ReplicationPair.Field(replica, "persistence", "aof_rewrite_in_progress") == "0");
                master.SendTo(units.Bytes.Length);
                AwaitOffset(replica, units.Bytes.Length);
            }

            own.Restart();
            using RespClient client = own.Connect();
            Assert.Equal("master", ReplicationPair.Field(client, "replication", "role"));
            AssertData(units.DataBehind(int.MaxValue), client);
        }
        finally
        {
            directory.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void EventsHaveTheOrderOfTheStream(int loopCount)
    {
        var bytes = new MemoryStream();
        List<string> expected = [];
        var random = new Random(3);
        for (int index = 0; index < 5_000; index++)
        {
            string key = $"key:{random.Next(100)}";
            string name = random.Next(4) == 0 ? "del" : "set";
            if (name == "del")
                bytes.Write(RespClient.Encode(["SET", key, "1"]));
            string[] command = name == "del" ? ["DEL", key] : ["SET", key, "1"];
            bytes.Write(RespClient.Encode(command));
            expected.AddRange(name == "del" ? [$"set {key}", $"del {key}"] : [$"set {key}"]);
        }

        using var own = new OwnServer(loopCount, ("notify-keyspace-events", "EA"));
        using var master = new ScriptedMaster(bytes.ToArray());
        RespClient replica = Follow(own, master);
        RespClient listener = own.Connect();
        listener.Call("PSUBSCRIBE", "__keyevent@0__:*");
        master.SendTo((int)bytes.Length);
        foreach (string wanted in expected)
        {
            IReadOnlyList<RespValue> message = listener.Read().Items;
            Assert.Equal(wanted, $"{message[2].Text["__keyevent@0__:".Length..]} {message[3].Text}");
        }

        AwaitOffset(replica, (int)bytes.Length);
    }

    [Fact]
    public void AClientThatWaitsForAKeyIsServed()
    {
        const int WaiterCount = 4;
        var bytes = new MemoryStream();
        int firstEnd = 0;
        for (int index = 0; index < 3_000; index++)
        {
            bytes.Write(RespClient.Encode(["SET", $"key:{index % 100}", Text(index)]));
            if (index % 1_000 == 0)
                firstEnd = firstEnd == 0 ? (int)bytes.Length : firstEnd;
            if (index % 1_000 == 500)
            {
                bytes.Write(RespClient.Encode(
                    ["XADD", $"stream:{index / 1_000}", "1-1", "field", Text(index)]));
            }
        }

        using var own = new OwnServer(2);
        using var master = new ScriptedMaster(bytes.ToArray());
        RespClient replica = Follow(own, master);
        RespClient[] waiters = [.. Enumerable.Range(0, WaiterCount).Select(_ => own.Connect())];
        for (int index = 0; index < WaiterCount; index++)
            waiters[index].Send("XREAD", "BLOCK", "0", "STREAMS", $"stream:{index % 3}", "0");
        ReplicationPair.Await("they wait",
            () => ReplicationPair.Number(replica, "clients", "blocked_clients") == WaiterCount);
        master.SendTo(firstEnd);
        AwaitOffset(replica, firstEnd);
        master.SendTo((int)bytes.Length);
        for (int index = 0; index < WaiterCount; index++)
        {
            int stream = index % 3;
            Assert.Equal($"*[*[$stream:{stream}, *[*[$1-1, *[$field, ${(stream * 1_000) + 500}]]]]]",
                waiters[index].Read().ToString());
        }

        AwaitOffset(replica, (int)bytes.Length);
        Assert.Equal("2999", replica.Call("GET", "key:99").Text);
    }

    private static RespClient Follow(OwnServer own, ScriptedMaster master)
    {
        RespClient replica = own.Connect();
        Assert.Equal("OK", replica.Call("REPLICAOF", "127.0.0.1", Text(master.Port)).Text);
        Assert.Equal(0, master.Accept());
        ReplicationPair.Await("the link is up", () =>
            ReplicationPair.Field(replica, "replication", "master_link_status") == "up");
        return replica;
    }

    private static void AssertData(Dictionary<string, long> expected, RespClient client)
    {
        Dictionary<string, long> data = RandomUnits.DataOf(client);
        Assert.Equal(expected.OrderBy(pair => pair.Key, StringComparer.Ordinal),
            data.OrderBy(pair => pair.Key, StringComparer.Ordinal));
    }

    private static int Offset(RespClient replica) =>
        (int)ReplicationPair.Number(replica, "replication", "slave_repl_offset");

    private static void AwaitOffset(RespClient replica, int offset) =>
        ReplicationPair.Await("all is applied", () => Offset(replica) == offset);

    private static long Number(RespValue value) => value.Text.Length == 0 ? 0 : value.Integer;

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
