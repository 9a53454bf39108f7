using Cinnabar.Engine;
using Cinnabar.Engine.Loops;
using Cinnabar.Platform;

namespace Cinnabar.Transport.Placing;

/// <summary>Measures how busy a loop is, reports it to the placement, and has the loop give sessions away
/// where it is too busy or where another loop has time for them all. For the loop's thread.</summary>
internal sealed class LoopLoad(ServerEngine engine, int loop, Placement placement)
{
    private const long ActiveMs = 2 * Placement.PeriodMs;
    private const long AnyMs = long.MaxValue / 2;
    private const long NanosecondsPerSecond = 1_000_000_000;

    private readonly ServerEngine _engine = engine;
    private readonly Loop _loop = engine.Loops[loop];
    private readonly Placement _placement = placement;
    private long _startTicks = Stopwatch.GetTimestamp();
    private long _idleNs;
    private long _usedNs;
    private long _commandCount;

    /// <summary>The loop for a new connection. On the loop that accepts.</summary>
    public int PlaceNew() => _placement.PlaceNew();

    /// <summary>Notes the end of a turn; sessions may move now.</summary>
    /// <param name="sleptTicks">How long the loop has slept in all; ticks of <see cref="Stopwatch"/>.
    /// </param>
    /// <param name="polledTicks">How long it has polled in all.</param>
    public void EndTurn(long sleptTicks, long polledTicks)
    {
        long nowTicks = Stopwatch.GetTimestamp();
        if (nowTicks - _startTicks < _placement.PeriodTicks)
            return;
        long nsPerTick = NanosecondsPerSecond / Stopwatch.Frequency;
        long idleNs = (sleptTicks + polledTicks) * nsPerTick;
        // On Linux time in which other threads had the processor is neither: beside other programs a loop
        // that waits for a processor would seem busy.
        long usedNs = OperatingSystem.IsLinux()
            ? ThreadTime.NanosecondsOfThisThread - (polledTicks * nsPerTick)
            : (nowTicks * nsPerTick) - idleNs;
        double load = Placement.LoadOf(usedNs - _usedNs, idleNs - _idleNs);
        bool hasWorked = _loop.CommandCount != _commandCount;
        (_startTicks, _usedNs, _idleNs, _commandCount) = (nowTicks, usedNs, idleNs, _loop.CommandCount);
        _placement.Report(_loop.Index, load, _loop.HasTwoActiveSessions(ActiveMs), nowTicks);
        if (!hasWorked)
            return;
        double share = _placement.ShareToGive(_loop.Index, nowTicks, out int target);
        if (share > 0)
            _loop.GiveSessions(_engine.Loops[target], share, _placement.IsSpread ? ActiveMs : AnyMs);
    }
}
