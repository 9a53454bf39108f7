using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A list.</summary>
internal sealed class SoakList(string name) : SoakKey(name)
{
    private const int CountMax = 3000;
    private readonly List<string> _items = [];

    protected override bool Exists => _items.Count > 0;

    public override SoakStep Whole() => Range(0, _items.Count);

    public override void Clear() => _items.Clear();

    public override SoakStep Next(SoakDice dice)
    {
        if (_items.Count > CountMax)
            return Trim(dice.Below(_items.Count), dice.Below(CountMax));
        switch (dice.Below(9))
        {
            case 0:
                return Pop("LPOP", 0);
            case 1:
                return Pop("RPOP", _items.Count - 1);
            case 2:
                return new(["LLEN", Name], $":{_items.Count}");
            case 3:
                int index = dice.Below(_items.Count + 3);
                return new(["LINDEX", Name, SoakDice.Number(index)],
                    SoakStep.Bulk(index < _items.Count ? _items[index] : null));
            case 4 when Exists:
                int changed = dice.Below(_items.Count);
                _items[changed] = dice.Small();
                return new(["LSET", Name, SoakDice.Number(changed), _items[changed]], "+OK");
            case 5:
                return Range(dice.Below(_items.Count + 1), dice.Below(30));
            default:
                return Push(dice);
        }
    }

    private SoakStep Push(SoakDice dice)
    {
        bool isLeft = dice.OneOf(2);
        string[] added = [.. Enumerable.Range(0, dice.MemberCount()).Select(_ => dice.Small())];
        if (isLeft) _items.InsertRange(0, added.Reverse());
        else _items.AddRange(added);
        return new([isLeft ? "LPUSH" : "RPUSH", Name, .. added], $":{_items.Count}");
    }

    private SoakStep Pop(string command, int index)
    {
        if (!Exists)
            return new([command, Name], "_");
        SoakStep step = new([command, Name], "$" + _items[index]);
        _items.RemoveAt(index);
        return step;
    }

    private SoakStep Range(int start, int count)
    {
        string[] part = [.. _items.Skip(start).Take(count).Select(SoakStep.Bulk)];
        int end = Math.Max(start + count - 1, 0);
        return count == 0 ? new(["LLEN", Name], $":{_items.Count}")
            : new(["LRANGE", Name, SoakDice.Number(start), SoakDice.Number(end)], SoakStep.Array(part));
    }

    private SoakStep Trim(int start, int count)
    {
        string[] kept = [.. _items.Skip(start).Take(count + 1)];
        _items.Clear();
        _items.AddRange(kept);
        return new(["LTRIM", Name, SoakDice.Number(start), SoakDice.Number(start + count)], "+OK");
    }
}
