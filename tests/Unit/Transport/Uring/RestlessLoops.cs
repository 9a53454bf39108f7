using Cinnabar.Transport.Placing;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>Has loops give sessions away at any time.</summary>
/// <param name="chance">Decides.</param>
/// <param name="loopCount">How many loops there are.</param>
internal sealed class RestlessLoops(SimulatedChance chance, int loopCount)
    : Placement(loopCount, isAlwaysSpread: true)
{
    private readonly SimulatedChance _chance = chance;
    private readonly int _loopCount = loopCount;

    public override long PeriodTicks => 0;

    public override int PlaceNew() => _chance.Below(_loopCount);

    public override double ShareToGive(int loop, long nowTicks, out int target)
    {
        target = (loop + 1 + _chance.Below(_loopCount - 1)) % _loopCount;
        return _chance.IsOnceIn(4) ? 0.5 + (0.5 * _chance.Below(2)) : 0;
    }
}
