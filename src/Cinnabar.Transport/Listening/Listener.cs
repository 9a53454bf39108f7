using System.Net;
using System.Net.Sockets;

namespace Cinnabar.Transport.Listening;

/// <summary>A socket that listens; it does not block.</summary>
/// <param name="Host">The address as it was configured.</param>
/// <param name="EndPoint">The address that it was opened for.</param>
/// <param name="Socket">The socket.</param>
internal sealed record Listener(string Host, EndPoint EndPoint, Socket Socket)
{
    /// <summary>Its name, for people.</summary>
    /// <param name="isTls">Whether its connections have TLS.</param>
    public string NameFor(bool isTls) =>
        (EndPoint is not IPEndPoint ? "unix " : isTls ? "tls " : "tcp ") + EndPoint;

    /// <summary>Whether both cannot listen at once: one has the other's port on all addresses.</summary>
    public bool IsInTheWayOf(IPEndPoint other) =>
        EndPoint is IPEndPoint own && own.Port == other.Port && own.AddressFamily == other.AddressFamily
        && (own.Address.Equals(other.Address) || IsAny(own.Address) || IsAny(other.Address));

    /// <summary>Ends listening, so that the address is free, and closes.</summary>
    public static void Close(Socket socket)
    {
        // A child process has a copy of every descriptor until it runs its program, which may take long on a
        // busy machine. Close leaves the address to that copy; after a shutdown no copy listens.
        try
        {
            socket.Shutdown(SocketShutdown.Both);
        }
        catch (SocketException)
        {
            // Only Linux knows this for sockets that listen; elsewhere ListenerChange tries again.
        }

        socket.Dispose();
    }

    private static bool IsAny(IPAddress address) =>
        address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any);
}
