// Readiness on Linux: one epoll a loop, level-triggered, with direct system calls. A turn is: wait, receive
// from every ready socket into the place that the loop names, run the loop's turn, which sends. With 64
// clients that is one wait and one receive and one send each: nothing else.
//
// Level-triggered, because a receive that did not empty the socket is then simply reported again;
// edge-triggered would need a list of sockets with more to read. A session whose input must stand still is
// taken out of the poll set only when it becomes ready meanwhile (most suspensions are shorter than that);
// what is then still reported is a reset. The end of its input is seen when it reads again, for what came
// before it must be executed and answered first.
//
// Descriptors are closed at the end of a turn: the kernel gives none of them to a new connection while events
// of the old one are still looked at.
//
// Loop 0 accepts and hands connections round. Where descriptors run out, accepting pauses.

using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Epoll;

/// <summary>A loop's transport over epoll.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EpollTransport : LoopTransport, ILoopDriver
{
    private const int EventCountMax = 1024;
    private const int VectorCountMax = 64;
    private const int DescriptorMark = 1 << 30;
    private const int AcceptPauseMs = 100;

    private readonly Loop _loop;
    private readonly EpollTransport[] _peers;
    private readonly ListenerOptions _options;
    private readonly int _epoll;
    private readonly int _wakeUp;
    private readonly int _eventSize = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 16;
    private readonly byte* _events;
    private readonly Dictionary<int, string?> _unixPaths = [];
    private readonly List<int> _closing = [];
    private readonly List<int> _paused = [];
    private readonly Lock _wakeUpLock = new();
    private Connection[] _connections = new Connection[64];
    private long _pausedUntilMs;
    private int _peerNext;
    private bool _isDisposed;
    private volatile bool _isStopping;

    /// <summary>Makes the transport of a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="peers">The transports of all loops, among which accepted connections are handed
    /// round.</param>
    /// <param name="options">How accepted sockets are set up.</param>
    public EpollTransport(Loop loop, EpollTransport[] peers, ListenerOptions options)
    {
        _loop = loop;
        _peers = peers;
        _options = options;
        _events = (byte*)NativeMemory.AlignedAlloc(EventCountMax * 16, 64);
        _epoll = Check(EpollCalls.Create(EpollCalls.CloseOnExec));
        _wakeUp = Check(EpollCalls.EventDescriptor(0, EpollCalls.CloseOnExec | EpollCalls.NonBlocking));
        Watch(EpollCalls.ControlAdd, _wakeUp, EpollCalls.In);
        loop.Attach(this);
    }

    /// <inheritdoc/>
    public void AddListener(Socket listener)
    {
        int descriptor = (int)listener.Handle;
        _unixPaths[descriptor] = (listener.LocalEndPoint as UnixDomainSocketEndPoint)?.ToString();
        Watch(EpollCalls.ControlAdd, descriptor, EpollCalls.In, descriptor | DescriptorMark);
    }

    private void Adopt(int descriptor, SessionEndpoint endpoint)
    {
        ReadOnlySpan<byte> refusal = default;
        Session? session = _isStopping ? null : _loop.OpenSession(endpoint, out refusal);
        if (session is null)
        {
            fixed (byte* text = refusal)
                EpollCalls.Send(descriptor, text, refusal.Length, EpollCalls.NoSignal);
            EpollCalls.Close(descriptor);
            return;
        }

        session.TransportHandle = descriptor;
        if (descriptor >= _connections.Length)
            Array.Resize(ref _connections, Math.Max(descriptor + 1, 2 * _connections.Length));
        _connections[descriptor] =
            new Connection { Session = session, Interest = EpollCalls.In, IsReading = true };
        if (!TryWatch(EpollCalls.ControlAdd, descriptor, EpollCalls.In, descriptor))
            _loop.Disconnected(session);
    }

    /// <inheritdoc/>
    public void Run()
    {
        while (!_isStopping)
            RunOnce();
        foreach (Connection connection in _connections)
        {
            if (connection.Session is { } session)
                _loop.Disconnected(session);
        }

        CloseClosing();
    }

    /// <inheritdoc/>
    public void Stop()
    {
        _isStopping = true;
        WakeUp();
    }

    /// <inheritdoc/>
    public override long Send(Session session, OutputSegment* segments, int count)
    {
        int descriptor = session.TransportHandle;
        long length = 0;
        for (int index = 0; index < count; index++)
            length += segments[index].Length;
        nint sent;
        do
        {
            sent = count == 1
                ? EpollCalls.Send(descriptor, segments[0].Data, (nint)segments[0].Length, EpollCalls.NoSignal)
                : SendMany(descriptor, segments, count);
        }
        while (sent < 0 && Marshal.GetLastPInvokeError() == EpollCalls.Interrupted);

        if (sent < 0)
        {
            if (Marshal.GetLastPInvokeError() != EpollCalls.Again)
                return SendFailed;
            sent = 0;
        }

        if (sent < length)
            SetInterest(descriptor, _connections[descriptor].Interest | EpollCalls.Out);
        return sent;
    }

    /// <inheritdoc/>
    public override void SetReading(Session session, bool isReading)
    {
        ref Connection connection = ref _connections[session.TransportHandle];
        connection.IsReading = isReading;
        if (isReading && (connection.Interest & EpollCalls.In) == 0)
            SetInterest(session.TransportHandle, (connection.Interest & EpollCalls.Out) | EpollCalls.In);
    }

    /// <inheritdoc/>
    public override void Close(Session session)
    {
        _connections[session.TransportHandle].Session = null;
        _closing.Add(session.TransportHandle);
    }

    /// <inheritdoc/>
    public override void WakeUp()
    {
        ulong one = 1;
        lock (_wakeUpLock)
        {
            // Somebody may want to wake a loop that has ended: the descriptor may be another's by then.
            if (!_isDisposed)
                EpollCalls.Write(_wakeUp, (byte*)&one, sizeof(ulong));
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_wakeUpLock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            EpollCalls.Close(_wakeUp);
        }

        // Only a loop that a fault ended has left any.
        for (int descriptor = 0; descriptor < _connections.Length; descriptor++)
        {
            if (_connections[descriptor].Session is not null)
                EpollCalls.Close(descriptor);
        }

        CloseClosing();
        EpollCalls.Close(_epoll);
        NativeMemory.AlignedFree(_events);
    }

    // A method of its own, so that it is compiled afresh once it is hot and not stuck in on-stack
    // replacement.
    private void RunOnce()
    {
        int timeoutMs = _loop.BeginWait();
        if (_paused.Count > 0)
            timeoutMs = ResumeAccepting(timeoutMs);
        int count = EpollCalls.Wait(_epoll, _events, EventCountMax, timeoutMs);
        _loop.EndWait();
        if (count < 0 && Marshal.GetLastPInvokeError() != EpollCalls.Interrupted)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        for (int index = 0; index < count; index++)
        {
            // SAFETY: the kernel filled `count` events of `_eventSize` bytes: 32 bits of events, then our 64
            // bits.
            byte* pollEvent = _events + (index * _eventSize);
            uint events = *(uint*)pollEvent;
            int descriptor = *(int*)(pollEvent + (_eventSize - sizeof(long)));
            if ((descriptor & DescriptorMark) != 0)
                AcceptAll(descriptor & ~DescriptorMark);
            else if (descriptor == _wakeUp)
                ClearWakeUp();
            else
                See(descriptor, events);
        }

        _loop.Turn();
        CloseClosing();
    }

    private void See(int descriptor, uint events)
    {
        ref Connection connection = ref _connections[descriptor];
        if (connection.Session is not { } session)
            return;
        if ((events & EpollCalls.Out) != 0)
        {
            SetInterest(descriptor, connection.Interest & ~EpollCalls.Out);
            _loop.Writable(session);
            if (session.IsClosed)
                return;
        }

        if ((events & (EpollCalls.In | EpollCalls.Error | EpollCalls.HangUp)) == 0)
            return;
        if (!_connections[descriptor].IsReading)
        {
            if ((events & (EpollCalls.Error | EpollCalls.HangUp)) != 0)
                _loop.Disconnected(session);
            else
                SetInterest(descriptor, connection.Interest & EpollCalls.Out);
            return;
        }

        if (_loop.IsInputFull)
            _loop.Turn();
        if (!session.IsClosed)
            Receive(session, descriptor);
    }

    private void Receive(Session session, int descriptor)
    {
        _loop.Receive(session, out byte* place, out int room);
        nint received;
        do
        {
            received = EpollCalls.Receive(descriptor, place, room, 0);
        }
        while (received < 0 && Marshal.GetLastPInvokeError() == EpollCalls.Interrupted);

        if (received > 0)
            _loop.Received(session, (int)received);
        else if (received == 0 || Marshal.GetLastPInvokeError() != EpollCalls.Again)
            _loop.Disconnected(session);
    }

    private void AcceptAll(int listener)
    {
        const int AddressSize = 128;
        byte* address = stackalloc byte[AddressSize];
        for (int count = 0; count < EventCountMax; count++)
        {
            int length = AddressSize;
            int descriptor = EpollCalls.Accept(
                listener, address, &length, EpollCalls.NonBlocking | EpollCalls.CloseOnExec);
            if (descriptor < 0)
            {
                if (Marshal.GetLastPInvokeError() is EpollCalls.Interrupted or EpollCalls.Aborted)
                    continue;
                PauseAccepting(listener, Marshal.GetLastPInvokeError());
                return;
            }

            HandOver(descriptor, Describe(listener, descriptor, new ReadOnlySpan<byte>(address, length)));
        }
    }

    /// <summary>Where descriptors or memory have run out, lets a listener rest: they are given back by and
    /// by.</summary>
    private void PauseAccepting(int listener, int error)
    {
        if (error is not (EpollCalls.TooManyFiles or EpollCalls.TooManyFilesInSystem
            or EpollCalls.NoBuffers or EpollCalls.NoMemory))
            return;
        _loop.Engine.Log.Write(LogLevel.Warning,
            $"Accepting client connection: accept: {Marshal.GetPInvokeErrorMessage(error)}");
        Watch(EpollCalls.ControlModify, listener, 0, listener | DescriptorMark);
        _paused.Add(listener);
        _pausedUntilMs = Environment.TickCount64 + AcceptPauseMs;
    }

    /// <summary>Ends a pause that is over; else shortens a wait to what is left of it.</summary>
    private int ResumeAccepting(int timeoutMs)
    {
        long leftMs = _pausedUntilMs - Environment.TickCount64;
        if (leftMs > 0)
            return timeoutMs < 0 ? (int)leftMs : (int)Math.Min(timeoutMs, leftMs);
        foreach (int listener in _paused)
            Watch(EpollCalls.ControlModify, listener, EpollCalls.In, listener | DescriptorMark);
        _paused.Clear();
        return timeoutMs;
    }

    private void HandOver(int descriptor, SessionEndpoint endpoint)
    {
        if (endpoint.Kind == ConnectionKind.Tcp)
            _options.Apply(descriptor);
        EpollTransport peer = _peers[_peerNext];
        _peerNext = _peerNext + 1 == _peers.Length ? 0 : _peerNext + 1;
        if (peer == this)
            Adopt(descriptor, endpoint);
        else
            peer._loop.Run(() => peer.Adopt(descriptor, endpoint));
    }

    private SessionEndpoint Describe(int listener, int descriptor, ReadOnlySpan<byte> address)
    {
        if (_unixPaths[listener] is { } path)
            return new SessionEndpoint($"{path}:0", $"{path}:0", descriptor, ConnectionKind.Unix, true);
        Span<byte> local = stackalloc byte[128];
        int length = local.Length;
        fixed (byte* place = local)
            length = EpollCalls.LocalName(descriptor, place, &length) < 0 ? 0 : length;
        return new SessionEndpoint(
            SocketAddressText.Format(address), SocketAddressText.Format(local[..length]),
            descriptor, ConnectionKind.Tcp, SocketAddressText.IsLoopback(address));
    }

    private void ClearWakeUp()
    {
        ulong value;
        EpollCalls.Read(_wakeUp, (byte*)&value, sizeof(ulong));
    }

    // Descriptors are closed after the turn, so that none is used again while events of the old one are still
    // looked at.
    private void CloseClosing()
    {
        foreach (int descriptor in _closing)
            EpollCalls.Close(descriptor);
        _closing.Clear();
    }

    private void SetInterest(int descriptor, uint interest)
    {
        ref Connection connection = ref _connections[descriptor];
        if (connection.Interest == interest)
            return;
        connection.Interest = interest;
        Watch(EpollCalls.ControlModify, descriptor, interest);
    }

    private void Watch(int operation, int descriptor, uint interest) =>
        Watch(operation, descriptor, interest, descriptor);

    private void Watch(int operation, int descriptor, uint interest, int mark)
    {
        if (!TryWatch(operation, descriptor, interest, mark))
            throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    private bool TryWatch(int operation, int descriptor, uint interest, int mark)
    {
        // SAFETY: 16 bytes are an event of either size: 32 bits of events, then (packed on x64) our 64 bits.
        byte* pollEvent = stackalloc byte[16];
        *(uint*)pollEvent = interest;
        *(long*)(pollEvent + (_eventSize - sizeof(long))) = mark;
        return EpollCalls.Control(_epoll, operation, descriptor, pollEvent) >= 0;
    }

    private static nint SendMany(int descriptor, OutputSegment* segments, int count)
    {
        IoVector* vectors = stackalloc IoVector[VectorCountMax];
        for (int index = 0; index < count; index++)
        {
            vectors[index].Data = segments[index].Data;
            vectors[index].Length = (nint)segments[index].Length;
        }

        var message = new MessageHeader { Vectors = vectors, VectorCount = count };
        return EpollCalls.SendMessage(descriptor, &message, EpollCalls.NoSignal);
    }

    private static int Check(int result) =>
        result >= 0 ? result : throw new Win32Exception(Marshal.GetLastPInvokeError());

    private struct Connection
    {
        public Session? Session;
        public uint Interest;
        public bool IsReading;
    }
}
