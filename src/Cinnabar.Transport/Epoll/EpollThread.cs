// The thread of a loop, and the loops that it drives: mostly its own and no other, but where a full machine
// serves more with fewer threads (LoopSharing), some threads rest and others drive their loops too.
//
//   one loop     the thread waits in the loop's own set of descriptors; nothing stands between them
//   several      it waits in one set of all their descriptors (ArrivalOrder); where there are many
//                connections in a set of the loops' sets (a set is itself a descriptor that can be waited
//                for), and runs a turn of each
//   none         it rests until a loop is handed to it
//
// A loop changes hands between two of its turns only, by who drives it: it looks after each turn whether the
// transport still names this thread. What the one thread wrote the other sees, because both take the
// receiver's lock. Nothing else in a loop depends on its thread.
//
// Its sets are made once, before it serves: where descriptors run out, loops change hands all the same.
//
// A thread that ends gives the loops of others back to them, so that each ends its own.

using System;
using System.Collections.Generic;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Platform;

namespace Cinnabar.Transport.Epoll;

/// <summary>One thread that drives loops.</summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollThread : IDisposable
{
    // A thread that only wakes up for its loop's cron has nothing to tell.
    private const int TurnsPerTell = 16;

    private readonly EpollTransport _own;
    private readonly object _lock = new();
    private readonly List<EpollTransport> _given = [];
    private EpollTransport[] _driven;
    private EpollSet? _sets;
    private EpollSet? _common;
    private ArrivalOrder? _order;
    private BriefPolling _polling = new();
    private volatile bool _hasGiven;
    private bool _hasEnded;
    private uint _turnCount;

    /// <summary>Makes the thread of a loop; it is not started.</summary>
    /// <param name="own">The loop's transport.</param>
    public EpollThread(EpollTransport own)
    {
        _own = own;
        _driven = [own];
    }

    /// <summary>What decides who drives which loop; null: nothing ever changes.</summary>
    public LoopSharing? Sharing { get; set; }

    /// <summary>Stopwatch ticks that polling has taken.</summary>
    public long PolledTicks => Volatile.Read(ref _polling.PolledTicks);

    /// <summary>Its processor time; null before it runs.</summary>
    public ThreadTime? Time { get; private set; }

    /// <summary>The set of all descriptors of the loops that it drives, once it is prepared.</summary>
    public EpollSet? Common => _common;

    /// <summary>The set of these loops' sets.</summary>
    public EpollSet? Sets => _sets;

    /// <summary>Makes what it needs to drive several loops.</summary>
    public void Prepare()
    {
        _sets ??= new EpollSet();
        _common ??= new EpollSet();
    }

    /// <summary>Drives loops on the calling thread until its own one stops.</summary>
    public void Run()
    {
        Time = ThreadTime.OfThisThread();
        try
        {
            if (_own.Driver != this)
                Exchange();
            while (!_own.IsStopping || _driven.Length != 1 || _driven[0] != _own)
                RunOnce();
        }
        finally
        {
            End();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _sets?.Dispose();
        _common?.Dispose();
    }

    // A method of its own, so that it is compiled afresh once it is hot and not stuck in on-stack
    // replacement.
    private void RunOnce()
    {
        EpollTransport[] driven = _driven;
        if (driven.Length == 1)
            RunAlone(driven[0]);
        else if (_order is { } order)
            RunAll(order);
        else
            Rest();
        if (++_turnCount % TurnsPerTell == 0)
            Sharing?.Tell();
        bool isChanging = _hasGiven;
        foreach (EpollTransport transport in driven)
            isChanging |= transport.Driver != this;
        if (isChanging)
            Exchange();
    }

    private void RunAlone(EpollTransport transport)
    {
        int count = _polling.Wait(transport.Own, transport.BeginWait());
        transport.EndWait();
        transport.Turn(count);
    }

    private void RunAll(ArrivalOrder order)
    {
        if (order.IsKept)
        {
            order.Turn(order.Wait(_common!, ref _polling));
        }
        else
        {
            order.Wait(_sets!, ref _polling);
            // Each looks for itself what has come meanwhile: asking the set of sets, one by one, costs as
            // much.
            foreach (EpollTransport transport in _driven)
                transport.Turn(transport.Own.Wait(0));
        }

        order.Adjust();
    }

    private void Rest()
    {
        lock (_lock)
        {
            while (!_hasGiven)
                Monitor.Wait(_lock);
        }
    }

    /// <summary>Hands a loop to this thread, which drives it from its next turn on; where it has ended, the
    /// loop goes home.</summary>
    private void Give(EpollTransport transport)
    {
        if (!TryTake(transport) && transport.Home != this)
            transport.Home.Give(transport);
    }

    private bool TryTake(EpollTransport transport)
    {
        lock (_lock)
        {
            if (_hasEnded)
                return false;
            _given.Add(transport);
            _hasGiven = true;
            Monitor.Pulse(_lock);
            // It may wait for what it drives now.
            foreach (EpollTransport driven in _driven)
                driven.WakeUp();
            return true;
        }
    }

    /// <summary>Parts with the loops that others are to drive, and takes those that were handed to
    /// it.</summary>
    private void Exchange()
    {
        EndSharing();
        List<EpollTransport> leaving = [];
        lock (_lock)
        {
            List<EpollTransport> kept = [];
            foreach (EpollTransport transport in (ReadOnlySpan<EpollTransport>)[.. _driven, .. _given])
                (transport.Driver == this ? kept : leaving).Add(transport);
            _given.Clear();
            _hasGiven = false;
            _driven = [.. kept];
        }

        if (_driven.Length > 1)
        {
            Prepare();
            foreach (EpollTransport transport in _driven)
                transport.Own.AddTo(_sets!);
            _order = new ArrivalOrder(_driven, _common!);
            _order.Adjust();
        }

        foreach (EpollTransport transport in leaving)
            transport.Driver.Give(transport);
    }

    private void EndSharing()
    {
        if (_order is null)
            return;
        _order.End();
        _order = null;
        foreach (EpollTransport transport in _driven)
            transport.Own.RemoveFrom(_sets!);
    }

    private void End()
    {
        EndSharing();
        EpollTransport[] left;
        lock (_lock)
        {
            _hasEnded = true;
            left = [.. _driven, .. _given];
        }

        foreach (EpollTransport guest in left)
        {
            if (guest != _own)
                guest.Home.Give(guest);
        }
    }
}
