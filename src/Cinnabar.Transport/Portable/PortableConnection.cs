using System.Net.Sockets;
using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Portable;

/// <summary>A connection of the portable transport.</summary>
/// <param name="socket">The socket; it does not block.</param>
/// <param name="session">The session.</param>
/// <param name="tls">Its TLS, or null.</param>
internal sealed class PortableConnection(Socket socket, Session session, TlsConnection? tls)
{
    /// <summary>The socket; it does not block.</summary>
    public Socket Socket { get; } = socket;

    public Session Session { get; } = session;

    public TlsConnection? Tls { get; } = tls;

    /// <summary>The receive by which the connection is parked; null while it is polled.</summary>
    public ParkedReceive? Parked { get; set; }

    /// <summary>Its index among the polled connections; −1: none.</summary>
    public int PolledIndex { get; set; } = -1;

    /// <summary>Waits since the last one that brought something to read.</summary>
    public int FruitlessCount { get; set; }

    /// <summary>Whether the session takes input.</summary>
    public bool IsReading { get; set; } = true;

    /// <summary>Whether the end of input is noticed: by reading, or by watching while nothing is read.
    /// </summary>
    public bool IsWatched { get; set; } = true;

    /// <summary>Whether the peer has gone while the session takes no input: watching ends.
    /// </summary>
    public bool IsGone { get; set; }

    /// <summary>Whether the session has bytes to send that the peer did not take at once.</summary>
    public bool IsWriting { get; set; }
}
