using System;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A string.</summary>
internal sealed class SoakString(string name) : SoakKey(name)
{
    private const int LengthMax = 1_200_000;
    private string? _value;

    protected override bool Exists => _value is not null;

    public override SoakStep Whole() => new(["GET", Name], SoakStep.Bulk(_value));

    public override void Clear() => _value = null;

    public override SoakStep Next(SoakDice dice) => dice.Below(8) switch
    {
        0 => Append(dice.Value()),
        1 => new(["STRLEN", Name], $":{_value?.Length ?? 0}"),
        2 => Part(dice),
        3 => Overwrite(dice),
        4 or 5 => Set(dice.Value(), dice.OneOf(3)),
        _ => Whole(),
    };

    private SoakStep Set(string value, bool hasDeadline)
    {
        _value = value;
        return new(hasDeadline ? ["SET", Name, value, "EX", "50000"] : ["SET", Name, value], "+OK");
    }

    private SoakStep Append(string text)
    {
        if (text.Length == 0 || (_value?.Length ?? 0) + text.Length > LengthMax)
            return Set(text, hasDeadline: false);
        _value += text;
        return new(["APPEND", Name, text], $":{_value.Length}");
    }

    private SoakStep Part(SoakDice dice)
    {
        string value = _value ?? "";
        int start = dice.Below(value.Length + 10);
        int end = start + dice.Below(5000);
        string part = start >= value.Length ? "" : value[start..Math.Min(end + 1, value.Length)];
        return new(["GETRANGE", Name, SoakDice.Number(start), SoakDice.Number(end)], "$" + part);
    }

    private SoakStep Overwrite(SoakDice dice)
    {
        string value = _value ?? "";
        int start = dice.Below(value.Length + 1);
        string text = dice.Small();
        _value = value[..start] + text + value[Math.Min(start + text.Length, value.Length)..];
        return new(["SETRANGE", Name, SoakDice.Number(start), text], $":{_value.Length}");
    }
}
