// The handshakes of TLS connections, on threads of the pool: one costs as much as hundreds of commands, and a
// peer may never finish it. An asynchronous receive of no bytes waits for the peer; few threads at once make
// the steps between.
//
// Limits: as many handshakes as clients (maxclients); each has TimeoutMs in all.

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
    private TaskCompletionSource? _ended;
    private int _count;
    private bool _isStopping;

    public void Begin(
        Socket socket, SessionEndpoint endpoint, Action<Socket, SessionEndpoint, TlsConnection> finished)
    {
        lock (_counting)
        {
            if (_isStopping || _count >= _engine.Settings.ClientsMax)
            {
                socket.Dispose();
                return;
            }

            _count++;
        }

        _ = Task.Run(() => RunAsync(socket, endpoint, finished));
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
            if (_count == 0)
                _ended.SetResult();
        }

        _stop.Cancel();
        _ended.Task.Wait();
        foreach (TlsPipe pipe in _pipes)
            pipe.Dispose();
        _steps.Dispose();
        _stop.Dispose();
    }

    private async Task RunAsync(
        Socket socket, SessionEndpoint endpoint, Action<Socket, SessionEndpoint, TlsConnection> finished)
    {
        TlsConnection? connection = null;
        string? fault = null;
        try
        {
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
            limit.CancelAfter(TimeoutMs);
            for (bool isWriting = false; ;)
            {
                if (isWriting)
                    await Task.Delay(OutputPauseMs, limit.Token).ConfigureAwait(false);
                else
                    await socket.ReceiveAsync(Memory<byte>.Empty, limit.Token).ConfigureAwait(false);
                await _steps.WaitAsync(limit.Token).ConfigureAwait(false);
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
            fault = "handshake timeout";
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

        End(socket, endpoint, connection, fault, finished);
    }

    private void End(Socket socket, SessionEndpoint endpoint, TlsConnection? connection, string? fault,
        Action<Socket, SessionEndpoint, TlsConnection> finished)
    {
        if (fault is null)
        {
            finished(socket, endpoint, connection!);
        }
        else
        {
            if (!_stop.IsCancellationRequested)
                _engine.Log.Write(LogLevel.Warning, $"Error accepting a client connection: {fault} "
                    + $"(addr={endpoint.RemoteAddress} laddr={endpoint.LocalAddress})");
            connection?.Abandon();
            socket.Dispose();
        }

        lock (_counting)
        {
            if (--_count == 0 && _isStopping)
                _ended!.TrySetResult();
        }
    }
}
