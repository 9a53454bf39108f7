using System.Net.Sockets;

namespace Cinnabar.Engine.Sessions;

/// <summary>TLS to another server, over a socket that this end has connected and that stays the caller's.
/// One thread at a time uses it.</summary>
public interface ISecureChannel : IDisposable
{
    /// <summary>What <see cref="TryReceive"/> returns where nothing has come.</summary>
    const int Nothing = -1;

    /// <summary>Receives what has come, without a wait.</summary>
    /// <returns>How many bytes; 0: the peer has ended the connection; or <see cref="Nothing"/>.</returns>
    /// <exception cref="SocketException">The connection broke.</exception>
    int TryReceive(Span<byte> place);

    /// <summary>Sends bytes.</summary>
    /// <exception cref="SocketException">The connection broke, or the time is over.</exception>
    void Send(ReadOnlySpan<byte> bytes, int timeoutMs);
}
