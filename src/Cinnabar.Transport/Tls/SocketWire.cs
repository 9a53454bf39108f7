using System.Net.Sockets;

namespace Cinnabar.Transport.Tls;

/// <summary>A socket below a TLS connection.</summary>
/// <param name="socket">The socket, which its owner closes; it does not block.</param>
internal sealed unsafe class SocketWire(Socket socket) : TlsWire
{
    private readonly Socket _socket = socket;

    public override int Receive(byte* place, int room)
    {
        // SAFETY: the caller has so much room at the place.
        int count = _socket.Receive(new Span<byte>(place, room), SocketFlags.None, out SocketError error);
        return error == SocketError.Success ? count : ResultOf(error);
    }

    public override int Send(byte* data, int length)
    {
        var bytes = new ReadOnlySpan<byte>(data, length);
        int count = _socket.Send(bytes, SocketFlags.None, out SocketError error);
        return error == SocketError.Success ? count : ResultOf(error);
    }

    private static int ResultOf(SocketError error) => error is SocketError.WouldBlock
        or SocketError.Interrupted or SocketError.NoBufferSpaceAvailable ? Nothing : Failed;
}
