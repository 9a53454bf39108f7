// One set for all that the loops of a thread wait for, so that requests are executed in the order in which
// they arrived, whichever loop their connections belong to: what a client sends first on one connection and
// then on another happens in this order, as in a server of one thread (docs/adr/0013).
//
// What a wait has found is in the order of arrival. It is gone through in runs: the next events that belong
// to one loop, then a turn of this loop. A loop of which there was nothing gets a turn where it has mail, or
// where it is time for what it does by the clock.
//
// To move a connection to another set costs a microsecond, so that this is for a few hundred of them. Where
// there are more, nobody knows in which order they were served.

using System;
using System.Diagnostics;
using System.Runtime.Versioning;

namespace Cinnabar.Transport.Epoll;

/// <summary>What several loops wait for, in the order of arrival. For one thread, which drives these
/// loops.</summary>
[SupportedOSPlatform("linux")]
internal sealed class ArrivalOrder
{
    /// <summary>More connections than this are in the sets of their own loops.</summary>
    public const int ConnectionCountMax = 256;

    private const int ConnectionCountBack = 192;

    private readonly EpollTransport[] _driven;
    private readonly EpollTransport[] _byIndex;
    private readonly long[] _dueMs;
    private readonly EpollSet _set;

    /// <summary>Makes it for loops, which still wait in sets of their own, with an empty set for
    /// all.</summary>
    public ArrivalOrder(EpollTransport[] driven, EpollSet set)
    {
        _driven = driven;
        _set = set;
        int indexMax = 0;
        foreach (EpollTransport transport in driven)
            indexMax = Math.Max(indexMax, transport.Index);
        _byIndex = new EpollTransport[indexMax + 1];
        _dueMs = new long[indexMax + 1];
        foreach (EpollTransport transport in driven)
            _byIndex[transport.Index] = transport;
    }

    // Not the ticks of the environment, which may be of 4 ms.
    private static long NowMs => Stopwatch.GetTimestamp() / (Stopwatch.Frequency / 1000);

    /// <summary>Whether the loops wait in the one set now.</summary>
    public bool IsKept { get; private set; }

    /// <summary>Goes over to the one set where there are few connections, and back where there are many;
    /// between two turns.</summary>
    public void Adjust()
    {
        int count = 0;
        foreach (EpollTransport transport in _driven)
            count += transport.ConnectionCount;
        if (IsKept ? count > ConnectionCountMax : count <= ConnectionCountBack)
            Keep(!IsKept);
    }

    /// <summary>Waits for the next events, for all loops.</summary>
    /// <param name="set">What it waits in: the one set while the order is kept, else that of the loops'
    /// sets.</param>
    /// <param name="polling">How.</param>
    /// <returns>How many there are.</returns>
    public int Wait(EpollSet set, ref BriefPolling polling)
    {
        long nowMs = NowMs;
        int timeoutMs = -1;
        foreach (EpollTransport transport in _driven)
        {
            int ownMs = transport.BeginWait();
            _dueMs[transport.Index] = ownMs < 0 ? long.MaxValue : nowMs + ownMs;
            if (ownMs >= 0 && (timeoutMs < 0 || ownMs < timeoutMs))
                timeoutMs = ownMs;
        }

        int count = polling.Wait(set, timeoutMs);
        foreach (EpollTransport transport in _driven)
            transport.EndWait();
        return count;
    }

    /// <summary>Sees to what the last wait has found.</summary>
    public void Turn(int count)
    {
        EpollTransport? current = null;
        for (int index = 0; index < count; index++)
        {
            _set.Read(index, out EpollMark mark, out uint events);
            if (current is null || current.Index != mark.Loop)
            {
                EndRun(current);
                current = _byIndex[mark.Loop];
            }

            current.See(mark, events);
        }

        EndRun(current);
        long nowMs = NowMs;
        foreach (EpollTransport transport in _driven)
        {
            if (_dueMs[transport.Index] <= nowMs || transport.HasMail)
                transport.Turn();
        }

        foreach (EpollTransport transport in _driven)
            transport.CloseClosing();
    }

    /// <summary>Has the loops wait in their own sets again.</summary>
    public void End()
    {
        if (IsKept)
            Keep(false);
    }

    private void EndRun(EpollTransport? transport)
    {
        if (transport is null)
            return;
        transport.Turn();
        _dueMs[transport.Index] = long.MaxValue;
    }

    private void Keep(bool isKept)
    {
        foreach (EpollTransport transport in _driven)
            transport.WaitIn(isKept ? _set : transport.Own);
        IsKept = isKept;
    }
}
