using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Cinnabar.Engine;
using Cinnabar.Transport;

namespace Cinnabar;

/// <summary>
/// A running server. Several live in one process side by side; disposing one closes its connections and gives
/// back every byte.
/// </summary>
public sealed class CinnabarServer : IDisposable
{
    private readonly ServerEngine _engine;
    private readonly TransportHost _host;
    private readonly TaskCompletionSource<int> _completion = new(
        TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isDisposed;

    private CinnabarServer(ServerOptions options)
    {
        _engine = new ServerEngine(options)
        {
            Faulted = _ => _completion.TrySetResult(1),
            ShutdownRequested = () => _completion.TrySetResult(0),
        };
        _host = new TransportHost(_engine, new ListenChoice());
    }

    /// <summary>The TCP port that the server listens on; 0 where it listens on none.</summary>
    public int Port => _host.Port;

    /// <summary>Where the server listens, for people.</summary>
    public IReadOnlyList<string> Listeners => _host.ListenerNames;

    /// <summary>Completes with the exit code when the server wants to end by itself (SHUTDOWN, an internal
    /// fault).</summary>
    public Task<int> Completion => _completion.Task;

    /// <summary>Starts a server.</summary>
    /// <exception cref="ListenerFailedException">An address to listen on cannot be had.</exception>
    public static CinnabarServer Start(ServerOptions options)
    {
        var server = new CinnabarServer(options);
        try
        {
            server._host.Start();
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _host.Dispose();
        _engine.Dispose();
        _completion.TrySetResult(0);
    }
}
