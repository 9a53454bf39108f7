using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.Differential.Keys;

/// <summary>Commands that make a value of each type, small and big.</summary>
internal static class TypedData
{
    /// <summary>The types, by the names that TYPE replies.</summary>
    public static readonly string[] Types = ["string", "list", "set", "zset", "hash", "stream"];

    /// <summary>A key for each type, k0 to k10; k11 is missing.</summary>
    public static IEnumerable<string[]> OneOfEach()
    {
        yield return ["SET", "k0", "some text"];
        yield return ["SET", "k1", "12"];
        yield return ["PFADD", "k2", "a", "b", "c"];
        yield return ["RPUSH", "k3", "m1", "m2", "3", "m1"];
        yield return ["SADD", "k4", "1", "2", "3"];
        yield return ["SADD", "k5", "m1", "m2", "3"];
        yield return ["ZADD", "k6", "1", "m1", "2.5", "m2", "3", "3"];
        yield return ["HSET", "k7", "m1", "v", "m2", "2", "3", "4"];
        yield return ["XADD", "k8", "5-1", "f", "v"];
        yield return ["XADD", "k8", "7-2", "f", "v", "g", "w"];
        yield return ["GEOADD", "k9", "13.361389", "38.115556", "m1", "15.087269", "37.502669", "m2"];
        yield return ["RPUSH", "k10", .. Enumerable.Range(0, 200).Select(static number =>
            $"{new string('x', 60)}{number}")];
    }

    /// <summary>A value of so many items at key k.</summary>
    public static IEnumerable<string[]> Make(string type, int count)
    {
        for (int first = 0; first < count; first += 100)
        {
            int[] numbers = [.. Enumerable.Range(first, System.Math.Min(100, count - first))];
            if (type == "stream")
            {
                foreach (int number in numbers)
                    yield return ["XADD", "k", $"{number + 1}-0", "field", $"value {number}"];
                continue;
            }

            yield return type switch
            {
                "list" => ["RPUSH", "k", .. numbers.Select(number => $"element {number}")],
                "set" => ["SADD", "k", .. numbers.Select(number => $"{number}")],
                "zset" => ["ZADD", "k", .. numbers.SelectMany(number =>
                    (string[])[$"{number / 3.0}", $"member {number}"])],
                "hash" => ["HSET", "k", .. numbers.SelectMany(number =>
                    (string[])[$"field {number}", $"{number}"])],
                _ => ["APPEND", "k", .. (string[])[new string('x', numbers.Length * 300)]],
            };
        }
    }

    /// <summary>A change to the value at a key.</summary>
    public static string[] Change(string type, string key) => type switch
    {
        "list" => ["LPUSH", key, "more"],
        "set" => ["SADD", key, "more"],
        "zset" => ["ZADD", key, "17", "more"],
        "hash" => ["HSET", key, "more", "value"],
        "stream" => ["XADD", key, "999999-1", "more", "value"],
        _ => ["SETRANGE", key, "5", "more"],
    };
}
