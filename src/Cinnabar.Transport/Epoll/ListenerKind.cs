using System.Net.Sockets;

namespace Cinnabar.Transport.Epoll;

/// <summary>What the connections of a listening socket are.</summary>
/// <param name="UnixPath">The path of a Unix socket; else null.</param>
/// <param name="IsTls">Whether they have TLS.</param>
internal readonly record struct ListenerKind(string? UnixPath, bool IsTls)
{
    /// <summary>The kind of a socket.</summary>
    public static ListenerKind Of(Socket listener, bool isTls) =>
        new((listener.LocalEndPoint as UnixDomainSocketEndPoint)?.ToString(), isTls);
}
