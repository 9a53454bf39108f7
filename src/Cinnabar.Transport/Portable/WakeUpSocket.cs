using System.Net;
using System.Net.Sockets;

namespace Cinnabar.Transport.Portable;

/// <summary>
/// Makes a wait in
/// <see cref="Socket.Select(System.Collections.IList, System.Collections.IList, System.Collections.IList,
/// int)"/>
/// end: a datagram socket of the loopback that sends to itself. Being connected to its own address it takes
/// datagrams from no other sender.
/// </summary>
internal sealed class WakeUpSocket : IDisposable
{
    private readonly Lock _lock = new();
    private readonly byte[] _buffer = new byte[16];
    private bool _isDisposed;

    /// <summary>Makes it.</summary>
    /// <exception cref="SocketException">The system gives no socket.</exception>
    public WakeUpSocket()
    {
        IPAddress address = Socket.OSSupportsIPv4 ? IPAddress.Loopback : IPAddress.IPv6Loopback;
        Socket = new Socket(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        Socket.Bind(new IPEndPoint(address, 0));
        Socket.Connect(Socket.LocalEndPoint!);
        Socket.Blocking = false;
    }

    /// <summary>The socket to wait for: readable once it was signaled.</summary>
    public Socket Socket { get; }

    /// <summary>Makes the socket readable. From any thread, also after the end.</summary>
    public void Signal()
    {
        lock (_lock)
        {
            // If the datagram finds no room, others wait: the socket is readable already.
            if (!_isDisposed)
                Socket.Send(_buffer.AsSpan(0, 1), SocketFlags.None, out SocketError _);
        }
    }

    /// <summary>Takes the signals.</summary>
    public void Clear()
    {
        SocketError error;
        do
        {
            Socket.Receive(_buffer, SocketFlags.None, out error);
        }
        while (error == SocketError.Success);
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            Socket.Dispose();
        }
    }
}
