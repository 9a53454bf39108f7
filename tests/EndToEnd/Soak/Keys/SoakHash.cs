using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A hash.</summary>
internal sealed class SoakHash(string name) : SoakKey(name)
{
    private readonly Dictionary<string, string> _fields = [];

    protected override bool Exists => _fields.Count > 0;

    public override SoakStep Whole() => SoakStep.Unordered(["HGETALL", Name], 2,
        [.. _fields.Select(static pair => $"${pair.Key}, ${pair.Value}")]);

    public override void Clear() => _fields.Clear();

    public override SoakStep Next(SoakDice dice)
    {
        string field = dice.Member();
        string? value = _fields.GetValueOrDefault(field);
        switch (dice.Below(7))
        {
            case 0:
                return new(["HGET", Name, field], SoakStep.Bulk(value));
            case 1:
                string other = dice.Member();
                return new(["HMGET", Name, field, other],
                    SoakStep.Array(SoakStep.Bulk(value), SoakStep.Bulk(_fields.GetValueOrDefault(other))));
            case 2:
                return new(["HLEN", Name], $":{_fields.Count}");
            case 3:
                _fields.Remove(field);
                return new(["HDEL", Name, field], value is null ? ":0" : ":1");
            default:
                return Set(dice);
        }
    }

    private SoakStep Set(SoakDice dice)
    {
        List<string> command = ["HSET", Name];
        int before = _fields.Count;
        for (int count = dice.MemberCount(); count > 0; count--)
        {
            (string field, string value) = (dice.Member(), dice.Small());
            _fields[field] = value;
            command.AddRange([field, value]);
        }

        return new([.. command], $":{_fields.Count - before}");
    }
}
