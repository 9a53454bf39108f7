using System.Collections.Generic;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A string of bits.</summary>
internal sealed class SoakBits(string name) : SoakKey(name)
{
    private const int NearMax = 2000;
    private const int FarMax = 4_000_000;
    private readonly HashSet<int> _set = [];
    private bool _exists;

    protected override bool Exists => _exists;

    public override SoakStep Whole() => new(["BITCOUNT", Name], $":{_set.Count}");

    public override void Clear()
    {
        _set.Clear();
        _exists = false;
    }

    public override SoakStep Next(SoakDice dice)
    {
        int offset = dice.Below(dice.OneOf(200) ? FarMax : NearMax);
        string before = _set.Contains(offset) ? ":1" : ":0";
        if (dice.OneOf(3))
            return new(["GETBIT", Name, SoakDice.Number(offset)], before);
        bool isSet = dice.OneOf(2);
        _exists = true;
        if (isSet) _set.Add(offset);
        else _set.Remove(offset);
        return new(["SETBIT", Name, SoakDice.Number(offset), isSet ? "1" : "0"], before);
    }
}
