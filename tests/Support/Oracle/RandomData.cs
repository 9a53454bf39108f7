using System;
using System.Collections.Generic;
using System.Globalization;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>Random data of all types, in small and big encodings, by commands that redis-server 7.0
/// knows.</summary>
public static class RandomData
{
    private const int BigCount = 700;
    private const int ElementsPerCall = 100;
    private const long FarAwayMs = 4_000_000_000_000;

    /// <summary>Fills databases 0 and 9 of a server.</summary>
    public static void Fill(RespClient client, ulong seed, int keyCount)
    {
        var random = new Random((int)seed);
        foreach (string database in (string[])["0", "9"])
        {
            client.Call("SELECT", database);
            for (int index = 0; index < keyCount; index++)
                AddKey(client, random, $"key:{index}:{Text(random, 12)}");
        }

        client.Call("SELECT", "0");
    }

    private static void AddKey(RespClient client, Random random, string key)
    {
        int size = random.Next(6) == 0 ? BigCount : random.Next(1, 40);
        switch (random.Next(8))
        {
            case 0:
                client.Call("SET", key, Number(random));
                break;
            case 1:
                client.Call("SET", key, random.Next(8) == 0 ? new string('z', 200_000) : Text(random, 300));
                break;
            case 2:
                Add(client, ["RPUSH", key], random, size, static r => [Value(r)]);
                break;
            case 3:
                Add(client, ["SADD", key], random, size, static r => [Number(r)]);
                break;
            case 4:
                Add(client, ["SADD", key], random, size, static r => [Value(r)]);
                break;
            case 5:
                Add(client, ["ZADD", key], random, size, static r => [Score(r), Value(r)]);
                break;
            case 6:
                Add(client, ["HSET", key], random, size, static r => [Value(r), Value(r)]);
                break;
            default:
                AddStream(client, random, key, size);
                break;
        }

        if (random.Next(5) == 0)
            client.Call("PEXPIREAT", key, (FarAwayMs + random.Next()).ToString(CultureInfo.InvariantCulture));
    }

    private static void AddStream(RespClient client, Random random, string key, int size)
    {
        for (int index = 0; index < size; index++)
        {
            string id = $"{index + 1}-{random.Next(9)}";
            client.Call("XADD", key, id, "field", Value(random), "n", Number(random));
        }

        client.Call("XGROUP", "CREATE", key, "group", random.Next(2) == 0 ? "0" : "5");
        client.Call("XREADGROUP", "GROUP", "group", "consumer", "COUNT", "7", "STREAMS", key, ">");
        client.Call("XREADGROUP", "GROUP", "group", "other", "COUNT", "3", "STREAMS", key, ">");
        client.Call("XACK", key, "group", "1-0", "2-1", "3-2");
        if (random.Next(2) == 0)
            client.Call("XDEL", key, "2-0", "3-0", "4-4");
        if (random.Next(4) == 0)
            client.Call("XTRIM", key, "MAXLEN", "10");
    }

    private static void Add(
        RespClient client, string[] start, Random random, int count, Func<Random, string[]> element)
    {
        for (int done = 0; done < count; done += ElementsPerCall)
        {
            List<string> words = [.. start];
            for (int index = done; index < Math.Min(count, done + ElementsPerCall); index++)
                words.AddRange(element(random));
            client.Call([.. words]);
        }
    }

    private static string Value(Random random) => random.Next(3) switch
    {
        0 => Number(random),
        1 => Text(random, 20),
        _ => random.Next(20) == 0 ? new string((char)random.Next(256), 500) : Text(random, 80),
    };

    private static string Number(Random random)
    {
        long number = random.Next(4) switch
        {
            0 => random.Next(-200, 200),
            1 => random.Next(-100_000, 100_000),
            2 => random.Next(),
            _ => random.NextInt64(),
        };
        return number.ToString(CultureInfo.InvariantCulture);
    }

    private static string Score(Random random) => random.Next(10) == 0 ? "-inf"
        : (random.NextDouble() * random.Next()).ToString("R", CultureInfo.InvariantCulture);

    private static string Text(Random random, int lengthMax) =>
        string.Create(random.Next(1, lengthMax), random, static (text, source) =>
        {
            for (int index = 0; index < text.Length; index++)
                text[index] = (char)source.Next(256);
        });
}
