// Whether a loop that has nothing to do should look again at once instead of going to sleep.
//
// A sleep costs both sides: the loop runs again 10 to 30 us after its wake-up, and the client, whose send
// must wake another processor, loses nearly as much. With few clients of one request each a fast server pays
// that for every request, while a slower one finds the next already there (docs/adr/0004). So while input
// comes within microseconds, a loop polls for as long as a sleep costs, and only then sleeps: its cost is at
// most about twice that of the best choice in hindsight.
//
// It keeps its processor meanwhile: sched_yield between two polls would give it to a busy thread for a whole
// time slice, while a sleeper gets it back as soon as input comes.
//
// An idle loop never polls. Each poll that finds nothing, because gaps are longer or another thread has the
// processor, doubles the number of short sleeps before the next attempt, up to PatienceMax; each poll that
// finds something, and each EaseTicks without a failure, halves it. A long sleep halves the count of short
// ones: a client that pauses now and then is still polled for.

namespace Cinnabar.Transport.Epoll;

/// <summary>Waits for one thread, and decides when to poll before it sleeps. Times are
/// <see cref="Stopwatch"/> ticks, which are nanoseconds on Linux.</summary>
internal struct BriefPolling
{
    internal const int TicksPerUs = 1_000;

    private const int PatienceMin = 4;
    private const int PatienceMax = 64;
    private const long PollTicks = 60 * TicksPerUs;
    private const long ShortTicks = 120 * TicksPerUs;
    private const long EaseTicks = 100_000 * TicksPerUs;

    private long _startTicks;
    private long _easedTicks;
    private int _shortCount;
    private int _patience = PatienceMin;

    /// <summary>How long it has polled in all.</summary>
    public long PolledTicks;

    /// <summary>How long it has slept in all.</summary>
    public long SleptTicks;

    public BriefPolling()
    {
    }

    /// <summary>Whether enough of the last sleeps were short.</summary>
    public readonly bool IsOn => _shortCount >= _patience;

    /// <summary>Waits for a set's events, as <see cref="IPolledSet.Wait"/> does.</summary>
    /// <param name="set">The set.</param>
    /// <param name="timeoutMs">Its.</param>
    public int Wait(IPolledSet set, int timeoutMs)
    {
        if (timeoutMs == 0)
            return set.Wait(0);
        if (IsOn && Poll(set) is > 0 and int found)
            return found;
        Begin(set.NowTicks);
        int count = set.Wait(timeoutMs);
        EndSleep(set.NowTicks);
        return count;
    }

    /// <summary>Notes that polling or a sleep begins.</summary>
    public void Begin(long nowTicks) => _startTicks = nowTicks;

    /// <summary>Whether polling has lasted long enough in vain; then it is off.</summary>
    public bool GivesUp(long nowTicks)
    {
        Debug.Assert(nowTicks >= _startTicks);
        if (nowTicks - _startTicks < PollTicks)
            return false;
        _patience = Math.Min(2 * _patience, PatienceMax);
        _easedTicks = nowTicks;
        _shortCount = 0;
        return true;
    }

    /// <summary>Notes that polling found something.</summary>
    public void Succeed()
    {
        Debug.Assert(IsOn);
        Ease();
        _shortCount = _patience;
    }

    /// <summary>Notes that a sleep has ended.</summary>
    public void EndSleep(long nowTicks)
    {
        Debug.Assert(nowTicks >= _startTicks);
        SleptTicks += nowTicks - _startTicks;
        _shortCount = nowTicks - _startTicks < ShortTicks
            ? Math.Min(_shortCount + 1, _patience)
            : _shortCount / 2;
        if (nowTicks - _easedTicks < EaseTicks)
            return;
        Ease();
        _easedTicks = nowTicks;
    }

    private void Ease() => _patience = Math.Max(_patience / 2, PatienceMin);

    private int Poll(IPolledSet set)
    {
        int count = set.Wait(0);
        if (count > 0)
            return count;
        long nowTicks = set.NowTicks;
        Begin(nowTicks);
        while (!GivesUp(nowTicks = set.NowTicks))
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
