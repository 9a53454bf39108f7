using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Simulation;

/// <summary>
/// Streams under real threads: consumers of a group and readers wait with short timeouts, are served in vain,
/// time out and are unblocked, concurrently. Every entry comes to one consumer, and to every reader in order.
/// </summary>
public sealed class StreamStressTests
{
    private const int ProducerCount = 3;
    private const int ConsumerCount = 4;
    private const int ReaderCount = 2;
    private const int EntriesPerProducer = 300;
    private const int EntryCount = ProducerCount * EntriesPerProducer;
    private const int TimeMsMax = 300_000;

    private static readonly string[] s_streams = ["s0", "s1"];

    private readonly ConcurrentQueue<string> _consumed = new();
    private readonly ConcurrentQueue<string> _ids = new();
    private readonly long _endMs = Environment.TickCount64 + TimeMsMax;
    private int _readerCountLeft = ReaderCount;

    private bool IsOver => Environment.TickCount64 > _endMs
        || (_consumed.Count >= EntryCount && Volatile.Read(ref _readerCountLeft) == 0);

    [Fact]
    public async Task EveryEntryComesToOneConsumerAndToEveryReader()
    {
        using var server = new StressServer();
        using (RespClient admin = server.Connect())
        {
            foreach (string stream in s_streams)
                Assert.Equal("OK", admin.Call("XGROUP", "CREATE", stream, "g", "$", "MKSTREAM").Text);
        }

        List<Task> tasks = [];
        for (int index = 0; index < ConsumerCount; index++)
        {
            string name = $"c{index}";
            tasks.Add(Start(server, client => Consume(client, name)));
        }

        for (int index = 0; index < ReaderCount; index++)
            tasks.Add(Start(server, Read));
        for (int index = 0; index < ProducerCount; index++)
        {
            int producer = index;
            tasks.Add(Start(server, client => Produce(client, producer)));
        }

        tasks.Add(Start(server, Unblock));
        try
        {
            await Task.WhenAll(tasks);
        }
        catch (IOException) when (!server.Faults.IsEmpty)
        {
            Assert.Fail(string.Join('\n', server.Faults));
        }

        Assert.Empty(server.Faults);
        Assert.Equal(EntryCount, _consumed.Count);
        Assert.Equal(EntryCount, _consumed.Distinct().Count());
    }

    private static Task Start(StressServer server, Action<RespClient> act) => Task.Factory.StartNew(
        () =>
        {
            using RespClient client = server.Connect();
            act(client);
        },
        CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private static void Produce(RespClient client, int producer)
    {
        for (int entry = 0; entry < EntriesPerProducer; entry++)
        {
            string stream = s_streams[(producer + entry) % s_streams.Length];
            if (client.Call("XADD", stream, "*", "f", $"{producer}.{entry}").Kind != '$')
                throw new InvalidDataException("XADD was refused.");
        }
    }

    private void Consume(RespClient client, string name)
    {
        _ids.Enqueue(client.Call("CLIENT", "ID").Text);
        while (!IsOver)
        {
            RespValue reply = client.Call("XREADGROUP", "GROUP", "g", name, "COUNT", "2", "BLOCK", "5",
                "STREAMS", "s0", "s1", ">", ">");
            foreach ((string stream, string id) in Entries(reply))
                _consumed.Enqueue($"{stream} {id}");
        }
    }

    private void Read(RespClient client)
    {
        _ids.Enqueue(client.Call("CLIENT", "ID").Text);
        var last = s_streams.ToDictionary(static stream => stream, static _ => "0-0");
        int count = 0;
        while (count < EntryCount && Environment.TickCount64 < _endMs)
        {
            RespValue reply = client.Call(
                "XREAD", "COUNT", "3", "BLOCK", "5", "STREAMS", "s0", "s1", last["s0"], last["s1"]);
            foreach ((string stream, string id) in Entries(reply))
            {
                if (Number(id) <= Number(last[stream]))
                    throw new InvalidDataException($"{id} of {stream} came behind {last[stream]}.");
                last[stream] = id;
                count++;
            }
        }

        Interlocked.Decrement(ref _readerCountLeft);
        if (count != EntryCount)
            throw new InvalidDataException($"A reader has {count} entries.");
    }

    private void Unblock(RespClient client)
    {
        while (!IsOver)
        {
            foreach (string id in _ids)
                client.Call("CLIENT", "UNBLOCK", id);
            Thread.Sleep(1);
        }
    }

    private static IEnumerable<(string Stream, string Id)> Entries(RespValue reply)
    {
        if (reply.Kind == '-')
            throw new InvalidDataException(reply.Text);
        foreach (RespValue stream in reply.Items)
        {
            foreach (RespValue entry in stream.Items[1].Items)
                yield return (stream.Items[0].Text, entry.Items[0].Text);
        }
    }

    private static UInt128 Number(string id)
    {
        string[] parts = id.Split('-');
        return ((UInt128)ulong.Parse(parts[0]) << 64) + ulong.Parse(parts[1]);
    }
}
