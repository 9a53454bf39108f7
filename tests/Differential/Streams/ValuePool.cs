using System;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>Random keys and values that meet again and again, and now and then make no sense.</summary>
internal sealed class ValuePool(Random random)
{
    private const string MinimumIdle = "min-idle-time";

    private static readonly string[] s_integers =
        ["0", "1", "-1", "2", "3", "7", "8", "10", "63", "64", "100", "-5", "1000"];

    private static readonly string[] s_oddIntegers =
    [
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "4294967296", "-0", "+1", "01",
        "1.5", "", "abc", "18446744073709551615",
    ];

    private static readonly string[] s_floats = ["0", "1.5", "-2.25", "3.0e3", "0.1", "1e-5", "-1",
        "123456789.125"];

    private static readonly string[] s_patterns = ["*", "k*", "?[0-4]", "k[^1]", "none", "k\\1", "*5"];

    private static readonly string[] s_bitTypes = ["u8", "i8", "u1", "i5", "u63", "i64", "u16", "u64", "i65",
        "x8"];

    private static readonly string[] s_bounds =
    [
        "-", "+", "[a", "(b", "[m3", "(m5", "-inf", "+inf", "inf", "(1", "(2.5", "0", "1", "3", "-1", "2",
        "(x", "5-1", "(3-0", "7", "nan", "[", "(", "",
    ];

    private static readonly string[] s_ids =
        ["0", "0-0", "1-1", "3", "3-1", "5-2", "7-1", "9", "9-9", "12-0", "15", "20-5", "22-*", "$", ">",
            "-", "+", "x", "18446744073709551615-18446744073709551615"];

    /// <summary>One of a dozen keys.</summary>
    public string Key() => "k" + random.Next(12).ToString(CultureInfo.InvariantCulture);

    /// <summary>A word in some mixture of cases.</summary>
    public string Case(string word) => random.Next(3) switch
    {
        0 => word.ToLowerInvariant(),
        1 => word.ToUpperInvariant(),
        _ => string.Concat(word.Select(c => random.Next(2) == 0
            ? char.ToUpperInvariant(c) : char.ToLowerInvariant(c))),
    };

    /// <summary>An integer; of a time to live, one that does not end within the test.</summary>
    public string Integer(string name)
    {
        // XCLAIM's IDLE.
        if (name == "ms" && random.Next(2) == 0)
            return $"{2 * StreamGroups.LongIdleMs}";
        if (name == MinimumIdle)
            return IdleMinimum();
        if (name.Contains("second", StringComparison.Ordinal))
            return random.Next(12) == 0 ? Odd() : $"{random.Next(1000, 9000)}000";
        if (name == "numkeys")
            return random.Next(10) == 0 ? Odd() : $"{random.Next(1, 4)}";
        if (name is "index" or "index1" or "index2" or "destination-db" or "db")
            return $"{random.Next(-1, 4)}";
        if (name == "bit" || name == "value")
            return random.Next(8) == 0 ? Odd() : $"{random.Next(2)}";
        return random.Next(10) == 0 ? Odd() : s_integers[random.Next(s_integers.Length)];
    }

    /// <summary>A time far away, in seconds or milliseconds as the argument's name says.</summary>
    public string FarUnixTime(string name)
    {
        long seconds = 4_000_000_000 + random.Next(1000);
        bool isMilliseconds = name.Contains("milliseconds", StringComparison.Ordinal);
        return random.Next(12) == 0 ? Odd() : $"{(isMilliseconds ? seconds * 1000 : seconds)}";
    }

    /// <summary>A floating-point number.</summary>
    public string Float() => random.Next(10) == 0 ? Odd() : s_floats[random.Next(s_floats.Length)];

    /// <summary>A pattern of keys.</summary>
    public string Pattern() => s_patterns[random.Next(s_patterns.Length)];

    /// <summary>A value.</summary>
    public string Text(string name)
    {
        if (name == MinimumIdle)
            return IdleMinimum();
        if (name is "encoding" or "type" && random.Next(4) != 0)
            return s_bitTypes[random.Next(s_bitTypes.Length)];
        if (name is "member" or "field" or "element" or "pivot" && random.Next(10) != 0)
            return Member();
        if (name is "min" or "max" or "start" or "stop" or "end")
            return s_bounds[random.Next(s_bounds.Length)];
        if (name.EndsWith("id", StringComparison.Ordinal))
        {
            return random.Next(3) == 0 ? s_ids[random.Next(s_ids.Length)]
                : $"{random.Next(30)}-{random.Next(3)}";
        }

        if (name is "group" or "groupname" or "consumer" or "consumername")
            return name[..1] + random.Next(3).ToString(CultureInfo.InvariantCulture);
        if (name == "threshold")
            return random.Next(8) == 0 ? Odd() : $"{random.Next(12)}";
        return random.Next(8) switch
        {
            0 => "",
            1 => s_integers[random.Next(s_integers.Length)],
            2 => s_floats[random.Next(s_floats.Length)],
            3 => Bytes(random.Next(1, 20)),
            4 => new string('x', random.Next(40, 50)),
            5 => Bytes(random.Next(100, 400)),
            6 => Odd(),
            _ => "value" + random.Next(5).ToString(CultureInfo.InvariantCulture),
        };
    }

    // Few, so that they meet again; a third are integers; some too long for a listpack.
    private string Member() => random.Next(12) switch
    {
        0 => new string((char)('a' + random.Next(3)), random.Next(15, 80)),
        1 => s_floats[random.Next(s_floats.Length)],
        <= 5 => $"{random.Next(-3, 12)}",
        _ => $"m{random.Next(14)}",
    };

    // Far from the time that has passed since an entry was delivered, which no two servers agree on to the
    // millisecond.
    private string IdleMinimum() => random.Next(6) switch
    {
        0 => Odd(),
        1 => "-1",
        2 or 3 => "0",
        _ => $"{StreamGroups.LongIdleMs}",
    };

    private string Odd() => s_oddIntegers[random.Next(s_oddIntegers.Length)];

    private string Bytes(int length) =>
        string.Create(length, random, static (span, from) =>
        {
            foreach (ref char c in span)
                c = (char)from.Next(256);
        });
}
