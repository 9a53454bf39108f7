using System.Net.Sockets;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>Sets options of the sockets of replicas.</summary>
internal static class SocketSettings
{
    /// <summary>Has the system collect small parts of the stream into larger packets
    /// (<c>repl-disable-tcp-nodelay</c>). On the session's loop, which alone closes it.</summary>
    /// <param name="endpoint">The replica's.</param>
    public static void Delay(SessionEndpoint endpoint)
    {
        if (endpoint.Kind is not (ConnectionKind.Tcp or ConnectionKind.Tls) || endpoint.Descriptor < 0)
            return;
        using var handle = new SafeSocketHandle((nint)endpoint.Descriptor, ownsHandle: false);
        using var socket = new Socket(handle);
        socket.NoDelay = false;
    }
}
