// A kernel for the ring of a loop and the connections of simulated clients, all in the test's thread. It
// reads the submission ring, writes the completion ring and takes buffers from the ring of provided buffers
// as Linux does, but decides by its random numbers
//
//   in which order what is in flight completes, and how much of it in one call
//   how many bytes a receive or a send moves
//   that a call takes fewer entries than were prepared, a send finds no room, a receive ends early
//   which errors occur (SimulatedFaults)
//
// Other rings only get messages. The time is the server's, too: it goes on by calls, by looks at it, and by
// waits that end without a completion. So all that happens depends on the seed alone.
//
// It asserts what Linux would punish silently: a descriptor that is closed, or a ring, while something of it
// is in flight, and a buffer that is given back twice.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The simulated kernel.</summary>
/// <param name="seed">Decides what happens, but for the errors.</param>
/// <param name="faults">Decides which errors occur.</param>
/// <param name="idle">Called when the loop would sleep: the clients act.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class SimulatedKernel(ulong seed, SimulatedFaults faults, Action idle)
    : UringKernel
{
    // Those of the loop that runs; the others' follow.
    private const int RingDescriptor = 500;
    private const int EventDescriptor = 600;
    private const int PeerHangUp = 0x2000;
    private const int Out = 4;
    private const int HangUp = 16;

    private readonly SimulatedFaults _faults = faults;
    private readonly Action _idle = idle;
    private readonly List<SimulatedRequest> _inFlight = [];
    private readonly List<SimulatedRing> _rings = [];
    private RandomSource _random = new(seed);
    private int _eventCount;
    private bool _isSignaled;

    /// <summary>How many receives found no buffer.</summary>
    public int NoBufferCount { get; private set; }

    /// <summary>How many completions found the ring full.</summary>
    public int OverflowCount => Ring.OverflowCount;

    /// <summary>How many receives were canceled.</summary>
    public int CanceledReceiveCount { get; private set; }

    /// <summary>How often loops that do not run were woken.</summary>
    public int WokenCount { get; private set; }

    /// <summary>The time.</summary>
    public SimulatedTime Time { get; } = new();

    /// <summary>What has happened.</summary>
    public SimulatedTrace Trace { get; } = new();

    public override long NowMs => Time.NowMs;

    public override long NowTicks => Time.LookTicks();

    private SimulatedRing Ring => _rings[0];

    /// <summary>The connections.</summary>
    public SimulatedSockets Sockets { get; } = new();

    public override int Setup(uint count, UringParameters* parameters)
    {
        _rings.Add(new SimulatedRing(count, parameters));
        return RingDescriptor + _rings.Count - 1;
    }

    public override byte* Map(int ring, nuint length, long offset) =>
        _rings[ring - RingDescriptor].Map(length, offset);

    public override void Unmap(byte* place, nuint length)
    {
        // The simulated ring keeps its memory until the ring is closed and mapped no more.
    }

    public override int Register(int ring, uint operation, void* argument, uint count)
    {
        if (operation == UringCalls.RegisterBuffers)
            _rings[ring - RingDescriptor].Provide((UringBufferRegistration*)argument);
        return 0;
    }

    public override int Enter(int ring, uint submittedCount, uint completionCount, int timeoutMs)
    {
        Time.Call(ref _random);
        int result = Work(submittedCount, completionCount, timeoutMs);
        Trace.Add("enter", (int)submittedCount, result);
        return result;
    }

    public override long Send(int descriptor, OutputSegment* segments, int count, out bool isAll)
    {
        SimulatedSocket socket = Sockets[descriptor];
        long length = 0;
        for (int index = 0; index < count; index++)
            length += segments[index].Length;
        isAll = false;
        if (socket.IsReset)
        {
            isAll = true;
            return LoopTransport.SendFailed;
        }

        long limit = Math.Min(length, socket.Room);
        if (IsOnceIn(4))
            limit = (long)_random.NextBelow((ulong)limit + 1);
        socket.Take(segments, limit);
        isAll = limit == length;
        Trace.Add("send", descriptor, limit);
        return limit;
    }

    public override bool HasGone(int descriptor) => Sockets[descriptor].IsReset;

    public override void Close(int descriptor)
    {
        Assert.DoesNotContain(_inFlight, one => one.Entry.Descriptor == descriptor
            && one.Entry.Opcode != UringCalls.OpCancel);
        Trace.Add("close", descriptor, 0);
        Sockets.Close(descriptor);
        int ring = descriptor - RingDescriptor;
        if (ring < 0 || ring >= _rings.Count)
            return;
        if (ring == 0)
            Assert.Empty(_inFlight);
        _rings[ring].Free();
    }

    /// <summary>Cancels what is in flight, as Linux does when the ring's thread ends by a fault.</summary>
    public void EndThread() => _inFlight.Clear();

    public override int MakeEvent() => EventDescriptor + _eventCount++;

    public override void SignalEvent(int descriptor)
    {
        if (descriptor == EventDescriptor)
            _isSignaled = true;
        else
            WokenCount++;
        Trace.Add("signal", descriptor, 0);
    }

    public override int FindLowest(int descriptor) => Sockets.FindLowest();

    /// <summary>Wakes the loop as another one does, or a thread that has no ring.</summary>
    public void WakeUp()
    {
        if (Ring.HasRoom && IsOnceIn(2))
            Ring.Complete(new UringCompletion(new UringMark(UringOperation.Message, 0).Value, 0, false));
        else
            SignalEvent(EventDescriptor);
    }

    private bool IsOnceIn(ulong count) => _random.NextBelow(count) == 0;

    private int Work(uint submittedCount, uint completionCount, int timeoutMs)
    {
        if (_faults.Occurs(SimulatedCall.Enter, out int error)
            || (submittedCount > 0 && _faults.Occurs(SimulatedCall.Submit, out error)))
        {
            // What was submitted before may have completed meanwhile.
            CompleteSome();
            return error;
        }

        Ring.BringOverflow();
        uint taken = IsOnceIn(20) ? (uint)_random.NextBelow(submittedCount + 1) : submittedCount;
        for (uint index = 0; index < taken; index++)
            Submit(Ring.TakeSubmission());
        CompleteSome();
        if (taken < submittedCount || completionCount == 0)
            return (int)taken;
        while (!Ring.HasCompletions && timeoutMs < 0)
        {
            CompleteAny();
            if (!Ring.HasCompletions)
                _idle();
        }

        if (Ring.HasCompletions)
            return (int)taken;
        _idle();
        Time.Wait(timeoutMs);
        return taken == 0 && _faults.Occurs(SimulatedCall.Wait, out error) ? error : (int)taken;
    }

    private void Submit(UringSubmission entry)
    {
        if (entry.Opcode == UringCalls.OpSend)
            Complete(entry, SendNow(entry), hasMore: false);
        else if (entry.Opcode == UringCalls.OpCancel)
            Complete(entry, Cancel(entry), hasMore: false);
        else if (entry.Opcode == UringCalls.OpMessage)
            Complete(entry, SendMessage(entry), hasMore: false);
        else
            _inFlight.Add(new SimulatedRequest(entry));
    }

    private int SendNow(UringSubmission entry)
    {
        SimulatedSocket socket = Sockets[entry.Descriptor];
        SimulatedCall call = socket.IsReset ? SimulatedCall.SendBroken : SimulatedCall.Send;
        if (_faults.Occurs(call, out int error))
            return error;
        int count = (int)Math.Min(entry.Length, socket.Room);
        if (IsOnceIn(4))
            count = (int)_random.NextBelow((ulong)count + 1);
        if (count == 0)
            return -EpollCalls.Again;
        socket.Take((byte*)entry.Address, count);
        return count;
    }

    private int SendMessage(UringSubmission entry)
    {
        Assert.InRange(entry.Descriptor, RingDescriptor + 1, RingDescriptor + _rings.Count - 1);
        if (_faults.Occurs(SimulatedCall.Message, out int error))
            return error;
        WokenCount++;
        return 0;
    }

    private int Cancel(UringSubmission entry)
    {
        if (_faults.Occurs(SimulatedCall.Cancel, out int error))
            return error;
        int count = 0;
        foreach (SimulatedRequest request in _inFlight)
        {
            if (!request.IsMeantBy(in entry) || request.IsCanceled)
                continue;
            request.IsCanceled = true;
            CanceledReceiveCount += request.Entry.Opcode == UringCalls.OpReceive ? 1 : 0;
            count++;
        }

        return count > 0 ? count : -2;
    }

    private void CompleteSome()
    {
        for (int left = (int)_random.NextBelow((ulong)_inFlight.Count + 1); left > 0; left--)
        {
            if (_inFlight.Count > 0)
                Advance(_inFlight[(int)_random.NextBelow((ulong)_inFlight.Count)]);
        }
    }

    // As a real wait does, it finds what can complete.
    private void CompleteAny()
    {
        foreach (SimulatedRequest request in _inFlight.OrderBy(_ => _random.Next()).ToArray())
        {
            Advance(request);
            if (Ring.HasCompletions)
                return;
        }
    }

    private void Advance(SimulatedRequest request)
    {
        if (request.IsCanceled)
        {
            End(request, -UringCalls.Canceled);
            return;
        }

        switch (request.Entry.Opcode)
        {
            case UringCalls.OpAccept:
                Accept(request);
                break;
            case UringCalls.OpRead:
                Read(request);
                break;
            case UringCalls.OpPollAdd:
                Poll(request);
                break;
            case UringCalls.OpReceive:
                Receive(request);
                break;
            default:
                Assert.Fail($"operation {request.Entry.Opcode}");
                break;
        }
    }

    private void Accept(SimulatedRequest request)
    {
        if (!Sockets.HasConnecting)
            return;
        if (_faults.Occurs(SimulatedCall.Accept, out int error))
        {
            End(request, error);
            return;
        }

        int descriptor = Sockets.Accept();
        bool hasMore = !IsOnceIn(10);
        if (!hasMore)
            _inFlight.Remove(request);
        Complete(request.Entry, descriptor, hasMore);
    }

    private void Read(SimulatedRequest request)
    {
        if (!_isSignaled)
            return;
        if (_faults.Occurs(SimulatedCall.Read, out int error))
        {
            End(request, error);
            return;
        }

        End(request, sizeof(ulong));
        _isSignaled = false;
    }

    private void Poll(SimulatedRequest request)
    {
        SimulatedSocket socket = Sockets[request.Entry.Descriptor];
        int events = socket.IsReset ? HangUp : 0;
        if (socket.IsInputEnded)
            events |= PeerHangUp & (int)request.Entry.OperationFlags;
        if (socket.Room > 0)
            events |= Out & (int)request.Entry.OperationFlags;
        if (_faults.Occurs(SimulatedCall.Poll, out int error))
            events = error;
        if (events != 0)
            End(request, events);
    }

    private void Receive(SimulatedRequest request)
    {
        SimulatedSocket socket = Sockets[request.Entry.Descriptor];
        if (socket.Input.Count == 0)
        {
            if (socket.IsReset && _faults.Occurs(SimulatedCall.ReceiveBroken, out int end))
                End(request, end);
            else if (socket.IsInputEnded)
                End(request, 0);
            return;
        }

        if (_faults.Occurs(SimulatedCall.Receive, out int error))
        {
            End(request, error);
            return;
        }

        int buffer = Ring.TakeBuffer(out byte* place, out int size);
        if (buffer < 0)
        {
            NoBufferCount++;
            End(request, -EpollCalls.NoBuffers);
            return;
        }

        int count = Math.Min(size, socket.Input.Count);
        if (IsOnceIn(2))
            count = 1 + (int)_random.NextBelow((ulong)count);
        for (int index = 0; index < count; index++)
            place[index] = socket.Input.Dequeue();
        // A full completion ring ends it, too.
        bool hasMore = !IsOnceIn(10) && Ring.HasRoom;
        if (!hasMore)
            _inFlight.Remove(request);
        Complete(request.Entry, count, hasMore, buffer);
    }

    private void End(SimulatedRequest request, int result)
    {
        _inFlight.Remove(request);
        Complete(request.Entry, result, hasMore: false);
    }

    private void Complete(in UringSubmission entry, int result, bool hasMore, int buffer = -1)
    {
        Trace.Add("complete", entry.Opcode, result);
        Ring.Complete(new UringCompletion(entry.Mark, result, hasMore, buffer));
    }
}
