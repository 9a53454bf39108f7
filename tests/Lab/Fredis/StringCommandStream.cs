using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.Lab.Fredis;

/// <summary>
/// Random string commands as they were in 2016, over few keys, so that they meet; now and then with arguments
/// that make no sense, one too many, or one too few.
/// </summary>
internal sealed class StringCommandStream(Random random)
{
    // k: key, v: value, i: integer, f: float, r: index of a range, o: bit offset, p: byte offset, b: bit,
    // w: operator of BITOP, c: condition of SET, *: the letter before it once more or often, ?: or not.
    private static readonly string[] s_shapes =
    [
        "APPEND k v", "BITCOUNT k", "BITCOUNT k r r", "BITOP w k k k*", "BITPOS k b", "BITPOS k b r",
        "BITPOS k b r r", "DECR k", "DECRBY k i", "GET k", "GETBIT k o", "GETRANGE k r r", "GETSET k v",
        "INCR k", "INCRBY k i", "INCRBYFLOAT k f", "MGET k k*", "MSET k v k v", "MSETNX k v k v", "PING",
        "PING v", "SET k v", "SET k i", "SET k f", "SET k v c", "SETBIT k o b", "SETNX k v",
        "SETRANGE k p v", "STRLEN k",
    ];

    private static readonly string[] s_oddNames =
        ["FLUSHDB", "NONSENSE", "GETX", "", "x\r\ny", "a\0b", new string('n', 200)];

    private static readonly string[] s_integers =
    [
        "0", "1", "-1", "7", "10", "-35", "1000", "9223372036854775807", "-9223372036854775808",
        "4611686018427387904",
    ];

    private static readonly string[] s_floats =
    [
        "0", "1.5", "-2.25", "3.0e3", "0.1", "1e-5", "-1", "123456789.125", "1e300", "0x1p4", "inf", "-inf",
        "nan", "1e4931", "10000000000000000000", "3.",
    ];

    private static readonly string[] s_odd =
    [
        "", "abc", " 1", "1 ", "+1", "01", "-0", "-", "1.5", "9223372036854775808", "18446744073709551616",
        "4294967296", "-1", "2", "\0", "1\0", "\r\n", "\xff\xfe",
    ];

    /// <summary>The next command's words.</summary>
    public string[] Next()
    {
        switch (random.Next(150))
        {
            case 0:
                return ["FLUSHDB"];
            case 1:
                return [Pick(s_oddNames), Value(), Value()];
        }

        string[] shape = s_shapes[random.Next(s_shapes.Length)].Split(' ');
        List<string> words = [Case(shape[0])];
        foreach (string letter in shape.AsSpan(1))
        {
            int count = letter.EndsWith('*') ? random.Next(4) : 1;
            for (; count > 0; count--) words.Add(Word(letter[0]));
        }
        switch (random.Next(40))
        {
            case 0 when !IsYounger(shape[0], words.Count + 1):
                words.Add(Value());
                break;
            case 1 when words.Count > 1:
                words.RemoveAt(words.Count - 1);
                break;
        }

        return [.. words];
    }

    // With these words Redis 7 takes a unit, which Redis did not know in 2016: its error would be another.
    private static bool IsYounger(string name, int count) =>
        (name == "BITCOUNT" && count == 5) || (name == "BITPOS" && count == 6);

    private string Word(char letter)
    {
        if (letter is not ('k' or 'v' or 'c') && random.Next(12) == 0) return Pick(s_odd);
        return letter switch
        {
            'k' => $"key{random.Next(8)}",
            'i' => Pick(s_integers),
            'f' => Pick(s_floats),
            'r' => random.Next(5) == 0 ? Pick(s_integers) : $"{random.Next(-40, 40)}",
            'o' => $"{random.Next(random.Next(2) == 0 ? 64 : 2000)}",
            'p' => $"{random.Next(random.Next(2) == 0 ? 20 : 300)}",
            'b' => $"{random.Next(2)}",
            'w' => Case(Pick(["AND", "OR", "XOR", "NOT"])),
            'c' => Case(Pick(["NX", "XX", "YY"])),
            _ => Value(),
        };
    }

    private string Value() => random.Next(6) switch
    {
        0 => Pick(s_integers),
        1 => Pick(s_odd),
        2 => new string(random.Next(2) == 0 ? '\0' : '\xff', random.Next(40)),
        3 => Bytes(random.Next(600)),
        _ => Bytes(random.Next(20)),
    };

    private string Bytes(int length) =>
        string.Concat(Enumerable.Range(0, length).Select(_ => (char)random.Next(256)));

    private string Pick(string[] from) => from[random.Next(from.Length)];

    private string Case(string word) => random.Next(4) switch
    {
        0 => word.ToLowerInvariant(),
        1 => word[..1] + word[1..].ToLowerInvariant(),
        _ => word,
    };
}
