using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>Random SORT and SORT_RO of all types, by other keys and fields, and into other keys.</summary>
public sealed class SortStreamTests
{
    private const double Seconds = 3;
    private static readonly string[] s_keys = ["l0", "l1", "s0", "s1", "z0", "z1", "i0"];
    private static readonly string[] s_bys =
        ["w_*", "w_*", "w_*->f", "h_*->f", "h_*->", "*", "nosort", "#", "w_*_x", "*->f", ""];
    private static readonly string[] s_gets =
        ["#", "w_*", "h_*->f", "h_*->none", "none", "h_*", "w_*->", "l*"];

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAndContentsAreThoseOfRedis(int protocol) => Duel.Run(Seconds, protocol, duel =>
    {
        duel.Call("CONFIG", "SET", "list-max-listpack-size", duel.Pick("-2", "4"));
        duel.Call("CONFIG", "SET", "set-max-intset-entries", duel.Pick("0", "512"));
        for (int count = 0; count < 50; count++)
            Fill(duel);
        for (int count = 0; count < 60; count++)
            Sort(duel);
        foreach (string key in s_keys)
        {
            if (duel.Call("TYPE", key).Text == "list") duel.Call("LRANGE", key, "0", "-1");
        }
    });

    internal static void Step(Duel duel)
    {
        Fill(duel);
        Sort(duel);
    }

    private static void Fill(Duel duel)
    {
        string element = Element(duel);
        switch (duel.Random.Next(12))
        {
            case 0:
                duel.Call("DEL", duel.Pick(s_keys));
                break;
            case 1 or 2:
                // Different weights: the order of elements with equal ones is not specified.
                duel.Call("SET", "w_" + element, $"{duel.Random.Next()}.{duel.Random.Next(10)}");
                break;
            case 3:
                duel.Call("HSET", "h_" + element, "f", $"{duel.Random.Next()}");
                break;
            case 4:
                duel.Call("DEL", duel.Pick("w_", "h_") + element);
                break;
            case 5:
                string weight = duel.Pick("abc", "", "nan", "-inf", "1 ", "1e400", "1e-400");
                duel.Call("SET", "w_" + element, weight);
                break;
            case 6:
                duel.Call("SADD", duel.Pick("s0", "s1"), element);
                break;
            case 7:
                duel.Call("ZADD", duel.Pick("z0", "z1"), $"{duel.Random.Next(100)}", element);
                break;
            case 8:
                duel.Call("SADD", "i0", $"{duel.Random.Next(-1000, 1000)}");
                break;
            case 9:
                if (duel.Random.Next(20) == 0) duel.Call("SET", duel.Pick(s_keys), "text");
                break;
            default:
                // A type that a key got from a STORE is no error here.
                duel.Call(duel.Pick("RPUSH", "LPUSH"), duel.Pick("l0", "l1"), element);
                break;
        }
    }

    private static void Sort(Duel duel)
    {
        string key = duel.Random.Next(30) == 0 ? "missing" : duel.Pick(s_keys);
        bool isReadOnly = duel.Random.Next(3) == 0;
        List<string[]> parts = [];
        string by = duel.Random.Next(2) == 0 ? duel.Pick(s_bys) : "w";
        bool isBy = by != "w";
        if (isBy) parts.Add(["BY", by]);
        bool isAlpha = duel.Random.Next(2) == 0;
        if (isAlpha) parts.Add(["alpha"]);
        if (duel.Random.Next(2) == 0) parts.Add([duel.Pick("ASC", "desc")]);
        // The order of several elements without a text is not specified either.
        bool isAnyOrder = isAlpha && isBy && by.Contains('*');
        bool isSetOrder = isBy && !by.Contains('*') && duel.Call("TYPE", key).Text == "set";
        if (duel.Random.Next(3) == 0 && !isAnyOrder && !isSetOrder)
        {
            string offset = duel.Pick("0", "1", "3", "-2", "100", "x");
            parts.Add(["LIMIT", offset, duel.Pick("0", "1", "5", "-1", "y")]);
        }

        for (int count = duel.Random.Next(3) == 0 ? duel.Random.Next(4) : 0; count > 0; count--)
            parts.Add(["get", duel.Pick(s_gets)]);
        bool isStore = !isAnyOrder && !isReadOnly && duel.Random.Next(3) == 0;
        if (isStore) parts.Add(["STORE", duel.Pick("l0", "l1", "d0")]);
        string[][] shuffled = [.. parts];
        duel.Random.Shuffle(shuffled);
        if (duel.Random.Next(40) == 0)
            shuffled = [.. shuffled, [duel.Pick("STORE", "by", "get", "limit", "x")]];
        string[] words = [isReadOnly ? "SORT_RO" : "SORT", key, .. shuffled.SelectMany(static part => part)];
        if (isSetOrder || isAnyOrder)
            duel.CallUnordered(words);
        else
            duel.Call(words);
        if (isStore) duel.Call("EXISTS", "d0");
    }

    private static string Element(Duel duel) => duel.Random.Next(12) switch
    {
        0 => $"{duel.Random.Next(100)}.5",
        1 => duel.Pick("", "a", "ab", "abcdefgh", "abcdefghi", "-1", "1e3", "inf", "-0", "00"),
        _ => $"{duel.Random.Next(60)}",
    };
}
