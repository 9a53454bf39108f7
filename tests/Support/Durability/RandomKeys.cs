using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>Commands that make random keys of all types and encodings; redis-server 7.0 knows
/// them.</summary>
public sealed class RandomKeys(Random random)
{
    private const int DatabaseCount = 3;
    private const long DeadlineMs = 4_000_000_000_000;

    /// <summary>Whether scores may be negative zeros: redis-server keeps them, or loses their sign, depending
    /// on the encoding that a sorted set had when it came.</summary>
    public bool HasNegativeZeros { get; init; } = true;

    /// <summary>The keys that have been made, with their databases.</summary>
    public List<(int Database, string Key)> Made { get; } = [];

    /// <summary>The commands for a number of keys.</summary>
    public IEnumerable<string[]> Commands(int keyCount)
    {
        int selected = -1;
        for (int number = 0; number < keyCount; number++)
        {
            int database = keyCount < DatabaseCount ? 0 : number * DatabaseCount / keyCount;
            if (database != selected)
                yield return ["SELECT", $"{selected = database}"];
            string key = random.Next(12) == 0 ? $"{number}" : $"key:{number}:{Text(random.Next(0, 60))}";
            Made.Add((database, key));
            foreach (string[] words in Make(key))
                yield return words;
            if (random.Next(5) == 0)
                yield return ["PEXPIREAT", key, $"{DeadlineMs + random.Next()}"];
        }
    }

    private IEnumerable<string[]> Make(string key) => random.Next(12) switch
    {
        0 => [["SET", key, $"{Integer()}"]],
        1 => [["SET", key, Text(random.Next(0, 200))]],
        2 => BigString(key),
        3 => List(key, random.Next(1, 60)),
        4 => List(key, random.Next(200, 3000)),
        5 => [["SADD", key, .. Many(random.Next(1, 700), () => $"{Integer()}")]],
        6 => [["SADD", key, .. Many(random.Next(1, 400), Word)]],
        7 => [["ZADD", key, .. Many(random.Next(1, 60), Scored)]],
        8 => [["ZADD", key, .. Many(random.Next(100, 900), Scored)]],
        9 => [["HSET", key, .. Many(random.Next(1, 100), Word, Word)]],
        10 => [["HSET", key, .. Many(random.Next(100, 900), Word, Word)]],
        _ => Stream(key),
    };

    private IEnumerable<string[]> BigString(string key)
    {
        yield return ["SET", key, Text(random.Next(60_000, 400_000))];
        if (random.Next(3) == 0)
            yield return ["SETRANGE", key, $"{random.Next(1_000_000)}", Text(100)];
    }

    private IEnumerable<string[]> List(string key, int count)
    {
        yield return [random.Next(2) == 0 ? "RPUSH" : "LPUSH", key, .. Many(count, Word)];
        if (random.Next(4) == 0)
            yield return ["RPUSH", key, Text(random.Next(8000, 30_000)), "last"];
    }

    private IEnumerable<string[]> Stream(string key)
    {
        int count = random.Next(1, 300);
        for (int number = 1; number <= count; number++)
        {
            string[] fields = random.Next(4) == 0
                ? [.. Many(random.Next(1, 5), Word, Word)]
                : ["a", Word(), "b", Word()];
            yield return ["XADD", key, $"{number * 1000}-{random.Next(5)}", .. fields];
        }

        foreach (int number in Enumerable.Range(0, random.Next(20)).Select(_ => random.Next(1, count + 1)))
            yield return ["XDEL", key, $"{number * 1000}-{random.Next(5)}"];
        for (int group = random.Next(3); group > 0; group--)
        {
            yield return ["XGROUP", "CREATE", key, $"group{group}", random.Next(2) == 0 ? "0" : "5000-0"];
            yield return ["XGROUP", "CREATECONSUMER", key, $"group{group}", "idle"];
            for (int reader = random.Next(4); reader > 0; reader--)
            {
                yield return ["XREADGROUP", "GROUP", $"group{group}", $"consumer{reader}", "COUNT",
                    $"{random.Next(1, 40)}", "STREAMS", key, ">"];
            }
        }
    }

    private string[] Many(int count, params Func<string>[] parts) =>
        [.. Enumerable.Range(0, count).SelectMany(_ => parts.Select(static part => part()))];

    private string[] Many(int count, Func<string[]> parts) =>
        [.. Enumerable.Range(0, count).SelectMany(_ => parts())];

    private string[] Scored() => [Score(), Word()];

    private string Score() => random.Next(6) switch
    {
        0 => "inf",
        1 => random.Next(2) == 0 || !HasNegativeZeros ? "-inf" : "-0",
        2 => $"{random.Next(-1000, 1000)}",
        3 => (random.NextDouble() * 1e300).ToString("R", CultureInfo.InvariantCulture),
        _ => (random.NextDouble() - 0.5).ToString("R", CultureInfo.InvariantCulture),
    };

    private string Word() => random.Next(6) switch
    {
        0 => $"{Integer()}",
        1 => Text(random.Next(60, 70)),
        2 when random.Next(10) == 0 => Text(random.Next(70, 5000)),
        3 when random.Next(30) == 0 => "",
        _ => $"word {random.Next(100_000)}",
    };

    private long Integer() => random.Next(5) switch
    {
        0 => random.Next(-200, 200),
        1 => random.Next(-40_000, 40_000),
        2 => random.Next(int.MinValue, int.MaxValue),
        3 => random.NextInt64(),
        _ => random.Next(13) switch { 0 => long.MinValue, 1 => long.MaxValue, _ => random.Next(5000) },
    };

    // Compressible or not, and all bytes.
    private string Text(int length) => random.Next(3) switch
    {
        0 => new string((char)random.Next(256), length),
        1 => string.Create(length, random, static (text, random) =>
        {
            for (int at = 0; at < text.Length; at++)
                text[at] = (char)random.Next(256);
        }),
        _ => string.Create(length, random, static (text, random) =>
        {
            for (int at = 0; at < text.Length; at++)
                text[at] = at >= 40 && random.Next(20) != 0 ? text[at - 37] : (char)random.Next(97, 123);
        }),
    };
}
