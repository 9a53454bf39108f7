// A kernel for the rings of loops and the connections of simulated clients. It reads submission rings, writes
// completion rings and takes buffers from rings of provided buffers as Linux does (SimulatedRing), but
// decides by its random numbers
//
//   in which order what is in flight completes, and how much of it in one call (SimulatedOperations)
//   how many bytes a receive or a send moves
//   that a call takes fewer entries than were prepared, a send finds no room, a receive ends early
//   which errors occur (SimulatedFaults)
//   which of the loops goes on (SimulatedThreads)
//
// The time is the server's, too: it goes on by calls, by looks at it, and by waits that end without a
// completion. So all that happens depends on the seed alone.
//
// It asserts what Linux would punish silently: a descriptor that is closed, or a ring, while something of it
// is in flight, a connection in flight in two rings, a ring that another thread uses than the one that
// enabled it, a buffer that is given back twice. And it knows what was opened and mapped and not given back.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The simulated kernel.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class SimulatedKernel : UringKernel
{
    private const int FirstRing = 500;
    private const int FirstEvent = 600;
    // Far more than what the clients can have sent between two of their acts needs.
    private const int CallCountMax = 100_000;

    /// <summary>The error of <see cref="BreakDown"/>: a bad descriptor.</summary>
    public const int BreakdownError = 9;

    private readonly ISimulatedFaults _faults;
    private readonly SimulatedChance _chance;
    private readonly SimulatedOperations _operations;
    private readonly List<SimulatedRing> _rings = [];
    private readonly HashSet<int> _events = [];
    private readonly Dictionary<nint, nuint> _mapped = [];
    private int _eventCount;
    private bool _isBreakingDown;
    private int _callCount;

    /// <summary>Makes it.</summary>
    /// <param name="faults">Decides which calls fail.</param>
    /// <param name="chance">Decides everything else.</param>
    public SimulatedKernel(ISimulatedFaults faults, SimulatedChance chance)
    {
        (_faults, _chance) = (faults, chance);
        Sockets = new SimulatedSockets(chance);
        _operations = new SimulatedOperations(faults, chance, Sockets, Trace, _rings);
    }

    /// <summary>What kernels of its version can do.</summary>
    public uint Features { get; init; } = uint.MaxValue;

    /// <summary>The threads of the loops; null: there is one thread.</summary>
    public SimulatedThreads? Threads { get; set; }

    /// <summary>Called when the loops would sleep: the clients act. Null: a sleep without an end fails.
    /// </summary>
    public Action? Idle { get; init; }

    /// <summary>The time.</summary>
    public SimulatedTime Time { get; } = new();

    /// <summary>What has happened.</summary>
    public SimulatedTrace Trace { get; } = new();

    /// <summary>The connections.</summary>
    public SimulatedSockets Sockets { get; }

    /// <summary>What it has met.</summary>
    public SimulatedCounts Counts => _operations.Counts;

    public override long NowMs => Time.NowMs;

    public override long NowTicks => Time.LookTicks();

    public override int Setup(uint count, UringParameters* parameters)
    {
        if (_faults.Occurs(SimulatedCall.Setup, out int error))
            return error;
        parameters->Features = Features;
        _rings.Add(new SimulatedRing(FirstRing + _rings.Count, count, parameters, Counts));
        return _rings[^1].Descriptor;
    }

    public override int Map(int ring, nuint length, long offset, out byte* place)
    {
        place = null;
        if (_faults.Occurs(SimulatedCall.Map, out int error))
            return error;
        place = RingOf(ring).Map(length, offset);
        _mapped.Add((nint)place, length);
        return 0;
    }

    public override void Unmap(byte* place, nuint length)
    {
        Assert.True(_mapped.Remove((nint)place, out nuint mapped), "it is mapped");
        Assert.Equal(mapped, length);
        NativeMemory.Free(place);
    }

    public override int Register(int ring, uint operation, void* argument, uint count)
    {
        bool isEnabling = operation == UringCalls.RegisterEnable;
        if (_faults.Occurs(isEnabling ? SimulatedCall.Enable : SimulatedCall.Register, out int error))
            return error;
        if (isEnabling)
            RingOf(ring).Thread = Environment.CurrentManagedThreadId;
        else
            RingOf(ring).Provide((UringBufferRegistration*)argument);
        return 0;
    }

    public override int Enter(int ring, uint submittedCount, uint completionCount, int timeoutMs)
    {
        SimulatedRing own = RingOf(ring);
        Assert.Equal(Environment.CurrentManagedThreadId, own.Thread);
        Threads?.EndIfFailed();
        Time.Call(_chance);
        int result = Work(own, submittedCount, completionCount, timeoutMs);
        Trace.Add("enter", ring, result);
        return result;
    }

    public override long Send(int descriptor, OutputSegment* segments, int count, out bool isAll)
    {
        SimulatedSocket socket = Sockets[descriptor];
        long length = 0;
        for (int index = 0; index < count; index++)
            length += segments[index].Length;
        isAll = socket.IsReset;
        if (socket.IsReset)
            return LoopTransport.SendFailed;
        long limit = Math.Min(length, socket.Room);
        if (_chance.IsOnceIn(4))
            limit = _chance.Below((int)limit + 1);
        socket.Take(segments, limit);
        isAll = limit == length;
        Trace.Add("send", descriptor, limit);
        return limit;
    }

    public override bool HasGone(int descriptor) => Sockets[descriptor].IsReset;

    public override void SetUp(int descriptor, ListenerOptions options) =>
        Assert.Contains(descriptor, Sockets.OpenDescriptors);

    public override int MakePair(int* descriptors)
    {
        if (_faults.Occurs(SimulatedCall.Pair, out int error))
            return error;
        Sockets.MakePair(out descriptors[0], out descriptors[1]);
        return 0;
    }

    public override void Close(int descriptor)
    {
        Trace.Add("close", descriptor, 0);
        foreach (SimulatedRing one in _rings)
            one.AssertNotInFlight(descriptor);
        if (_rings.Find(one => one.Descriptor == descriptor && !one.IsClosed) is { } ring)
            ring.Close();
        else if (!_events.Remove(descriptor))
            Sockets.Close(descriptor);
    }

    public override int MakeEvent()
    {
        if (_faults.Occurs(SimulatedCall.Event, out int error))
            return error;
        _events.Add(FirstEvent + _eventCount);
        return FirstEvent + _eventCount++;
    }

    public override void SignalEvent(int descriptor)
    {
        Assert.Contains(descriptor, _events);
        _operations.Signal(descriptor);
        if (_rings.Exists(static one => one.Thread == Environment.CurrentManagedThreadId))
            Counts.LoopSignals++;
        Trace.Add("signal", descriptor, 0);
    }

    public override int FindLowest(int descriptor) => Sockets.FindLowest();

    /// <summary>Cancels what is in flight, as Linux does when a ring's thread ends by a fault.</summary>
    public void EndThread() => _rings.Find(static one =>
        one.Thread == Environment.CurrentManagedThreadId && !one.IsClosed)?.Abandon();

    /// <summary>Has the next call to a ring fail in a way that no loop can go on after.</summary>
    public void BreakDown() => _isBreakingDown = true;

    /// <summary>Nothing is open or mapped.</summary>
    public void AssertNothingIsLeft()
    {
        Assert.Empty(_rings.Where(static ring => !ring.IsClosed).Select(static ring => ring.Descriptor));
        Assert.Empty(_events);
        Assert.Empty(_mapped);
        Assert.Empty(Sockets.OpenDescriptors);
    }

    private SimulatedRing RingOf(int descriptor)
    {
        SimulatedRing ring = _rings[descriptor - FirstRing];
        Assert.False(ring.IsClosed, "the ring is open");
        return ring;
    }

    private int Work(SimulatedRing own, uint submittedCount, uint completionCount, int timeoutMs)
    {
        if (_isBreakingDown)
        {
            _isBreakingDown = false;
            return -BreakdownError;
        }

        if (_faults.Occurs(SimulatedCall.Enter, out int error)
            || (submittedCount > 0 && _faults.Occurs(SimulatedCall.Submit, out error)))
        {
            // What was submitted before may have completed meanwhile.
            own.NoteFailure(-error);
            _operations.CompleteSome(own);
            return error;
        }

        Assert.True(++_callCount < CallCountMax, "a loop is busy without anything that happens");
        own.BringOverflow();
        uint taken = _chance.IsOnceIn(20) ? (uint)_chance.Below((int)submittedCount + 1) : submittedCount;
        for (uint index = 0; index < taken; index++)
            _operations.Submit(own, own.TakeSubmission());
        _operations.CompleteSome(own);
        if (_chance.IsOnceIn(8))
            Threads?.TrySwitch();
        if (taken < submittedCount || completionCount == 0)
            return (int)taken;
        while (!own.HasCompletions && timeoutMs < 0)
        {
            _operations.CompleteAny(own);
            if (!own.HasCompletions)
                Pause();
        }

        if (own.HasCompletions)
            return (int)taken;
        Pause();
        if (own.HasCompletions)
            return (int)taken;
        Time.Wait(timeoutMs);
        return taken == 0 && _faults.Occurs(SimulatedCall.Wait, out error) ? error : (int)taken;
    }

    /// <summary>Something else happens: another loop goes on, or the clients act.</summary>
    private void Pause()
    {
        if (_chance.IsOnceIn(2) && Threads is { } threads && threads.TrySwitch())
            return;
        Assert.True(Idle is not null, "a wait without an end");
        _callCount = 0;
        Idle();
    }
}
