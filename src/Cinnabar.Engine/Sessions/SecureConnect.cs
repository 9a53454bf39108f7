using System.Net.Sockets;
using System.Security.Authentication;

namespace Cinnabar.Engine.Sessions;

/// <summary>Makes the TLS handshake with another server.</summary>
/// <param name="socket">A connected socket, which does not block from now on.</param>
/// <param name="peer">The other server's name or address.</param>
/// <param name="timeoutMs">How long the peer may keep it waiting.</param>
/// <exception cref="AuthenticationException">The handshake fails, or this server's files are
/// wrong.</exception>
/// <exception cref="SocketException">The connection broke, or the time is over.</exception>
public delegate ISecureChannel SecureConnect(Socket socket, string peer, int timeoutMs);
