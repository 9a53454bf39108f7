using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Versioning;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Uring;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>What the rings of a simulated kernel are asked for, and how it completes.</summary>
/// <param name="faults">Decides which operations fail.</param>
/// <param name="chance">Decides everything else.</param>
/// <param name="sockets">The connections.</param>
/// <param name="trace">Gets what completes.</param>
/// <param name="rings">All rings.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class SimulatedOperations(ISimulatedFaults faults, SimulatedChance chance,
    SimulatedSockets sockets, SimulatedTrace trace, List<SimulatedRing> rings)
{
    private const int PeerHangUp = 0x2000;
    private const int Out = 4;
    private const int HangUp = 16;
    private const int NotFound = 2;

    private readonly ISimulatedFaults _faults = faults;
    private readonly SimulatedChance _chance = chance;
    private readonly SimulatedSockets _sockets = sockets;
    private readonly SimulatedTrace _trace = trace;
    private readonly List<SimulatedRing> _rings = rings;
    private readonly HashSet<int> _signaled = [];

    /// <summary>What has been met.</summary>
    public SimulatedCounts Counts { get; } = new();

    /// <summary>Signals an event.</summary>
    public void Signal(int descriptor) => _signaled.Add(descriptor);

    /// <summary>Takes an entry.</summary>
    public void Submit(SimulatedRing ring, UringSubmission entry)
    {
        switch (entry.Opcode)
        {
            case UringCalls.OpSend:
                Complete(ring, entry, SendNow(entry), hasMore: false);
                break;
            case UringCalls.OpCancel:
                Complete(ring, entry, Cancel(ring, entry), hasMore: false);
                break;
            case UringCalls.OpMessage:
                Complete(ring, entry, SendMessage(entry), hasMore: false);
                break;
            default:
                Begin(ring, entry);
                break;
        }
    }

    /// <summary>Completes some of what is in flight and can complete.</summary>
    public void CompleteSome(SimulatedRing ring)
    {
        for (int left = _chance.Below(ring.InFlight.Count + 1); left > 0; left--)
        {
            if (ring.InFlight.Count > 0)
                Advance(ring, ring.InFlight[_chance.Below(ring.InFlight.Count)]);
        }
    }

    /// <summary>Completes something if anything can complete: as a real wait does, it finds it.</summary>
    public void CompleteAny(SimulatedRing ring)
    {
        foreach (SimulatedRequest request in ring.InFlight.OrderBy(_ => _chance.Next()).ToArray())
        {
            Advance(ring, request);
            if (ring.HasCompletions)
                return;
        }
    }

    private void Begin(SimulatedRing ring, UringSubmission entry)
    {
        if (entry.Opcode is UringCalls.OpReceive or UringCalls.OpPollAdd)
        {
            foreach (SimulatedRing other in _rings)
            {
                if (other != ring)
                    other.AssertNotInFlight(entry.Descriptor);
            }

            if (_sockets[entry.Descriptor].BeginOn(ring.Descriptor))
                Counts.Moves++;
        }

        ring.InFlight.Add(new SimulatedRequest(entry));
    }

    private int SendNow(UringSubmission entry)
    {
        SimulatedSocket socket = _sockets[entry.Descriptor];
        SimulatedCall call = socket.IsReset ? SimulatedCall.SendBroken : SimulatedCall.Send;
        if (_faults.Occurs(call, out int error))
            return error;
        int count = (int)Math.Min(entry.Length, socket.Room);
        if (_chance.IsOnceIn(4))
            count = _chance.Below(count + 1);
        if (count == 0)
            return -EpollCalls.Again;
        socket.Take((byte*)entry.Address, count);
        return count;
    }

    private int SendMessage(UringSubmission entry)
    {
        SimulatedRing target = _rings.Single(ring => ring.Descriptor == entry.Descriptor);
        Assert.False(target.IsClosed, "the other ring is open");
        if (_faults.Occurs(SimulatedCall.Message, out int error))
        {
            Counts.FailedMessages++;
            return error;
        }

        target.Complete(new UringCompletion(entry.Offset, 0, hasMore: false));
        return 0;
    }

    private int Cancel(SimulatedRing ring, UringSubmission entry)
    {
        if (_faults.Occurs(SimulatedCall.Cancel, out int error))
            return error;
        int count = 0;
        // Linux looks at all that is in flight for each operation that it finds.
        bool isOfAny = (entry.OperationFlags & UringCalls.CancelAny) != 0;
        Assert.False(isOfAny && ring.InFlight.Exists(IsOfConnection), "connections end before the rest");
        foreach (SimulatedRequest request in ring.InFlight)
        {
            if (!request.IsMeantBy(in entry) || request.IsCanceled)
                continue;
            request.IsCanceled = true;
            Counts.CanceledReceives += request.Entry.Opcode == UringCalls.OpReceive ? 1 : 0;
            count++;
        }

        bool isOfAll = (entry.OperationFlags & UringCalls.CancelAll) != 0;
        return count > 0 || isOfAll ? count : -NotFound;
    }

    private static bool IsOfConnection(SimulatedRequest request) =>
        request.Entry.Opcode is UringCalls.OpReceive or UringCalls.OpPollAdd;

    private void Advance(SimulatedRing ring, SimulatedRequest request)
    {
        if (request.IsCanceled)
        {
            End(ring, request, -UringCalls.Canceled);
            return;
        }

        switch (request.Entry.Opcode)
        {
            case UringCalls.OpAccept:
                Accept(ring, request);
                break;
            case UringCalls.OpRead:
                Read(ring, request);
                break;
            case UringCalls.OpPollAdd:
                Poll(ring, request);
                break;
            case UringCalls.OpReceive:
                Receive(ring, request);
                break;
            default:
                Assert.Fail($"operation {request.Entry.Opcode}");
                break;
        }
    }

    private void Accept(SimulatedRing ring, SimulatedRequest request)
    {
        if (!_sockets.HasConnecting(request.Entry.Descriptor))
            return;
        if (_faults.Occurs(SimulatedCall.Accept, out int error))
        {
            End(ring, request, error);
            return;
        }

        int descriptor = _sockets.Accept(request.Entry.Descriptor);
        bool hasMore = !_chance.IsOnceIn(10);
        if (!hasMore)
            ring.InFlight.Remove(request);
        Complete(ring, request.Entry, descriptor, hasMore);
    }

    private void Read(SimulatedRing ring, SimulatedRequest request)
    {
        if (!_signaled.Contains(request.Entry.Descriptor))
            return;
        if (_faults.Occurs(SimulatedCall.Read, out int error))
        {
            End(ring, request, error);
            return;
        }

        End(ring, request, sizeof(ulong));
        _signaled.Remove(request.Entry.Descriptor);
    }

    private void Poll(SimulatedRing ring, SimulatedRequest request)
    {
        SimulatedSocket socket = _sockets[request.Entry.Descriptor];
        int events = socket.IsReset ? HangUp : 0;
        // Whatever was asked for.
        if (socket.IsInputEnded)
            events |= PeerHangUp;
        if (socket.Room > 0)
            events |= Out & (int)request.Entry.OperationFlags;
        bool ofChanges = (request.Entry.Length & UringCalls.PollMultishot) != 0;
        bool isNew = events != request.Polled || (events & Out) != 0;
        if (events == 0 || (ofChanges && !isNew))
            return;
        // One that has reported all there is fails no more, and is not renewed.
        if (_faults.Occurs(SimulatedCall.Poll, out int error))
            events = error;
        if (events < 0 || !ofChanges || !ring.HasRoom)
        {
            End(ring, request, events);
            return;
        }

        request.Polled = events;
        Complete(ring, request.Entry, events, hasMore: true);
    }

    private void Receive(SimulatedRing ring, SimulatedRequest request)
    {
        SimulatedSocket socket = _sockets[request.Entry.Descriptor];
        if (socket.Input.Count == 0)
        {
            if (request.HasMissedEnd)
                return;
            if (socket.IsReset && _faults.Occurs(SimulatedCall.ReceiveBroken, out int end))
                End(ring, request, end);
            else if (socket.IsInputEnded)
                End(ring, request, 0);
            return;
        }

        if (_faults.Occurs(SimulatedCall.Receive, out int error))
        {
            End(ring, request, error);
            return;
        }

        int buffer = ring.TakeBuffer(out byte* place, out int size);
        if (buffer < 0)
        {
            Counts.NoBuffers++;
            End(ring, request, -EpollCalls.NoBuffers);
            return;
        }

        int count = Math.Min(size, socket.Input.Count);
        if (_chance.IsOnceIn(2))
            count = 1 + _chance.Below(count);
        for (int index = 0; index < count; index++)
            place[index] = socket.Input.Dequeue();
        // A full completion ring ends it, too.
        bool hasMore = !_chance.IsOnceIn(10) && ring.HasRoom;
        if (!hasMore)
            ring.InFlight.Remove(request);
        // Only one that finds no bytes is sure to see it.
        request.HasMissedEnd = hasMore && socket.Input.Count == 0
            && (socket.IsReset || socket.IsInputEnded) && _chance.IsOnceIn(2);
        Counts.MissedEnds += request.HasMissedEnd ? 1 : 0;
        Complete(ring, request.Entry, count, hasMore, buffer);
    }

    private void End(SimulatedRing ring, SimulatedRequest request, int result)
    {
        ring.InFlight.Remove(request);
        Complete(ring, request.Entry, result, hasMore: false);
    }

    private void Complete(
        SimulatedRing ring, in UringSubmission entry, int result, bool hasMore, int buffer = -1)
    {
        _trace.Add("complete", entry.Opcode, result);
        ring.Complete(new UringCompletion(entry.Mark, result, hasMore, buffer));
    }
}
