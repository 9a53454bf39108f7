using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Persistence.Rdb;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>A random value of a type and encoding: its bytes, and the commands that read it with the replies
/// that they must give. Members of replies without order are sorted.</summary>
public sealed class RandomValue
{
    private const long DeadlineMs = 4_000_000_000_000;
    private readonly Random _random;

    /// <summary>Makes a value of a type.</summary>
    public RandomValue(Random random, RdbType type)
    {
        _random = random;
        Bytes = new PayloadBytes(random);
        Type = type;
        Fill(random.Next(4) switch
        {
            0 => 1,
            1 => random.Next(2, 30),
            2 => random.Next(100, 600),
            _ => 5,
        });
    }

    /// <summary>How it is written.</summary>
    public RdbType Type { get; }

    /// <summary>Command lines with the key K, and the elements of their replies.</summary>
    public List<(string[] Command, string[] Reply, bool IsSorted)> Expected { get; } = [];

    private PayloadBytes Bytes { get; }

    /// <summary>What was written.</summary>
    public byte[] ToArray() => Bytes.ToArray();

    private void Fill(int size)
    {
        switch (Type)
        {
            case RdbType.String:
                byte[] text = Item(2000);
                Bytes.Text(text);
                Expect(["GET", "K"], [text]);
                break;
            case RdbType.List or RdbType.ListZiplist or RdbType.ListQuicklist or RdbType.ListQuicklist2:
                FillList(size);
                break;
            case RdbType.Set or RdbType.SetIntset or RdbType.SetListpack:
                FillSet(size);
                break;
            case RdbType.SortedSet or RdbType.SortedSet2 or RdbType.SortedSetZiplist
                or RdbType.SortedSetListpack:
                FillSortedSet(size);
                break;
            default:
                FillHash(size);
                break;
        }
    }

    private void FillList(int size)
    {
        byte[][] items = [.. Enumerable.Range(0, size).Select(_ => Item(300))];
        Expect(["LRANGE", "K", "0", "-1"], items);
        Expect(["LLEN", "K"], [Encoding.ASCII.GetBytes($"{size}")]);
        switch (Type)
        {
            case RdbType.List:
                Bytes.Length((ulong)size);
                foreach (byte[] item in items)
                    Bytes.Text(item);
                break;
            case RdbType.ListZiplist:
                Bytes.Text(PackedForms.Ziplist(items, _random.Next(3) == 0));
                break;
            default:
                byte[][][] nodes = [.. items.Chunk(_random.Next(1, 200))];
                Bytes.Length((ulong)nodes.Length);
                foreach (byte[][] node in nodes)
                    WriteNode(node);
                break;
        }
    }

    private void WriteNode(byte[][] items)
    {
        if (Type == RdbType.ListQuicklist)
            Bytes.Text(PackedForms.Ziplist(items));
        else if (items.Length == 1 && items[0].Length > 0 && _random.Next(2) == 0)
            Bytes.Length(1).Text(items[0]);
        else
            Bytes.Length(2).Text(PackedForms.Listpack(items));
    }

    private void FillSet(int size)
    {
        byte[][] members = Distinct(size, Type == RdbType.SetIntset ? Integer : () => Item(90));
        Expect(["SMEMBERS", "K"], members, isSorted: true);
        Expect(["SMISMEMBER", "K", .. members.Take(20).Select(Latin), "no such member"],
            [.. members.Take(20).Select(_ => "1"u8.ToArray()), "0"u8.ToArray()]);
        switch (Type)
        {
            case RdbType.Set:
                Bytes.Length((ulong)size);
                foreach (byte[] member in members)
                    Bytes.Text(member);
                break;
            case RdbType.SetIntset:
                Bytes.Text(PackedForms.Intset([.. members.Select(member =>
                    long.Parse(Latin(member), CultureInfo.InvariantCulture))]));
                break;
            default:
                Bytes.Text(PackedForms.Listpack(members));
                break;
        }
    }

    private void FillSortedSet(int size)
    {
        bool isPacked = Type is RdbType.SortedSetZiplist or RdbType.SortedSetListpack;
        (byte[] Member, double Score)[] pairs = [.. Distinct(size, () => Item(90))
            .Select(member => (member, Score()))];
        (byte[] Member, double Score)[] ordered = [.. pairs.OrderBy(pair => pair.Score)
            .ThenBy(pair => Latin(pair.Member), StringComparer.Ordinal)];
        Expect(["ZRANGE", "K", "0", "-1"], [.. ordered.Select(pair => pair.Member)]);
        Expect(["ZMSCORE", "K", .. pairs.Take(20).Select(pair => Latin(pair.Member))],
            [.. pairs.Take(20).Select(pair => ScoreText(pair.Score))]);
        if (isPacked)
        {
            // Some are out of order, which is put right.
            var written = _random.Next(4) == 0 ? pairs : ordered;
            IEnumerable<byte[]> items = written.SelectMany(pair =>
                new[] { pair.Member, ScoreText(pair.Score) });
            Bytes.Text(Type == RdbType.SortedSetZiplist
                ? PackedForms.Ziplist(items) : PackedForms.Listpack(items));
            return;
        }

        Bytes.Length((ulong)size);
        foreach ((byte[] member, double score) in pairs)
        {
            Bytes.Text(member);
            _ = Type == RdbType.SortedSet ? Bytes.TextScore(score) : Bytes.BinaryScore(score);
        }
    }

    private void FillHash(int size)
    {
        bool hasDeadlines = Type is RdbType.HashMetadata or RdbType.HashMetadataPreGa
            or RdbType.HashListpackEx or RdbType.HashListpackExPreGa or RdbType.ValkeyHash2;
        (byte[] Field, byte[] Value, long DeadlineMs)[] fields = [.. Distinct(size, () => Item(90))
            .Select(field => (field, Item(90), hasDeadlines && _random.Next(3) != 0
                ? DeadlineMs + _random.Next() : 0L))];
        Expect(["HGETALL", "K"], [.. fields.SelectMany(field => new[] { field.Field, field.Value })],
            isSorted: true);
        Expect(["HMGET", "K", .. fields.Take(20).Select(field => Latin(field.Field))],
            [.. fields.Take(20).Select(field => field.Value)]);
        if (hasDeadlines)
        {
            string[] names = [.. fields.Take(30).Select(field => Latin(field.Field))];
            Expect(["HPEXPIRETIME", "K", "FIELDS", $"{names.Length}", .. names], [.. fields.Take(30).Select(
                field => Encoding.ASCII.GetBytes(field.DeadlineMs == 0 ? "-1" : $"{field.DeadlineMs}"))]);
        }

        WriteHash(fields);
    }

    private void WriteHash((byte[] Field, byte[] Value, long DeadlineMs)[] fields)
    {
        var pairs = fields.SelectMany(field => new[] { field.Field, field.Value });
        long[] deadlines = [.. fields.Select(field => field.DeadlineMs).Where(deadline => deadline > 0)];
        long first = deadlines.Length == 0 ? 0 : deadlines.Min();
        switch (Type)
        {
            case RdbType.HashZipmap:
                Bytes.Text(PackedForms.Zipmap(
                    _random, [.. fields.Select(field => (field.Field, field.Value))]));
                break;
            case RdbType.HashZiplist:
                Bytes.Text(PackedForms.Ziplist(pairs));
                break;
            case RdbType.HashListpack:
                Bytes.Text(PackedForms.Listpack(pairs));
                break;
            case RdbType.HashListpackEx or RdbType.HashListpackExPreGa:
                if (Type == RdbType.HashListpackEx)
                    Bytes.Int64(first);
                var written = _random.Next(4) == 0 ? fields
                    : [.. fields.OrderBy(field => field.DeadlineMs == 0 ? long.MaxValue : field.DeadlineMs)];
                Bytes.Text(PackedForms.Listpack(written.SelectMany(field => new[]
                    { field.Field, field.Value, Encoding.ASCII.GetBytes($"{field.DeadlineMs}") })));
                break;
            default:
                WriteFields(fields, first);
                break;
        }
    }

    private void WriteFields((byte[] Field, byte[] Value, long DeadlineMs)[] fields, long first)
    {
        if (Type == RdbType.HashMetadata)
            Bytes.Int64(first);
        Bytes.Length((ulong)fields.Length);
        foreach ((byte[] field, byte[] value, long deadlineMs) in fields)
        {
            if (Type == RdbType.HashMetadata)
                Bytes.Length((ulong)(deadlineMs == 0 ? 0 : deadlineMs - first + 1));
            else if (Type == RdbType.HashMetadataPreGa)
                Bytes.Length((ulong)deadlineMs);
            Bytes.Text(field).Text(value);
            if (Type == RdbType.ValkeyHash2)
                Bytes.Int64(deadlineMs == 0 ? -1 : deadlineMs);
        }
    }

    private void Expect(string[] command, byte[][] reply, bool isSorted = false)
    {
        string[] texts = [.. reply.Select(Latin)];
        if (isSorted)
            Array.Sort(texts, StringComparer.Ordinal);
        Expected.Add((command, texts, isSorted));
    }

    private byte[][] Distinct(int count, Func<byte[]> next)
    {
        var seen = new HashSet<string>();
        var items = new List<byte[]>();
        while (items.Count < count)
        {
            byte[] item = next();
            if (seen.Add(Latin(item)))
                items.Add(item);
        }

        return [.. items];
    }

    private byte[] Item(int lengthMax)
    {
        switch (_random.Next(6))
        {
            case 0:
                return Integer();
            case 1:
                return [.. Enumerable.Repeat((byte)_random.Next(256), _random.Next(lengthMax))];
            default:
                var bytes = new byte[_random.Next(_random.Next(8) == 0 ? lengthMax : 12)];
                _random.NextBytes(bytes);
                return bytes;
        }
    }

    private byte[] Integer()
    {
        long value = _random.NextInt64(long.MinValue, long.MaxValue) >> _random.Next(64);
        return Encoding.ASCII.GetBytes(value.ToString(CultureInfo.InvariantCulture));
    }

    private double Score() => _random.Next(5) switch
    {
        0 => double.NegativeInfinity,
        1 => _random.Next(-5, 5),
        2 => _random.Next(),
        _ => _random.Next(16, 1 << 20) / 1024.0,
    };

    private static byte[] ScoreText(double score) => Encoding.ASCII.GetBytes(
        double.IsInfinity(score) ? score < 0 ? "-inf" : "inf"
        : score.ToString("R", CultureInfo.InvariantCulture));

    private static string Latin(byte[] bytes) => Encoding.Latin1.GetString(bytes);
}
