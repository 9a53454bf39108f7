using System;
using System.Globalization;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>Random choices of a client.</summary>
internal sealed class SoakDice(int seed)
{
    private const int SmallMax = 200;
    private const int MiddleMax = 20_000;
    private const int BigMax = 1_000_000;
    private readonly Random _random = new(seed);

    /// <summary>A number from 0 to one below the bound.</summary>
    public int Below(int bound) => _random.Next(bound);

    /// <summary>Whether one of this many has come.</summary>
    public bool OneOf(int count) => _random.Next(count) == 0;

    /// <summary>A value of a string: most are small, some have a million bytes.</summary>
    public string Value()
    {
        int lengthMax = Below(400) switch { 0 => BigMax, < 16 => MiddleMax, _ => SmallMax };
        int length = Below(lengthMax);
        if (length == 0)
            return "";
        int start = Below(100_000);
        return Number(start) + new string((char)('a' + (start % 26)), Math.Max(0, length - 5));
    }

    /// <summary>A value of a collection's member.</summary>
    public string Small() => Number(Below(100_000)) + new string('v', OneOf(10) ? Below(200) : Below(20));

    /// <summary>One of some hundred names of members.</summary>
    public string Member() => "member:" + Number(Below(300));

    /// <summary>How many members one command adds: one, some, or so many that the form changes.</summary>
    public int MemberCount() => Below(60) switch { 0 => 1000, < 8 => 40, _ => 1 + Below(3) };

    /// <summary>A number in words of a command.</summary>
    public static string Number(long number) => number.ToString(CultureInfo.InvariantCulture);
}
