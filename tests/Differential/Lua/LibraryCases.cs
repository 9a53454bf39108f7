using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Lua.Values;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>Random calls of libraries: most with arguments that fit, some with others.</summary>
internal sealed class LibraryCases(Random random)
{
    /// <summary>Where the chance comes from.</summary>
    internal Random Random => random;

    private static readonly double[] s_numbers =
    [
        0, 1, -1, 2, 3, 5, 8, 10, 31, 32, 33, 64, 100, 127, 128, 255, 256, 300, -2, -3, -7, -100, 0.5, -0.5,
        1.5, 2.5,
        0.1, -0.1, 1e-5, 123456.789, 1e14, 1e15, 123456789012345, 1e16, 1e21, 1e100, -1e100, 1e300, 5e-324,
        2147483647, 2147483648, -2147483648, -2147483649, 4294967295, 4294967296, 9007199254740992,
        9223372036854775808.0, -9223372036854775808.0, 18446744073709551616.0, 1.7976931348623157e308,
        3.14159265358979,
        double.PositiveInfinity, double.NegativeInfinity,
    ];

    private static readonly string[] s_items =
    [
        "a", "b", "x", ".", "%a", "%d", "%s", "%w", "%l", "%u", "%p", "%c", "%x", "%z", "%A", "%D", "%S",
        "%W", "[abc]",
        "[^abc]", "[a-c]", "[^a-c1]", "[%d%s]", "[^%w]", "[]]", "[^]]", "[a-]", "[%-a]", "%%", "%.", "()",
        "%1", "%2",
        "%b()", "%bxy", "%f[%w]", "%f[^a]", "$", "^", "-", "]", "%)", "[%a-z]", "[a%]b]", " ",
    ];

    private static readonly string[] s_broken =
        ["%", "[", "[a", "[^", "[]", "[%", "%b", "%bx", "%f", "%fa", "(", ")", "(()", "%0", "%9", "[a-%",
            "%f[", "\0a"];

    /// <summary>Calls of string.find, match, gsub with random patterns.</summary>
    internal IEnumerable<LibraryCase> Patterns(int count)
    {
        for (int index = 0; index < count; index++)
        {
            LuaValue subject = Text(Subject()), pattern = Text(Pattern());
            yield return random.Next(6) switch
            {
                0 => new LibraryCase("string.find", subject, pattern),
                1 => new LibraryCase("string.find", subject, pattern, (double)random.Next(-8, 12)),
                2 => new LibraryCase("string.match", subject, pattern),
                3 => new LibraryCase("string.gsub", subject, pattern, Replacement(), (double)random.Next(-1,
                6)),
                4 => new LibraryCase("string.find", subject, pattern, 1.0, LuaValue.True),
                _ => new LibraryCase("string.gsub", subject, pattern, Replacement()),
            };
        }
    }

    /// <summary>Calls of string.format.</summary>
    internal IEnumerable<LibraryCase> Formats(int count)
    {
        for (int index = 0; index < count; index++)
        {
            var format = new StringBuilder("<%");
            foreach (char flag in "-+ #0")
                if (random.Next(4) == 0) format.Append(flag);
            if (random.Next(2) == 0) format.Append(random.Next(random.Next(8) == 0 ? 120 : 25));
            if (random.Next(2) == 0) format.Append('.').Append(random.Next(random.Next(8) == 0 ? 120 : 20));
            char conversion = random.Next(25) == 0 ? (char)random.Next(32, 127)
                : "diouxXeEfgGscq"[random.Next(14)];
            format.Append(conversion).Append("|%%>");
            LuaValue value = conversion is 's' or 'q' && random.Next(3) > 0 ? Text(Subject())
                : conversion == 'c' ? random.Next(256) : random.Next(30) == 0 ? Any() : Number();
            yield return new LibraryCase("string.format", Text(format.ToString()), value);
        }
    }

    /// <summary>Calls of the other functions of string.</summary>
    internal IEnumerable<LibraryCase> Strings(int count)
    {
        string[] names = ["sub", "byte", "char", "len", "lower", "upper", "reverse", "rep", "sub", "byte",
            "dump", "find"];
        for (int index = 0; index < count; index++)
        {
            string name = names[random.Next(names.Length)];
            LuaValue[] arguments = name switch
            {
                "char" => [.. Enumerable.Range(0, random.Next(4)).Select(_ => (LuaValue)random.Next(-1,
                258))],
                "rep" => [Text(Subject()), random.Next(-2, 20)],
                "len" or "lower" or "upper" or "reverse" or "dump" => [random.Next(4) == 0 ? Any()
                : Text(Subject())],
                _ => [Text(Subject()), random.Next(-12, 12), random.Next(-12, 12)],
            };
            if (random.Next(8) == 0) arguments = [.. arguments.Take(random.Next(3))];
            if (random.Next(12) == 0
                && arguments.Length > 0) arguments[random.Next(arguments.Length)] = SmallAny();
            yield return new LibraryCase("string." + name, arguments);
        }
    }

    /// <summary>Calls of math, but for its random numbers.</summary>
    internal IEnumerable<LibraryCase> Maths(int count)
    {
        string[] names =
        [
            "abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp", "floor", "fmod",
            "frexp",
            "ldexp", "log", "log10", "max", "min", "modf", "pow", "rad", "sin", "sinh", "sqrt", "tan", "tanh",
        ];
        for (int index = 0; index < count; index++)
        {
            string name = names[random.Next(names.Length)];
            LuaValue[] arguments = name == "ldexp" ? [Number(), random.Next(-1100, 1100)]
                : [.. Enumerable.Range(0, name is "max" or "min" ? random.Next(4) : 2).Select(_ => Number())];
            if (random.Next(15) == 0) arguments = [Any()];
            yield return new LibraryCase("math." + name, arguments);
        }
    }

    /// <summary>Calls of table that return something.</summary>
    internal IEnumerable<LibraryCase> Tables(int count)
    {
        for (int index = 0; index < count; index++)
        {
            LuaValue list = List(random.Next(12), random.Next(8) == 0);
            yield return random.Next(7) switch
            {
                0 => new LibraryCase("table.concat", list, Text(Subject()), random.Next(-2, 6),
                random.Next(-2, 14)),
                1 => new LibraryCase("table.concat", list, random.Next(3) == 0 ? Any() : Text(",")),
                2 => new LibraryCase("table.remove", list, random.Next(-2, 14)),
                3 => new LibraryCase("table.maxn", list),
                4 => new LibraryCase("table.getn", list),
                5 => new LibraryCase("table.insert", list, SmallAny(), SmallAny(), SmallAny()),
                _ => new LibraryCase("table." + (random.Next(2) == 0 ? "setn" : "sort"), Any(), Any()),
            };
        }
    }

    /// <summary>Calls of math.random, which depend on those before.</summary>
    internal IEnumerable<LibraryCase> Randoms(int count)
    {
        yield return new LibraryCase("math.randomseed", random.Next());
        for (int index = 0; index < count; index++)
        {
            yield return random.Next(12) switch
            {
                0 => new LibraryCase("math.randomseed", Any()),
                1 => new LibraryCase("math.random", Any()),
                2 => new LibraryCase("math.random", Number(), Number()),
                3 => new LibraryCase("math.random", 1.0, 2.0, 3.0),
                4 or 5 => new LibraryCase("math.random", random.Next(1, 1000)),
                6 or 7 => new LibraryCase("math.random", random.Next(-1000, 0), random.Next(1000)),
                _ => new LibraryCase("math.random"),
            };
        }
    }

    /// <summary>Calls of bit.</summary>
    internal IEnumerable<LibraryCase> Bits(int count)
    {
        string[] names =
            ["tobit", "tohex", "bnot", "band", "bor", "bxor", "lshift", "rshift", "arshift", "rol", "ror",
                "bswap"];
        for (int index = 0; index < count; index++)
        {
            LuaValue[] arguments = [.. Enumerable.Range(0, 1 + random.Next(3)).Select(_ => Number())];
            if (random.Next(10) == 0) arguments[^1] = Any();
            if (random.Next(20) == 0) arguments = [];
            yield return new LibraryCase("bit." + names[random.Next(names.Length)], arguments);
        }
    }

    /// <summary>Calls of struct.</summary>
    internal IEnumerable<LibraryCase> Structs(int count)
    {
        string[] options =
        [
            "b", "B", "h", "H", "l", "L", "T", "i", "I", "f", "d", "s", "x", "c1", "c3", "c0", "c", "i1",
            "i3", "I5", "i8",
            "I8", "i16", "<", ">", "!", "!2", "!4", "!8", " ", "!16",
        ];
        for (int index = 0; index < count; index++)
        {
            string format = string.Concat(Enumerable.Range(0, random.Next(5)).Select(
                _ => random.Next(25) == 0 ? ((char)random.Next(33, 127)).ToString()
                    : options[random.Next(options.Length)]));
            int kind = random.Next(5);
            if (kind == 0) yield return new LibraryCase("struct.size", Text(format));
            else if (kind < 3) yield return new LibraryCase("struct.pack", [Text(format),
                .. Fitting(format)]);
            else if (kind == 3) yield return new LibraryCase("struct.unpack", Text(format), Text(Bytes(40)));
            else yield return new LibraryCase("struct.unpack", Text(format), Text(Bytes(12)), random.Next(-1,
                14));
        }
    }

    /// <summary>A random subject of patterns.</summary>
    internal string Subject()
    {
        const string letters = "aabbcxyz019 ()[]%.-^$AB\n\t\0\x7f\xe4,";
        return string.Concat(Enumerable.Range(0, random.Next(14)).Select(_ =>
            letters[random.Next(letters.Length)]));
    }

    /// <summary>Random bytes.</summary>
    internal string Bytes(int lengthMax) => string.Concat(
        Enumerable.Range(0, random.Next(lengthMax)).Select(_ => (char)(random.Next(4) == 0 ? 0
            : random.Next(256))));

    /// <summary>A number of those that are prone to errors, or any.</summary>
    internal LuaValue Number() => random.Next(12) switch
    {
        0 => BitConverter.Int64BitsToDouble(0x7FF8_0000_0000_0000),
        1 => BitConverter.Int64BitsToDouble(random.NextInt64() & ~(1L << 62)),
        2 => Math.Round(random.NextDouble() * 1e6) / 1000,
        3 => -0.0,
        _ => s_numbers[random.Next(s_numbers.Length)],
    };

    /// <summary>A value of any type.</summary>
    internal LuaValue Any() => random.Next(8) switch
    {
        0 => LuaValue.Nil,
        1 => LuaValue.FromBoolean(random.Next(2) == 0),
        2 => List(random.Next(3), false),
        3 => Text(Subject()),
        4 => Text("0x1F"),
        5 => Text(" 12 "),
        6 => LibraryCase.Named("string.len"),
        _ => Number(),
    };

    private static LuaValue Text(string text) => LibraryCase.Text(text);

    // Without numbers that make a loop long.
    private LuaValue SmallAny()
    {
        LuaValue value = Any();
        return value.IsNumber ? random.Next(-3, 9) : value;
    }

    private string Pattern()
    {
        var pattern = new StringBuilder(random.Next(6) == 0 ? "^" : "");
        int open = 0;
        for (int count = random.Next(1, 6); count > 0; count--)
        {
            if (random.Next(4) == 0)
            {
                pattern.Append('(');
                open++;
            }
            bool isBroken = random.Next(40) == 0;
            pattern.Append(isBroken ? s_broken[random.Next(s_broken.Length)]
                : s_items[random.Next(s_items.Length)]);
            if (random.Next(2) == 0) pattern.Append("*+-?"[random.Next(4)]);
            if (open > 0 && random.Next(3) == 0)
            {
                pattern.Append(')');
                open--;
            }
        }
        if (random.Next(20) > 0) pattern.Append(')', open);
        return pattern.ToString();
    }

    private LuaValue Replacement() => random.Next(7) switch
    {
        0 => LibraryCase.Named("string.upper"),
        1 => LibraryCase.Named("string.len"),
        2 => List(3, false),
        3 => Any(),
        _ => Text(new[] { "<%0>", "%1", "%%", "x", "", "%2%1", "[%1]", "%", "%a", "%9" }[random.Next(10)]),
    };

    private LuaValue List(int count, bool holes)
    {
        var table = new LuaTable();
        for (int index = 1; index <= count; index++)
        {
            if (holes && random.Next(4) == 0) table.Set(index, LuaValue.True);
            else if (random.Next(2) == 0) table.Set(index, Number());
            else table.Set(index, Text(Subject()));
        }
        return LuaValue.From(table);
    }

    private List<LuaValue> Fitting(string format)
    {
        List<LuaValue> values = [];
        foreach (char option in format)
        {
            if ("sc".Contains(option)) values.Add(random.Next(12) == 0 ? Any() : Text(Bytes(6)));
            else if ("bBhHlLTiIfd".Contains(option)) values.Add(random.Next(20) == 0 ? Any() : Number());
        }
        if (random.Next(15) == 0 && values.Count > 0) values.RemoveAt(values.Count - 1);
        return values;
    }
}
