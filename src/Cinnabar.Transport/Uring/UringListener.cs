using System.Net.Sockets;
using System.Runtime.Versioning;
using Cinnabar.Transport.Epoll;

namespace Cinnabar.Transport.Uring;

/// <summary>A listening socket of a ring.</summary>
/// <param name="socket">The socket.</param>
/// <param name="kind">What its connections are.</param>
[SupportedOSPlatform("linux")]
internal sealed class UringListener(Socket socket, ListenerKind kind)
{
    public Socket Socket { get; } = socket;

    public ListenerKind Kind { get; } = kind;

    /// <summary>Whether its accept is in flight.</summary>
    public bool IsAccepting { get; set; }

    /// <summary>Whether it is closed once its accept has ended.</summary>
    public bool IsRemoved { get; set; }
}
