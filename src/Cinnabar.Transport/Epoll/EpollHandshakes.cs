// The handshakes of TLS connections, on a thread of their own: one costs as much as hundreds of commands, and
// a peer may never finish it. The thread has its own epoll. It takes accepted descriptors and gives finished
// connections to the loops, which know nothing of handshakes.
//
//   listener ──► Begin ──► queue ──► thread: poll, step, step … ──► Finished ──► placement ──► loop
//                                      └── failed, or TimeoutMs over: logged and closed
//
// Limits: clients and handshakes together are at most maxclients; one more handshake ends the oldest, so that
// peers that never finish keep no others out. Each has TimeoutMs in all. A connection that has sent nothing
// costs its descriptor only; the state of a protocol begins with its first bytes.

using System.Collections.Concurrent;
using System.Runtime.Versioning;
using Cinnabar.Engine;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Epoll;

/// <summary>Makes TLS connections of accepted descriptors.</summary>
[SupportedOSPlatform("linux")]
/// <param name="engine">The server.</param>
/// <param name="source">Makes the protocols.</param>
/// <param name="makeWire">Makes what is below the TLS of a descriptor; it does not block.</param>
internal sealed unsafe class EpollHandshakes(
    ServerEngine engine, TlsSource source, Func<int, TlsWire> makeWire)
    : IHandshakes<int>
{
    private const int TimeoutMs = 10_000;
    private const uint Incoming = EpollCalls.In | EpollCalls.PeerHangUp;

    private readonly ServerEngine _engine = engine;
    private readonly TlsSource _source = source;
    private readonly Func<int, TlsWire> _makeWire = makeWire;
    private EpollSet? _set;
    private EpollWakeUp? _wakeUp;
    private readonly ConcurrentQueue<Handshake> _begun = new();
    private readonly Dictionary<int, Handshake> _running = [];
    private readonly Lock _beginning = new();
    private readonly Queue<Handshake> _inOrder = new();
    private Thread? _thread;
    private readonly TlsPipe _pipe = new();
    private volatile bool _isStopping;

    public void Begin(
        int descriptor, SessionEndpoint endpoint, Action<int, SessionEndpoint, TlsConnection> finished)
    {
        lock (_beginning)
        {
            if (_isStopping)
            {
                EpollCalls.Close(descriptor);
                return;
            }

            if (_thread is null)
                Start();
            _engine.Tls.Begin();
            _begun.Enqueue(
                new Handshake(descriptor, endpoint, finished, Environment.TickCount64 + TimeoutMs));
            _wakeUp!.Signal();
        }
    }

    public void Dispose()
    {
        lock (_beginning)
        {
            if (_isStopping)
                return;
            _isStopping = true;
            if (_thread is null)
                return;
            _wakeUp!.Signal();
        }

        _thread.Join();
        while (_begun.TryDequeue(out Handshake? handshake))
            EpollCalls.Close(handshake.Descriptor);
        _set!.Dispose();
        _wakeUp!.Dispose();
        _pipe.Dispose();
    }

    /// <summary>Starts the thread, at the first handshake.</summary>
    private void Start()
    {
        Debug.Assert(_beginning.IsHeldByCurrentThread, "one caller starts it");
        _set = new EpollSet();
        _wakeUp = new EpollWakeUp(_set);
        _thread = new Thread(Run) { Name = "cinnabar-tls", IsBackground = true };
        _thread.Start();
    }

    private void Run()
    {
        try
        {
            while (!_isStopping)
                RunOnce();
        }
        catch (Exception fault)
        {
            // An internal fault ends this server, never its process.
            _engine.Fail(fault);
        }

        foreach (Handshake handshake in _running.Values)
            Close(handshake);
        _running.Clear();
    }

    private void RunOnce()
    {
        int count = _set!.Wait(TimeLeftMs());
        for (int index = 0; index < count; index++)
        {
            _set.Read(index, out long mark, out _);
            if (mark == _wakeUp!.Mark)
                _wakeUp.Clear();
            else if (_running.TryGetValue((int)mark, out Handshake? handshake))
                Step(handshake);
        }

        while (_begun.TryDequeue(out Handshake? handshake))
            Take(handshake);
        EndOldest();
    }

    private void Take(Handshake handshake)
    {
        if (!_set!.TryAdd(handshake.Descriptor, Incoming, handshake.Descriptor))
        {
            _engine.Tls.NoteFailure();
            _engine.Tls.End();
            EpollCalls.Close(handshake.Descriptor);
            return;
        }

        _running.Add(handshake.Descriptor, handshake);
        _inOrder.Enqueue(handshake);
    }

    private void Step(Handshake handshake)
    {
        TlsConnection connection = handshake.Connection ??= new TlsConnection(
            _source.MakeEngine(), _makeWire(handshake.Descriptor), _pipe);
        TlsStep step = connection.Handshake();
        if (step is TlsStep.NeedsInput or TlsStep.NeedsOutput)
        {
            uint interest = step == TlsStep.NeedsInput ? Incoming : EpollCalls.Out;
            if (interest != handshake.Interest)
                _set!.Change(handshake.Descriptor, interest, handshake.Descriptor);
            handshake.Interest = interest;
            return;
        }

        if (step == TlsStep.Failed)
        {
            End(handshake, connection.Fault);
            return;
        }

        Forget(handshake);
        _engine.Tls.NoteSuccess(connection.IsResumed);
        _set!.Remove(handshake.Descriptor);
        SessionEndpoint endpoint = TlsUsers.AddNames(handshake.Endpoint, connection, _engine.Settings);
        handshake.Finished(handshake.Descriptor, endpoint, connection);
    }

    /// <summary>Ends handshakes that are overdue, and the oldest while there are too many.</summary>
    private void EndOldest()
    {
        long nowMs = Environment.TickCount64;
        while (_inOrder.TryPeek(out Handshake? handshake))
        {
            bool isOverdue = handshake.UntilMs <= nowMs;
            if (!handshake.HasEnded && !isOverdue && !_engine.Tls.IsCrowded(_running.Count))
                return;
            _inOrder.Dequeue();
            if (!handshake.HasEnded)
                End(handshake, isOverdue ? "handshake timeout" : "too many handshakes");
        }
    }

    private int TimeLeftMs() => _inOrder.TryPeek(out Handshake? first)
        ? (int)Math.Clamp(first.UntilMs - Environment.TickCount64, 0, TimeoutMs)
        : -1;

    private void End(Handshake handshake, string fault)
    {
        _engine.Log.Write(LogLevel.Warning, $"Error accepting a client connection: {fault} "
            + $"(addr={handshake.Endpoint.RemoteAddress} laddr={handshake.Endpoint.LocalAddress})");
        Close(handshake);
        Forget(handshake);
        _engine.Tls.NoteFailure();
    }

    private void Forget(Handshake handshake)
    {
        Debug.Assert(!handshake.HasEnded, "a handshake ends once");
        handshake.HasEnded = true;
        handshake.Connection = null;
        _running.Remove(handshake.Descriptor);
        _engine.Tls.End();
    }

    private static void Close(Handshake handshake)
    {
        handshake.Connection?.Abandon();
        EpollCalls.Close(handshake.Descriptor);
    }

    private sealed class Handshake(int descriptor, SessionEndpoint endpoint,
        Action<int, SessionEndpoint, TlsConnection> finished, long untilMs)
    {
        public int Descriptor { get; } = descriptor;

        public SessionEndpoint Endpoint { get; } = endpoint;

        public Action<int, SessionEndpoint, TlsConnection> Finished { get; } = finished;

        public long UntilMs { get; } = untilMs;

        public TlsConnection? Connection { get; set; }

        public uint Interest { get; set; } = Incoming;

        public bool HasEnded { get; set; }
    }
}
