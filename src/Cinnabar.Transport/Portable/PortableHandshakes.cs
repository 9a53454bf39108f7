// The handshakes of TLS connections, on threads of the pool: one costs as much as hundreds of commands, and a
// peer may never finish it. An asynchronous receive of no bytes waits for the peer; few threads at once make
// the steps between.
//
// Limits: clients and handshakes together are at most maxclients; one more handshake ends the oldest, so that
// peers that never finish keep no others out. Each has TimeoutMs in all.

using System.Collections.Concurrent;
using System.Net.Sockets;
using System.Threading.Tasks;
using Cinnabar.Engine;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Portable;

/// <summary>Makes TLS connections of accepted sockets. Any thread may use it.</summary>
/// <param name="engine">The server.</param>
/// <param name="source">Makes the protocols.</param>
internal sealed class PortableHandshakes(ServerEngine engine, TlsSource source)
    : IHandshakes<Socket>
{
    private const int TimeoutMs = 10_000;
    private const int OutputPauseMs = 5;

    private readonly ServerEngine _engine = engine;
    private readonly TlsSource _source = source;
    private readonly SemaphoreSlim _steps = new(Math.Clamp(Environment.ProcessorCount / 2, 1, 4));
    private readonly ConcurrentBag<TlsPipe> _pipes = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _counting = new();
    private readonly LinkedList<Handshake> _running = [];
    private TaskCompletionSource? _ended;
    private bool _isStopping;

    public void Begin(
        Socket socket, SessionEndpoint endpoint, Action<Socket, SessionEndpoint, TlsConnection> finished)
    {
        Handshake handshake;
        lock (_counting)
        {
            if (_isStopping)
            {
                socket.Dispose();
                return;
            }

            handshake = new Handshake(socket, endpoint, finished, _stop.Token);
            handshake.Node = _running.AddLast(handshake);
            _engine.Tls.Begin();
            if (_engine.Tls.IsCrowded(_running.Count))
                _running.First!.Value.PushOut();
        }

        _ = Task.Run(() => RunAsync(handshake));
    }

    /// <summary>Ends all handshakes.</summary>
    public void Dispose()
    {
        lock (_counting)
        {
            if (_isStopping)
                return;
            _isStopping = true;
            _ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (_engine.Tls.RunningCount == 0)
                _ended.SetResult();
        }

        _stop.Cancel();
        _ended.Task.Wait();
        foreach (TlsPipe pipe in _pipes)
            pipe.Dispose();
        _steps.Dispose();
        _stop.Dispose();
    }

    private async Task RunAsync(Handshake handshake)
    {
        Socket socket = handshake.Socket;
        CancellationToken limit = handshake.Limit.Token;
        TlsConnection? connection = null;
        string? fault = null;
        try
        {
            for (bool isWriting = false; ;)
            {
                if (isWriting)
                    await Task.Delay(OutputPauseMs, limit).ConfigureAwait(false);
                else
                    await socket.ReceiveAsync(Memory<byte>.Empty, limit).ConfigureAwait(false);
                await _steps.WaitAsync(limit).ConfigureAwait(false);
                TlsStep step;
                TlsPipe pipe = _pipes.TryTake(out TlsPipe? free) ? free : new TlsPipe();
                try
                {
                    connection ??= new TlsConnection(_source.MakeEngine(), new SocketWire(socket), pipe);
                    connection.Attach(pipe);
                    step = connection.Handshake();
                }
                finally
                {
                    _pipes.Add(pipe);
                    _steps.Release();
                }

                if (step == TlsStep.Done)
                    break;
                if (step == TlsStep.Failed)
                {
                    fault = connection.Fault;
                    break;
                }

                isWriting = step == TlsStep.NeedsOutput;
            }
        }
        catch (OperationCanceledException)
        {
            fault = handshake.IsPushedOut ? "too many handshakes" : "handshake timeout";
        }
        catch (SocketException failure)
        {
            fault = failure.Message;
        }
        catch (Exception internalFault)
        {
            fault = internalFault.Message;
            _engine.Fail(internalFault);
        }

        End(handshake, connection, fault);
    }

    private void End(Handshake handshake, TlsConnection? connection, string? fault)
    {
        SessionEndpoint endpoint = handshake.Endpoint;
        lock (_counting)
        {
            if (handshake.Node!.List is not null)
                _running.Remove(handshake.Node);
        }

        handshake.Limit.Dispose();
        if (fault is null)
        {
            _engine.Tls.NoteSuccess(connection!.IsResumed);
            endpoint = TlsUsers.AddNames(endpoint, connection, _engine.Settings);
            handshake.Finished(handshake.Socket, endpoint, connection);
        }
        else
        {
            if (!_stop.IsCancellationRequested)
                _engine.Log.Write(LogLevel.Warning, $"Error accepting a client connection: {fault} "
                    + $"(addr={endpoint.RemoteAddress} laddr={endpoint.LocalAddress})");
            _engine.Tls.NoteFailure();
            connection?.Abandon();
            handshake.Socket.Dispose();
        }

        lock (_counting)
        {
            _engine.Tls.End();
            if (_engine.Tls.RunningCount == 0 && _isStopping)
                _ended!.TrySetResult();
        }
    }

    private sealed class Handshake(Socket socket, SessionEndpoint endpoint,
        Action<Socket, SessionEndpoint, TlsConnection> finished, CancellationToken stop)
    {
        public Socket Socket { get; } = socket;

        public SessionEndpoint Endpoint { get; } = endpoint;

        public Action<Socket, SessionEndpoint, TlsConnection> Finished { get; } = finished;

        public CancellationTokenSource Limit { get; } = MakeLimit(stop);

        public LinkedListNode<Handshake>? Node { get; set; }

        public bool IsPushedOut { get; private set; }

        /// <summary>Ends it soon, on another thread; it is the first of those that run.</summary>
        public void PushOut()
        {
            Debug.Assert(Node!.List is not null, "it has not ended");
            IsPushedOut = true;
            Node.List.Remove(Node);
            Limit.CancelAfter(0);
        }

        private static CancellationTokenSource MakeLimit(CancellationToken stop)
        {
            var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
            limit.CancelAfter(TimeoutMs);
            return limit;
        }
    }
}
