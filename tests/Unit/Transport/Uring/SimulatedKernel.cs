// A kernel for one ring and the connections of simulated clients, all in the test's thread. It reads the
// submission ring, writes the completion ring and takes buffers from the ring of provided buffers as Linux
// does, but decides by its random numbers
//
//   in which order what is in flight completes, and how much of it in one call
//   how many bytes a receive or a send moves
//   that a call is interrupted, or takes fewer entries than were prepared
//   that a send finds no room or no memory, a receive ends early, a cancellation comes between two states
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
/// <param name="seed">Decides everything.</param>
/// <param name="idle">Called when the loop would sleep: the clients act.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class SimulatedKernel(ulong seed, Action idle) : UringKernel
{
    private const int RingDescriptor = 699;
    private const int EventDescriptor = 698;
    // Below the process's limit, which the transport looks at.
    private const int FirstDescriptor = 700;
    private const int PeerHangUp = 0x2000;
    private const int Out = 4;
    private const int HangUp = 16;

    private readonly Action _idle = idle;
    private readonly Dictionary<int, SimulatedSocket> _sockets = [];
    private readonly Queue<SimulatedSocket> _connecting = new();
    private readonly List<SimulatedRequest> _inFlight = [];
    private RandomSource _random = new(seed);
    private SimulatedRing? _ring;
    private int _descriptorNext = FirstDescriptor;
    private bool _isSignaled;

    /// <summary>How many receives found no buffer.</summary>
    public int NoBufferCount { get; private set; }

    /// <summary>How many completions found the ring full.</summary>
    public int OverflowCount => _ring!.OverflowCount;

    /// <summary>How many receives were canceled.</summary>
    public int CanceledReceiveCount { get; private set; }

    /// <summary>The descriptors of open connections.</summary>
    public IEnumerable<int> OpenDescriptors => _sockets.Keys;

    /// <summary>Connects a client.</summary>
    public SimulatedSocket Connect(int roomMax)
    {
        var socket = new SimulatedSocket(roomMax);
        _connecting.Enqueue(socket);
        return socket;
    }

    public override int Setup(uint count, UringParameters* parameters)
    {
        _ring = new SimulatedRing(count, parameters);
        return RingDescriptor;
    }

    public override byte* Map(int ring, nuint length, long offset) => _ring!.Map(length, offset);

    public override void Unmap(byte* place, nuint length)
    {
        // The simulated ring keeps its memory until the ring is closed and mapped no more.
    }

    public override int Register(int ring, uint operation, void* argument, uint count)
    {
        if (operation == UringCalls.RegisterBuffers)
            _ring!.Provide((UringBufferRegistration*)argument);
        return 0;
    }

    public override int Enter(int ring, uint submittedCount, uint completionCount, int timeoutMs)
    {
        if (IsOnceIn(50))
            return -EpollCalls.Interrupted;
        if (submittedCount > 0 && IsOnceIn(50))
            return -EpollCalls.Again;
        _ring!.BringOverflow();
        uint taken = IsOnceIn(20) ? (uint)_random.NextBelow(submittedCount + 1) : submittedCount;
        for (uint index = 0; index < taken; index++)
            Submit(_ring.TakeSubmission());
        CompleteSome();
        // With a time it returns in vain: nobody measures the time.
        while (taken == submittedCount && completionCount > 0 && !_ring.HasCompletions && timeoutMs < 0)
        {
            CompleteAny();
            if (!_ring.HasCompletions)
                _idle();
        }

        if (timeoutMs > 0 && !_ring.HasCompletions)
            _idle();
        return (int)taken;
    }

    public override long Send(int descriptor, OutputSegment* segments, int count, out bool isAll)
    {
        SimulatedSocket socket = _sockets[descriptor];
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
        long left = limit;
        for (int index = 0; left > 0; index++)
        {
            int part = (int)Math.Min(left, segments[index].Length);
            socket.Take(segments[index].Data, part);
            left -= part;
        }

        isAll = limit == length;
        return limit;
    }

    public override bool HasGone(int descriptor) => _sockets[descriptor].IsReset;

    public override void Close(int descriptor)
    {
        Assert.DoesNotContain(_inFlight, one => one.Entry.Descriptor == descriptor
            && one.Entry.Opcode != UringCalls.OpCancel);
        if (_sockets.Remove(descriptor, out SimulatedSocket? socket))
            socket.IsClosed = true;
        if (descriptor != RingDescriptor)
            return;
        Assert.Empty(_inFlight);
        _ring!.Free();
    }

    /// <summary>The descriptor of a client's connection; −1: it is not accepted, or closed.</summary>
    public int DescriptorOf(SimulatedSocket socket)
    {
        foreach ((int descriptor, SimulatedSocket one) in _sockets)
        {
            if (one == socket)
                return descriptor;
        }

        return -1;
    }

    public override int MakeEvent() => EventDescriptor;

    public override void SignalEvent(int descriptor) => _isSignaled = true;

    private bool IsOnceIn(ulong count) => _random.NextBelow(count) == 0;

    private void Submit(UringSubmission entry)
    {
        if (entry.Opcode == UringCalls.OpSend)
            Complete(entry, SendNow(entry), hasMore: false);
        else if (entry.Opcode == UringCalls.OpCancel)
            Complete(entry, Cancel(entry), hasMore: false);
        else
            _inFlight.Add(new SimulatedRequest(entry));
    }

    private int SendNow(UringSubmission entry)
    {
        SimulatedSocket socket = _sockets[entry.Descriptor];
        if (socket.IsReset)
            return -32;
        if (IsOnceIn(20))
            return IsOnceIn(2) ? -EpollCalls.Again : -EpollCalls.NoMemory;
        int count = (int)Math.Min(entry.Length, socket.Room);
        if (IsOnceIn(4))
            count = (int)_random.NextBelow((ulong)count + 1);
        if (count == 0)
            return -EpollCalls.Again;
        socket.Take((byte*)entry.Address, count);
        return count;
    }

    private int Cancel(UringSubmission entry)
    {
        bool isAny = (entry.OperationFlags & UringCalls.CancelAny) != 0;
        bool isByDescriptor = (entry.OperationFlags & UringCalls.CancelDescriptor) != 0;
        // Between two states: the caller has to come again.
        if (IsOnceIn(8))
            return -114;
        int count = 0;
        foreach (SimulatedRequest request in _inFlight)
        {
            bool isMeant = isAny || (isByDescriptor ? request.Entry.Descriptor == entry.Descriptor
                : request.Entry.Mark == entry.Address);
            if (!isMeant || request.IsCanceled)
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
            if (_ring!.HasCompletions)
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
                if (_connecting.TryDequeue(out SimulatedSocket? socket))
                    Accept(request, socket);
                break;
            case UringCalls.OpRead:
                if (_isSignaled)
                    End(request, sizeof(ulong));
                _isSignaled = false;
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

    private void Accept(SimulatedRequest request, SimulatedSocket socket)
    {
        int descriptor = _descriptorNext;
        // The lowest that is free, as always.
        for (int free = FirstDescriptor; free < _descriptorNext; free++)
        {
            if (!_sockets.ContainsKey(free))
            {
                descriptor = free;
                break;
            }
        }

        _descriptorNext = Math.Max(_descriptorNext, descriptor + 1);
        _sockets.Add(descriptor, socket);
        bool hasMore = !IsOnceIn(10);
        if (!hasMore)
            _inFlight.Remove(request);
        Complete(request.Entry, descriptor, hasMore);
    }

    private void Poll(SimulatedRequest request)
    {
        SimulatedSocket socket = _sockets[request.Entry.Descriptor];
        int events = socket.IsReset ? HangUp : 0;
        if (socket.IsInputEnded)
            events |= PeerHangUp & (int)request.Entry.OperationFlags;
        if (socket.Room > 0)
            events |= Out & (int)request.Entry.OperationFlags;
        if (events != 0)
            End(request, events);
    }

    private void Receive(SimulatedRequest request)
    {
        SimulatedSocket socket = _sockets[request.Entry.Descriptor];
        if (socket.Input.Count == 0)
        {
            if (socket.IsReset)
                End(request, -104);
            else if (socket.IsInputEnded)
                End(request, 0);
            return;
        }

        int buffer = _ring!.TakeBuffer(out byte* place, out int size);
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
        bool hasMore = !IsOnceIn(10) && _ring.HasRoom;
        if (!hasMore)
            _inFlight.Remove(request);
        Complete(request.Entry, count, hasMore, buffer);
    }

    private void End(SimulatedRequest request, int result)
    {
        _inFlight.Remove(request);
        Complete(request.Entry, result, hasMore: false);
    }

    private void Complete(in UringSubmission entry, int result, bool hasMore, int buffer = -1) =>
        _ring!.Complete(new UringCompletion(entry.Mark, result, hasMore, buffer));
}
