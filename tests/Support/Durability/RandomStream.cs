using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Persistence.Rdb;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>A random stream: its bytes in a version of the encoding, and what it is.</summary>
public sealed class RandomStream
{
    private const long NowMs = 1_700_000_000_000;

    private readonly Random _random;
    private readonly RdbType _type;

    /// <summary>Makes a stream.</summary>
    public RandomStream(Random random, RdbType type)
    {
        _random = random;
        _type = type;
        Bytes = new PayloadBytes(random);
        MakeEntries();
        WriteNodes();
        WriteFigures();
        WriteGroups();
        if (type == RdbType.StreamListpacks4)
            WriteProducers();
    }

    /// <summary>The live entries.</summary>
    public List<(string Id, string[] Fields)> Entries { get; } = [];

    /// <summary>The last ID that was ever added.</summary>
    public (ulong Ms, ulong Sequence) LastId { get; private set; }

    /// <summary>Groups with their pending entries: ID, consumer, deliveries.</summary>
    public List<(string Name, string LastId, List<(string Id, string Consumer, int Count)> Pending,
        List<string> Consumers)> Groups { get; } = [];

    /// <summary>What producers have added: producer, ID, entry.</summary>
    public List<(string Producer, string Id, string Entry)> Produced { get; } = [];

    private PayloadBytes Bytes { get; }

    private List<((ulong Ms, ulong Sequence) Id, byte[][] Fields, bool IsDeleted)> All { get; } = [];

    /// <summary>What was written.</summary>
    public byte[] ToArray() => Bytes.ToArray();

    private void MakeEntries()
    {
        ulong ms = NowMs;
        ulong sequence = 0;
        int count = _random.Next(5) == 0 ? 0 : _random.Next(1, 120);
        string[] names = [Word(), Word()];
        for (int number = 0; number < count; number++)
        {
            (ms, sequence) = _random.Next(3) == 0
                ? (ms, sequence + (ulong)_random.Next(1, 5))
                : (ms + (ulong)_random.Next(1, 100_000), (ulong)_random.Next(3));
            string[] fields = _random.Next(4) == 0
                ? [.. Enumerable.Range(0, 2 * _random.Next(1, 4)).Select(_ => Word())]
                : [names[0], Word(), names[1], Word()];
            All.Add(((ms, sequence), [.. fields.Select(Encoding.Latin1.GetBytes)], _random.Next(6) == 0));
        }

        LastId = (ms + (ulong)_random.Next(5), sequence + 1);
    }

    private void WriteNodes()
    {
        // A node has at least one live entry.
        var nodes = All.Chunk(_random.Next(1, 50))
            .Where(node => node.Any(entry => !entry.IsDeleted)).ToArray();
        Bytes.Length((ulong)nodes.Length);
        foreach (var node in nodes)
        {
            byte[] id = new PayloadBytes(_random).RawId(node[0].Id).ToArray();
            Bytes.Length((ulong)id.Length).Raw(id).Text(PackedForms.StreamNode(node[0].Id, node));
            foreach (var entry in node.Where(entry => !entry.IsDeleted))
                Entries.Add((Text(entry.Id), [.. entry.Fields.Select(Encoding.Latin1.GetString)]));
        }
    }

    private void WriteFigures()
    {
        Bytes.Length((ulong)Entries.Count).Id(LastId);
        if (_type == RdbType.StreamListpacks)
            return;
        var first = All.FirstOrDefault(entry => !entry.IsDeleted).Id;
        var deleted = All.Where(entry => entry.IsDeleted).Select(entry => entry.Id).DefaultIfEmpty().Max();
        Bytes.Id(first).Id(deleted).Length((ulong)All.Count);
    }

    private void WriteGroups()
    {
        int count = _random.Next(3);
        Bytes.Length((ulong)count);
        for (int number = 0; number < count; number++)
        {
            var lastId = All.Count == 0 ? LastId : All[_random.Next(All.Count)].Id;
            Bytes.Text(Encoding.Latin1.GetBytes($"group{number}")).Id(lastId);
            if (_type != RdbType.StreamListpacks)
                Bytes.Length(_random.Next(2) == 0 ? ulong.MaxValue : (ulong)_random.Next(100));
            WriteGroup($"group{number}", lastId);
        }
    }

    private void WriteGroup(string name, (ulong Ms, ulong Sequence) lastId)
    {
        string[] consumers = [.. Enumerable.Range(0, _random.Next(1, 4)).Select(index => $"c{index}")];
        var pending = All.Where(_ => _random.Next(3) == 0)
            .Select(entry => (entry.Id, Consumer: consumers[_random.Next(consumers.Length)],
                Count: _random.Next(1, 9))).ToList();
        Bytes.Length((ulong)pending.Count);
        foreach (var (id, _, count) in pending)
            Bytes.RawId(id).Int64(NowMs + _random.Next()).Length((ulong)count);
        Bytes.Length((ulong)consumers.Length);
        foreach (string consumer in consumers)
        {
            Bytes.Text(Encoding.Latin1.GetBytes(consumer)).Int64(NowMs);
            if (_type is RdbType.StreamListpacks3 or RdbType.StreamListpacks4)
                Bytes.Int64(_random.Next(2) == 0 ? -1 : NowMs);
            var owned = pending.Where(entry => entry.Consumer == consumer).ToList();
            Bytes.Length((ulong)owned.Count);
            foreach (var (id, _, _) in owned)
                Bytes.RawId(id);
        }

        Groups.Add((name, Text(lastId),
            [.. pending.Select(entry => (Text(entry.Id), entry.Consumer, entry.Count))], [.. consumers]));
    }

    private void WriteProducers()
    {
        Bytes.Length((ulong)_random.Next(1, 1000)).Length((ulong)_random.Next(100, 1000));
        var named = Entries.Take(30).Select((entry, index) =>
            (Producer: $"p{index % 3}", Id: $"i{index}", Entry: entry.Id)).ToList();
        var producers = named.GroupBy(item => item.Producer).ToList();
        Bytes.Length((ulong)producers.Count);
        foreach (var producer in producers)
        {
            Bytes.Text(Encoding.Latin1.GetBytes(producer.Key)).Length((ulong)producer.Count());
            foreach (var (_, id, entry) in producer)
            {
                ulong[] parts = [.. entry.Split('-').Select(ulong.Parse)];
                Bytes.Text(Encoding.Latin1.GetBytes(id)).Id((parts[0], parts[1]));
            }
        }

        Produced.AddRange(named);
        Bytes.Length((ulong)named.Count + 7).Length(3);
    }

    private string Word() => _random.Next(3) == 0
        ? $"{_random.NextInt64(long.MinValue, long.MaxValue) >> _random.Next(64)}"
        : new string((char)_random.Next('a', 'z'), _random.Next(30));

    private static string Text((ulong Ms, ulong Sequence) id) => $"{id.Ms}-{id.Sequence}";
}
