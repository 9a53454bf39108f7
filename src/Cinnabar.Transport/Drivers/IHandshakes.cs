using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Drivers;

/// <summary>Makes TLS connections of accepted sockets, off the loops.</summary>
/// <typeparam name="TSocket">What the transport knows a socket by.</typeparam>
internal interface IHandshakes<TSocket> : IDisposable
{
    /// <summary>Begins a handshake; the socket is closed where there are too many. From any thread.</summary>
    /// <param name="socket">The accepted socket.</param>
    /// <param name="endpoint">Its addresses.</param>
    /// <param name="finished">Takes the socket and its connection over, on any thread.</param>
    void Begin(TSocket socket, SessionEndpoint endpoint,
        Action<TSocket, SessionEndpoint, TlsConnection> finished);
}
