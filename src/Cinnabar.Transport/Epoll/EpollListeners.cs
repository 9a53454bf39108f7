// Accepting on a loop's epoll. A listener's events carry its descriptor with a mark, so that the transport
// distinguishes them from those of connections without a look-up.
//
// When descriptors or memory run out, the listener pauses for a while: epoll would report the waiting
// connections again and again. The last few descriptors are reserved (SpareDescriptors).
//
// A listener is closed on the loop, like every descriptor that it polls: the kernel may reuse its number at
// once, and an event of the old descriptor would be taken for one of the new. Such an event of the same wait
// finds no listener.

using System.Net.Sockets;
using System.Runtime.Versioning;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Epoll;

/// <summary>The listening sockets of one loop: accepts connections and sets them up. Only the loop uses
/// it.</summary>
/// <param name="loop">The loop.</param>
/// <param name="set">What the loop waits for.</param>
/// <param name="options">The options of accepted sockets.</param>
/// <param name="accepted">Takes the descriptor of each connection over.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EpollListeners(
    Loop loop, EpollSet set, ListenerOptions options, Action<int, SessionEndpoint> accepted)
{
    private const int Mark = 1 << 30;
    private const int AcceptedCountMax = 1024;
    private const int AddressSize = 128;
    private const int PauseMs = 100;

    private readonly Loop _loop = loop;
    private readonly ListenerOptions _options = options;
    private readonly Action<int, SessionEndpoint> _accepted = accepted;
    private readonly EpollSet _set = set;
    private readonly Dictionary<int, ListenerKind> _kinds = [];
    private readonly List<int> _paused = [];
    private long _pausedUntilMs;
    private readonly AcceptedEndpoints _endpoints = new();

    /// <summary>Whether an event is a listener's.</summary>
    public static bool IsMarked(long mark) => (mark & Mark) != 0;

    /// <summary>Adds a listening socket, which must not block.</summary>
    /// <param name="listener">The socket.</param>
    /// <param name="isTls">Whether its connections have TLS.</param>
    public void Add(Socket listener, bool isTls)
    {
        int descriptor = (int)listener.Handle;
        _kinds[descriptor] = ListenerKind.Of(listener, isTls);
        _set.Add(descriptor, EpollCalls.In, descriptor | Mark);
    }

    /// <summary>Closes a listening socket.</summary>
    public void Remove(Socket listener)
    {
        int descriptor = (int)listener.Handle;
        _kinds.Remove(descriptor);
        _paused.Remove(descriptor);
        listener.Dispose();
    }

    /// <summary>Accepts what waits at the listener of a marked event.</summary>
    public void Accept(long mark)
    {
        int descriptor = (int)(mark & ~Mark);
        if (!_kinds.TryGetValue(descriptor, out ListenerKind kind))
            return;
        byte* address = stackalloc byte[AddressSize];
        long lowestMax = SpareDescriptors.First;
        int lowest = SpareDescriptors.FindLowest(descriptor);
        for (int count = 0; count < AcceptedCountMax; count++)
        {
            if (lowest >= lowestMax)
            {
                PauseIfExhausted(descriptor, EpollCalls.TooManyFiles);
                return;
            }

            int length = AddressSize;
            int accepted = EpollCalls.Accept(
                descriptor, address, &length, EpollCalls.NonBlocking | EpollCalls.CloseOnExec);
            if (accepted < 0)
            {
                if (Marshal.GetLastPInvokeError() is EpollCalls.Interrupted or EpollCalls.Aborted)
                    continue;
                PauseIfExhausted(descriptor, Marshal.GetLastPInvokeError());
                return;
            }

            lowest = accepted + 1;
            // SAFETY: the kernel wrote `length` bytes of the address, no more than there is room for.
            SessionEndpoint endpoint =
                _endpoints.Describe(kind, accepted, new ReadOnlySpan<byte>(address, length));
            if (endpoint.Kind != ConnectionKind.Unix)
                _options.Apply(accepted);
            _accepted(accepted, endpoint);
        }
    }

    /// <summary>Ends a pause that is over; else shortens a wait to what is left of it.</summary>
    public int WaitMs(int timeoutMs)
    {
        if (_paused.Count == 0)
            return timeoutMs;
        long leftMs = _pausedUntilMs - Environment.TickCount64;
        if (leftMs > 0)
            return timeoutMs < 0 ? (int)leftMs : (int)Math.Min(timeoutMs, leftMs);
        foreach (int listener in _paused)
            _set.Change(listener, EpollCalls.In, listener | Mark);
        _paused.Clear();
        return timeoutMs;
    }

    private void PauseIfExhausted(int listener, int error)
    {
        if (error is not (EpollCalls.TooManyFiles or EpollCalls.TooManyFilesInSystem
            or EpollCalls.NoBuffers or EpollCalls.NoMemory))
            return;
        _loop.Log.Write(LogLevel.Warning,
            $"Accepting client connection: accept: {Marshal.GetPInvokeErrorMessage(error)}");
        _set.Change(listener, 0, listener | Mark);
        _paused.Add(listener);
        _pausedUntilMs = Environment.TickCount64 + PauseMs;
    }
}
