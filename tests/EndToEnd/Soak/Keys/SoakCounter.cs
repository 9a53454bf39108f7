namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A string that counts.</summary>
internal sealed class SoakCounter(string name) : SoakKey(name)
{
    private long? _count;

    protected override bool Exists => _count is not null;

    public override SoakStep Whole() =>
        new(["GET", Name], SoakStep.Bulk(_count is { } count ? SoakDice.Number(count) : null));

    public override void Clear() => _count = null;

    public override SoakStep Next(SoakDice dice)
    {
        long step = dice.Below(1000);
        switch (dice.Below(3))
        {
            case 0:
                _count = (_count ?? 0) + 1;
                return new(["INCR", Name], $":{_count}");
            case 1:
                _count = (_count ?? 0) - step;
                return new(["DECRBY", Name, SoakDice.Number(step)], $":{_count}");
            default:
                SoakStep set = new(["GETSET", Name, SoakDice.Number(step)], Whole().Reply);
                _count = step;
                return set;
        }
    }
}
