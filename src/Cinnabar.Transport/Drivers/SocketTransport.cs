// The way of a new connection, the same over every kind of socket:
//
//   accepted ──► HandOver ──► plain ──────────────────► Place ──► Open, on the loop that placement chooses
//                       └──► TLS: IHandshakes ──► Run ──┘

using System.Net.Sockets;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Placing;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Drivers;

/// <summary>A loop's transport over sockets.</summary>
/// <typeparam name="TSocket">What it knows a socket by.</typeparam>
internal abstract class SocketTransport<TSocket> : LoopTransport, ILoopDriver
{
    private readonly SocketTransport<TSocket>[] _peers;

    /// <summary>Makes the transport of a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="peers">The transports of all loops, by the loops' index.</param>
    /// <param name="load">Decides which of them a connection belongs to.</param>
    protected SocketTransport(Loop loop, SocketTransport<TSocket>[] peers, LoopLoad load)
    {
        Loop = loop;
        _peers = peers;
        Load = load;
    }

    /// <summary>What connections of TLS listeners begin with; the host sets it.</summary>
    public IHandshakes<TSocket>? Handshakes { get; set; }

    /// <summary>The loop.</summary>
    protected Loop Loop { get; }

    /// <summary>Measures how busy the loop is.</summary>
    protected LoopLoad Load { get; }

    public abstract void AddListener(Socket listener, bool isTls = false);

    public abstract void RemoveListener(Socket listener);

    public abstract void Run();

    public abstract void Stop();

    public abstract void Dispose();

    /// <summary>Takes an accepted socket over, on this loop.</summary>
    protected void HandOver(TSocket socket, SessionEndpoint endpoint)
    {
        if (endpoint.Kind == ConnectionKind.Tls)
            Handshakes!.Begin(socket, endpoint, HandOverTls);
        else
            Place(socket, endpoint, null);
    }

    /// <summary>Whether the loop ends: it opens no more sessions.</summary>
    protected abstract bool IsStopping { get; }

    /// <summary>The buffers of the loop's TLS connections.</summary>
    protected abstract TlsPipe Pipe { get; }

    /// <summary>Serves the session of a connection.</summary>
    protected abstract void Begin(Session session, TSocket socket, TlsConnection? tls);

    /// <summary>Sends the reason for a refusal, as far as the socket takes it at once.</summary>
    protected abstract void Refuse(TSocket socket, ReadOnlySpan<byte> reason);

    /// <summary>Closes a socket that has no session.</summary>
    protected abstract void CloseUnserved(TSocket socket);

    // On the loop.
    private void Open(TSocket socket, SessionEndpoint endpoint, TlsConnection? tls)
    {
        ReadOnlySpan<byte> refusal = default;
        if (!IsStopping && Loop.OpenSession(endpoint, out refusal) is { } session)
        {
            Begin(session, socket, tls);
            return;
        }

        // Behind the end of the loop there are no buffers to refuse it with.
        if (IsStopping)
            tls?.Abandon();
        else if (tls is not null)
            tls.Refuse(refusal, Pipe);
        else
            Refuse(socket, refusal);
        CloseUnserved(socket);
    }

    private void HandOverTls(TSocket socket, SessionEndpoint endpoint, TlsConnection tls) =>
        Loop.Run(() => Place(socket, endpoint, tls));

    private void Place(TSocket socket, SessionEndpoint endpoint, TlsConnection? tls)
    {
        SocketTransport<TSocket> peer = _peers[Load.PlaceNew()];
        if (peer == this)
            Open(socket, endpoint, tls);
        else
            peer.Loop.Run(() => peer.Open(socket, endpoint, tls));
    }
}
