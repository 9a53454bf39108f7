using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Load.Sockets;
using Cinnabar.Transport.Uring;

namespace Cinnabar.Load.Servers;

/// <summary>
/// The null server over io_uring, as Cinnabar uses it: accepts and receives of many completions into provided
/// buffers, the sends of a turn in one call. Otherwise as <see cref="NullServer"/>.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed unsafe class NullRingServer : IDisposable
{
    private const int WaitingSizeMax = 1 << 20;
    private const int Backlog = 1024;
    private const int StopMs = 100;
    private const int ConnectionCountMax = 10_000;
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly FloorRequests _requests;
    private readonly UringRing _ring;
    private readonly Dictionary<int, RingConnection> _connections = [];
    private readonly List<int> _dirty = [];

    /// <summary>A server on a port of 127.0.0.1 (0: any free one) whose values have <paramref
    /// name="dataSize"/> bytes.</summary>
    /// <exception cref="LoadException">The port is taken, or the system has no io_uring for it.</exception>
    public NullRingServer(int port, int dataSize)
    {
        _requests = new FloorRequests(dataSize) { Output = [] };
        UringRing[]? rings = UringProbe.TryMakeRings(
            new LinuxKernel(), UringSizes.For(ConnectionCountMax), 1, out string obstacle);
        _ring = rings is [UringRing ring] ? ring : throw new LoadException($"io_uring: {obstacle}");
        try
        {
            _listener.Bind(new IPEndPoint(IPAddress.Loopback, port));
            _listener.Listen(Backlog);
        }
        catch (SocketException failure)
        {
            Dispose();
            throw new LoadException($"port {port}: {failure.Message}");
        }
    }

    /// <summary>Whether the system has what the server needs.</summary>
    public static bool IsSupported
    {
        get
        {
            UringRing[]? rings = UringProbe.TryMakeRings(new LinuxKernel(), UringSizes.For(1), 1, out _);
            foreach (UringRing ring in rings ?? []) ring.Dispose();
            return rings is not null;
        }
    }

    /// <summary>The port it serves.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    /// <summary>Serves until it is cancelled; calls after that are not allowed.</summary>
    public void Run(CancellationToken stop)
    {
        _ring.Enable();
        Accept();
        while (!stop.IsCancellationRequested)
        {
            _ring.Enter(1, StopMs);
            while (_ring.TryRead(out UringCompletion completion)) Take(in completion);
            foreach (int socket in _dirty)
            {
                if (!_connections.TryGetValue(socket, out RingConnection? connection)) continue;
                connection.IsDirty = false;
                if (connection.SendingSize == 0) Send(socket, connection);
            }
            _dirty.Clear();
        }
        UringSubmission* all = Prepare(UringCalls.OpCancel, -1, UringOperation.Cancel, int.MaxValue);
        all->OperationFlags = UringCalls.CancelAny | UringCalls.CancelAll;
        while (_ring.InFlight > 0)
        {
            _ring.Enter(1, StopMs);
            while (_ring.TryRead(out _)) { }
        }
        foreach (int socket in _connections.Keys) LibC.close(socket);
    }

    public void Dispose()
    {
        _listener.Dispose();
        _ring.Dispose();
    }

    private UringSubmission* Prepare(byte code, int socket, UringOperation operation, int index) =>
        _ring.Prepare(code, socket, new UringMark(operation, index));

    private void Take(in UringCompletion completion)
    {
        int socket = completion.Mark.Index;
        switch (completion.Mark.Operation)
        {
            case UringOperation.Accept:
                if (completion.Result >= 0) Add(completion.Result);
                if (!completion.HasMore) Accept();
                break;
            case UringOperation.Receive:
                Received(socket, _connections[socket], in completion);
                break;
            case UringOperation.Send:
                Sent(socket, _connections[socket], completion.Result);
                break;
        }
    }

    private void Accept()
    {
        var listener = (int)_listener.Handle;
        UringSubmission* accept = Prepare(UringCalls.OpAccept, listener, UringOperation.Accept, listener);
        accept->SocketFlags = UringCalls.AcceptMultishot;
        accept->OperationFlags = LibC.CloseOnExec;
    }

    private void Add(int socket)
    {
        int on = 1;
        _ = LibC.setsockopt(socket, LibC.ProtocolTcp, LibC.NoDelay, &on, sizeof(int));
        var connection = new RingConnection();
        _connections[socket] = connection;
        Receive(socket, connection);
    }

    private void Receive(int socket, RingConnection connection)
    {
        connection.IsReceiving = true;
        UringSubmission* receive = Prepare(UringCalls.OpReceive, socket, UringOperation.Receive, socket);
        receive->Flags = UringCalls.SubmissionSelectsBuffer;
        receive->SocketFlags = UringCalls.ReceiveMultishot;
        receive->BufferGroup = UringBuffers.Group;
    }

    // A client that has not taken its replies is not read from.
    private void Received(int socket, RingConnection connection, in UringCompletion completion)
    {
        connection.IsReceiving = completion.HasMore;
        if (completion.Buffer >= 0)
        {
            if (completion.Result > 0)
                Answer(connection, _ring.Buffers.At(completion.Buffer), completion.Result);
            _ring.Buffers.Return(completion.Buffer);
        }
        if (connection.WaitingSize > 0 && !connection.IsDirty)
        {
            connection.IsDirty = true;
            _dirty.Add(socket);
        }
        if (completion.HasMore)
        {
            if (connection.WaitingSize > WaitingSizeMax && !connection.IsPaused) Pause(socket, connection);
            return;
        }
        bool goesOn = completion.Result > 0
            || -completion.Result is UringCalls.Canceled or LibC.NoBuffers or LibC.Interrupted;
        connection.IsEnding |= !goesOn;
        if (!goesOn) End(socket, connection);
        else if (!connection.IsPaused && !connection.IsEnding) Receive(socket, connection);
        else if (connection.IsPaused && connection.WaitingSize == 0) GoOn(socket, connection);
    }

    private void Answer(RingConnection connection, byte* input, int size)
    {
        for (int at = 0; at < size;)
        {
            (_requests.Output, _requests.OutputSize) = (connection.Waiting, connection.WaitingSize);
            at = _requests.Answer(connection.Requests, input, at, size);
            connection.WaitingSize = _requests.OutputSize;
            if (at < size) connection.Grow(_requests.ReplySizeMax);
        }
    }

    private void Pause(int socket, RingConnection connection)
    {
        connection.IsPaused = true;
        Prepare(UringCalls.OpCancel, -1, UringOperation.Cancel, int.MaxValue)->Address =
            new UringMark(UringOperation.Receive, socket).Value;
    }

    private void GoOn(int socket, RingConnection connection)
    {
        connection.IsPaused = false;
        Receive(socket, connection);
    }

    // SAFETY: the buffer is pinned, and neither moved nor filled until the completion of the send.
    private void Send(int socket, RingConnection connection)
    {
        if (connection.SendingSize == 0)
        {
            if (connection.WaitingSize == 0 || connection.IsEnding) return;
            connection.BeginSending();
        }
        UringSubmission* send = Prepare(UringCalls.OpSend, socket, UringOperation.Send, socket);
        ref byte first = ref MemoryMarshal.GetArrayDataReference(connection.Sending);
        send->Address = (ulong)System.Runtime.CompilerServices.Unsafe.AsPointer(ref first)
            + (ulong)connection.SentSize;
        send->Length = (uint)(connection.SendingSize - connection.SentSize);
        send->OperationFlags = LibC.NoSignal;
    }

    private void Sent(int socket, RingConnection connection, int result)
    {
        if (result < 0) connection.IsEnding = true;
        else connection.SentSize += result;
        if (!connection.IsEnding && connection.SentSize < connection.SendingSize)
        {
            Send(socket, connection);
            return;
        }
        connection.SendingSize = 0;
        if (connection.IsEnding)
        {
            End(socket, connection);
            return;
        }
        Send(socket, connection);
        if (connection is { IsPaused: true, IsReceiving: false, WaitingSize: 0 }) GoOn(socket, connection);
    }

    // The receive ends with the connection; a descriptor is closed when nothing of it is in flight.
    private void End(int socket, RingConnection connection)
    {
        if (connection.IsReceiving && !connection.IsPaused) Pause(socket, connection);
        if (connection.IsReceiving || connection.SendingSize > 0) return;
        _connections.Remove(socket);
        LibC.close(socket);
    }
}
