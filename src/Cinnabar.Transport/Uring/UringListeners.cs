// Accepting on a loop's ring: one accept for each listener, which ends only by an error. Accepted sockets are
// blocking ones, and so is the listener: the ring would answer for others that there is nothing yet instead
// of waiting.
//
// When descriptors or memory run out, accepting pauses for a while. The last few descriptors are reserved:
// the runtime opens files when it first needs them, and ends the process if it cannot. The kernel accepts
// without asking, so it may have taken some of these already: such connections are held until the pause has
// brought room, without a session; and closed if otherwise no descriptor were left.
//
// A listener that was removed is closed when its accept has ended.

using System.Net.Sockets;
using System.Runtime.Versioning;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Epoll;

namespace Cinnabar.Transport.Uring;

/// <summary>The listening sockets of one loop: accepts connections and sets them up. Only the loop uses
/// it.</summary>
/// <param name="loop">The loop.</param>
/// <param name="kernel">The kernel.</param>
/// <param name="ring">The loop's ring.</param>
/// <param name="options">The options of accepted sockets.</param>
/// <param name="accepted">Takes the descriptor of each connection over.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class UringListeners(Loop loop, UringKernel kernel, UringRing ring,
    ListenerOptions options, Action<int, SessionEndpoint> accepted)
{
    private const int AddressSize = 128;
    private const int PauseMs = 100;

    private readonly Loop _loop = loop;
    private readonly UringKernel _kernel = kernel;
    private readonly UringRing _ring = ring;
    private readonly ListenerOptions _options = options;
    private readonly Action<int, SessionEndpoint> _accepted = accepted;
    private readonly Dictionary<int, UringListener> _listeners = [];
    private readonly List<(UringListener Listener, int Descriptor)> _held = [];
    private readonly AcceptedEndpoints _endpoints = new();
    private bool _isPaused;
    private long _pausedUntilMs;

    /// <summary>Adds a listening socket.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="isTls">Whether its connections have TLS.</param>
    public void Add(Socket socket, bool isTls)
    {
        int descriptor = (int)socket.Handle;
        socket.Blocking = true;
        var listener = new UringListener(socket, ListenerKind.Of(socket, isTls));
        _listeners.Add(descriptor, listener);
        Accept(descriptor, listener);
    }

    /// <summary>Closes a listening socket.</summary>
    public void Remove(Socket socket)
    {
        int descriptor = (int)socket.Handle;
        if (!_listeners.TryGetValue(descriptor, out UringListener? listener))
        {
            socket.Dispose();
            return;
        }

        listener.IsRemoved = true;
        if (listener.IsAccepting)
            Cancel(descriptor);
        else
            Close(descriptor, listener);
    }

    /// <summary>Takes the completion of an accept.</summary>
    public void Completed(in UringCompletion completion)
    {
        int descriptor = completion.Mark.Index;
        UringListener listener = _listeners[descriptor];
        if (!completion.HasMore)
            listener.IsAccepting = false;
        if (completion.Result >= 0)
            Take(listener, completion.Result);
        else if (IsExhausted(-completion.Result))
            Pause(-completion.Result);
        else if (-completion.Result
            is not (EpollCalls.Aborted or EpollCalls.Interrupted or UringCalls.Canceled))
            Pause(0);
        if (completion.HasMore)
            return;
        if (listener.IsRemoved)
            Close(descriptor, listener);
        else if (!_isPaused)
            Accept(descriptor, listener);
    }

    /// <summary>Ends a pause that is over; else shortens a wait to what is left of it.</summary>
    public int WaitMs(int timeoutMs)
    {
        if (!_isPaused)
            return timeoutMs;
        if (_kernel.NowMs >= _pausedUntilMs)
            EndPause();
        if (!_isPaused)
            return timeoutMs;
        int leftMs = (int)Math.Max(_pausedUntilMs - _kernel.NowMs, 0);
        return timeoutMs < 0 ? leftMs : Math.Min(timeoutMs, leftMs);
    }

    /// <summary>Closes what is held and not served.</summary>
    public void CloseHeld()
    {
        foreach ((_, int descriptor) in _held)
            _kernel.Close(descriptor);
        _held.Clear();
    }

    /// <summary>Closes the listeners that were removed; nothing is in flight.</summary>
    public void Dispose()
    {
        foreach (UringListener listener in _listeners.Values)
        {
            if (listener.IsRemoved)
                listener.Socket.Dispose();
        }

        _listeners.Clear();
        CloseHeld();
    }

    private static bool IsExhausted(int error) => error is EpollCalls.TooManyFiles
        or EpollCalls.TooManyFilesInSystem or EpollCalls.NoBuffers or EpollCalls.NoMemory;

    private void Accept(int descriptor, UringListener listener)
    {
        Debug.Assert(!listener.IsAccepting && !listener.IsRemoved, "a listener accepts once at a time");
        listener.IsAccepting = true;
        UringSubmission* submission = _ring.Prepare(
            UringCalls.OpAccept, descriptor, new UringMark(UringOperation.Accept, descriptor));
        submission->SocketFlags = UringCalls.AcceptMultishot;
        submission->OperationFlags = EpollCalls.CloseOnExec;
    }

    private void Cancel(int descriptor) => _ring.Prepare(
        UringCalls.OpCancel, -1, new UringMark(UringOperation.Cancel, int.MaxValue))->Address =
            new UringMark(UringOperation.Accept, descriptor).Value;

    private void Close(int descriptor, UringListener listener)
    {
        _listeners.Remove(descriptor);
        listener.Socket.Dispose();
    }

    private void Take(UringListener listener, int descriptor)
    {
        if (_isPaused || !SpareDescriptors.AllowOne(descriptor))
        {
            _held.Add((listener, descriptor));
            Pause(EpollCalls.TooManyFiles);
        }
        else
        {
            HandOver(listener.Kind, descriptor);
        }
    }

    private void HandOver(ListenerKind kind, int descriptor)
    {
        byte* address = stackalloc byte[AddressSize];
        int length = AddressSize;
        if (kind.UnixPath is not null || UringCalls.PeerName(descriptor, address, &length) < 0)
            length = 0;
        // SAFETY: the kernel wrote `length` bytes of the address, no more than there is room for.
        SessionEndpoint endpoint = _endpoints.Describe(
            kind, descriptor, new ReadOnlySpan<byte>(address, Math.Min(length, AddressSize)));
        if (endpoint.Kind != ConnectionKind.Unix)
            _kernel.SetUp(descriptor, _options);
        _accepted(descriptor, endpoint);
    }

    private void Pause(int error)
    {
        if (_isPaused)
            return;
        if (error != 0)
        {
            _loop.Log.Write(LogLevel.Warning,
                $"Accepting client connection: accept: {Marshal.GetPInvokeErrorMessage(error)}");
        }

        _isPaused = true;
        _pausedUntilMs = _kernel.NowMs + PauseMs;
        foreach ((int descriptor, UringListener listener) in _listeners)
        {
            if (listener.IsAccepting)
                Cancel(descriptor);
        }
    }

    private void EndPause()
    {
        _isPaused = false;
        while (_held.Count > 0)
        {
            (UringListener listener, int descriptor) = _held[0];
            if (!SpareDescriptors.AllowOne(_kernel.FindLowest(descriptor)))
            {
                LeaveOne();
                Pause(EpollCalls.TooManyFiles);
                return;
            }

            _held.RemoveAt(0);
            HandOver(listener.Kind, descriptor);
        }

        foreach ((int descriptor, UringListener listener) in _listeners)
        {
            if (!listener.IsAccepting && !listener.IsRemoved)
                Accept(descriptor, listener);
        }
    }

    /// <summary>Sees to it that there is a descriptor which the process can use.</summary>
    private void LeaveOne()
    {
        while (_held.Count > 0 && _held[^1].Descriptor is int last && SpareDescriptors.IsBelowLimit(last)
            && _kernel.FindLowest(last) == int.MaxValue)
        {
            _kernel.Close(last);
            _held.RemoveAt(_held.Count - 1);
        }
    }
}
