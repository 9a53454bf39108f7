using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A set, of integers or of words until it has none.</summary>
internal sealed class SoakSet(string name) : SoakKey(name)
{
    private readonly HashSet<string> _members = [];
    private bool _isOfIntegers;

    protected override bool Exists => _members.Count > 0;

    public override SoakStep Whole() =>
        SoakStep.Unordered(["SMEMBERS", Name], 1, [.. _members.Select(SoakStep.Bulk)]);

    public override void Clear() => _members.Clear();

    public override SoakStep Next(SoakDice dice)
    {
        if (!Exists)
            _isOfIntegers = dice.OneOf(2);
        string member = Member(dice);
        switch (dice.Below(7))
        {
            case 0:
                return new(["SISMEMBER", Name, member], _members.Contains(member) ? ":1" : ":0");
            case 1:
                return new(["SCARD", Name], $":{_members.Count}");
            case 2 or 3:
                return new(["SREM", Name, member], _members.Remove(member) ? ":1" : ":0");
            default:
                string[] added = [.. Enumerable.Range(0, dice.MemberCount()).Select(_ => Member(dice))];
                return new(["SADD", Name, .. added], $":{added.Count(_members.Add)}");
        }
    }

    private string Member(SoakDice dice) =>
        _isOfIntegers ? SoakDice.Number(dice.Below(700) - 100) : dice.Member();
}
