// Whether a loop that has nothing to do should look again at once instead of going to sleep.
//
// Falling asleep and being woken costs both sides: the loop 10 to 30 us until it runs again, and the client,
// whose send has to wake another processor, nearly as much. With few clients of one request each a fast
// server pays that for every request, where a slower one finds the next already there (docs/adr/0004). So
// while input has been coming within microseconds, a loop polls for as long as a sleep costs, and only then
// sleeps: it never costs more than about twice what the best choice in hindsight would have.
//
// It keeps its processor meanwhile: offering it to others between two looks (sched_yield) hands it to whoever
// is busy there for a whole slice of time, which a sleeper would take back as soon as input comes. So while
// there is work that only idle time is given to (methods to be compiled), it does not poll but sleeps. While
// methods are compiled it sleeps for 0.1 ms in every 0.8, too, even with work at hand: docs/adr/0014.
//
// An idle loop never polls. Where polling fails, because the gaps are longer or because somebody else needs
// the processor, it is left off for twice as many short sleeps each time.
using System;
using System.Diagnostics;
using System.Runtime.Versioning;

namespace Cinnabar.Transport.Epoll;

/// <summary>Waits for one thread, and decides when to poll before it sleeps. Times are
/// <see cref="Stopwatch"/> ticks.</summary>
internal struct BriefPolling
{
    private const int PatienceMin = 4;
    private const int PatienceMax = 4096;
    private const int WaitsPerLook = 2;
    private const long GiveWayNs = 100_000;

    private static readonly long s_pollTicks = TicksOf(microseconds: 60);
    private static readonly long s_giveWayPeriodTicks = TicksOf(microseconds: 700);
    private static readonly long s_shortTicks = TicksOf(microseconds: 120);

    private readonly CompilerWatch? _compiler;
    private long _startTicks;
    private int _shortCount;
    private int _patience;
    private uint _waitCount;
    private long _gaveWayTicks;

    /// <summary>How long it has polled in all.</summary>
    public long PolledTicks;

    /// <summary>How often it has given way to the compiler.</summary>
    public long GiveWayCount;

    /// <summary>Waits for a thread.</summary>
    /// <param name="compiler">Tells when the compiler needs the processor; null: never.</param>
    public BriefPolling(CompilerWatch? compiler) => _compiler = compiler;

    /// <summary>Whether enough sleeps in a row were short.</summary>
    public readonly bool IsOn => _shortCount >= Math.Max(_patience, PatienceMin);

    internal static long TicksOf(int microseconds) => Stopwatch.Frequency * microseconds / 1_000_000;

    /// <summary>Waits for a set's events, as <see cref="EpollSet.Wait"/> does.</summary>
    /// <param name="set">The set.</param>
    /// <param name="timeoutMs">Its.</param>
    [SupportedOSPlatform("linux")]
    public int Wait(EpollSet set, int timeoutMs)
    {
        if (++_waitCount % WaitsPerLook == 0)
            GiveWay();
        if (timeoutMs == 0)
            return set.Wait(0);
        if (IsOn && Poll(set) is > 0 and int found)
            return found;
        Begin(Stopwatch.GetTimestamp());
        int count = set.Wait(timeoutMs);
        EndSleep(Stopwatch.GetTimestamp());
        return count;
    }

    /// <summary>Notes that polling or a sleep begins.</summary>
    public void Begin(long nowTicks) => _startTicks = nowTicks;

    /// <summary>Whether polling has lasted long enough in vain; then it is off.</summary>
    public bool GivesUp(long nowTicks)
    {
        if (nowTicks - _startTicks < s_pollTicks)
            return false;
        _patience = Math.Clamp(2 * _patience, PatienceMin, PatienceMax);
        _shortCount = 0;
        return true;
    }

    /// <summary>Notes that polling found something.</summary>
    public void Succeed()
    {
        _patience = Math.Max(_patience / 2, PatienceMin);
        _shortCount = _patience;
    }

    /// <summary>Notes that a sleep has ended.</summary>
    public void EndSleep(long nowTicks) =>
        _shortCount = nowTicks - _startTicks < s_shortTicks ? _shortCount + 1 : 0;

    // The compiler's share of this processor, in pieces so small that no client notices: what it has coming
    // after milliseconds without it would take it as long, whoever wakes up.
    [SupportedOSPlatform("linux")]
    private void GiveWay()
    {
        long nowTicks = Stopwatch.GetTimestamp();
        if (_compiler is not { } compiler || !compiler.IsCompiling(nowTicks)
            || nowTicks - _gaveWayTicks < s_giveWayPeriodTicks)
            return;
        EpollCalls.Sleep(GiveWayNs);
        _gaveWayTicks = Stopwatch.GetTimestamp();
        GiveWayCount++;
    }

    [SupportedOSPlatform("linux")]
    private int Poll(EpollSet set)
    {
        int count = set.Wait(0);
        if (count > 0)
            return count;
        long nowTicks = Stopwatch.GetTimestamp();
        if (_compiler is { } compiler && compiler.IsCompiling(nowTicks))
            return 0;
        Begin(nowTicks);
        while (!GivesUp(nowTicks = Stopwatch.GetTimestamp()))
        {
            count = set.Wait(0);
            if (count == 0)
                continue;
            Succeed();
            break;
        }

        PolledTicks += nowTicks - _startTicks;
        return count;
    }
}
