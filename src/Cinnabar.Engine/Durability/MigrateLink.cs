using System.Net;
using System.Net.Sockets;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Durability;

/// <summary>A connection to the target of a MIGRATE; one thread at a time. Errors and timeouts are
/// <see cref="SocketException"/>.</summary>
internal sealed class MigrateLink : IDisposable
{
    private const int MicrosecondsPerMs = 1000;
    private const int LineLengthMax = 16 << 10;

    private readonly Socket _socket;
    private readonly byte[] _input = new byte[LineLengthMax];
    private int _start;
    private int _end;

    private MigrateLink(Socket socket, string place)
    {
        _socket = socket;
        Place = place;
    }

    /// <summary>Host and port.</summary>
    public string Place { get; }

    /// <summary>The database that is selected there; −1: not known.</summary>
    public long Database { get; set; } = -1;

    /// <summary>When it was used last, monotonic milliseconds.</summary>
    public long UsedMs { get; set; }

    /// <summary>Connects to the first address of a host that answers.</summary>
    public static MigrateLink Connect(string host, int port, int timeoutMs) =>
        new(ConnectSocket(host, port, source: "", timeoutMs), PlaceOf(host, port));

    /// <summary>Connects a socket to the first address of a host that answers.</summary>
    /// <param name="host">The host.</param>
    /// <param name="port">The port.</param>
    /// <param name="source">The address of this end; empty: any.</param>
    /// <param name="timeoutMs">How long each address may take.</param>
    /// <param name="isMultipath">Whether it may use several paths (multipath TCP, of Linux).</param>
    public static Socket ConnectSocket(
        string host, int port, string source, int timeoutMs, bool isMultipath = false)
    {
        SocketException? failure = null;
        foreach (IPAddress address in AddressesOf(host))
        {
            Socket socket = isMultipath ? MultipathSocket.Open(address.AddressFamily)
                : new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            try
            {
                if (source.Length > 0)
                    socket.Bind(new IPEndPoint(AddressesOf(source)[0], 0));
                Connect(socket, new IPEndPoint(address, port), timeoutMs);
                socket.NoDelay = true;
                return socket;
            }
            catch (SocketException fault)
            {
                socket.Dispose();
                failure = fault;
            }
        }

        throw failure ?? new SocketException((int)SocketError.HostNotFound);
    }

    /// <summary>The name of a place.</summary>
    public static string PlaceOf(string host, int port) =>
        string.Create(CultureInfo.InvariantCulture, $"{host}:{port}");

    /// <summary>Says how long anything may take.</summary>
    public void SetTimeout(int timeoutMs)
    {
        _socket.SendTimeout = timeoutMs;
        _socket.ReceiveTimeout = timeoutMs;
    }

    /// <summary>Sends bytes.</summary>
    public void Send(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
            bytes = bytes[_socket.Send(bytes)..];
    }

    /// <summary>Receives a line: a reply of one line without its end.</summary>
    /// <returns>Valid until the next call.</returns>
    public ReadOnlySpan<byte> ReceiveLine()
    {
        while (true)
        {
            ReadOnlySpan<byte> held = _input.AsSpan(_start.._end);
            int length = held.IndexOf("\r\n"u8);
            if (length >= 0)
            {
                _start += length + 2;
                return held[..length];
            }

            if (_start > 0)
            {
                _input.AsSpan(_start.._end).CopyTo(_input);
                (_start, _end) = (0, _end - _start);
            }

            if (_end == _input.Length)
                throw new SocketException((int)SocketError.MessageSize);
            int received = _socket.Receive(_input.AsSpan(_end));
            if (received == 0)
                throw new SocketException((int)SocketError.ConnectionReset);
            _end += received;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    // As the C library finds them: no name at all and brackets are none, and 0 is an address.
    private static IPAddress[] AddressesOf(string host)
    {
        if (host.Length == 0 || host[0] == '[')
            throw new SocketException((int)SocketError.HostNotFound);
        return IPAddress.TryParse(host, out IPAddress? address) ? [address] : Dns.GetHostAddresses(host);
    }

    private static void Connect(Socket socket, IPEndPoint place, int timeoutMs)
    {
        socket.Blocking = false;
        try
        {
            socket.Connect(place);
        }
        catch (SocketException fault) when (fault.SocketErrorCode
            is SocketError.WouldBlock or SocketError.InProgress)
        {
            if (!socket.Poll(timeoutMs * MicrosecondsPerMs, SelectMode.SelectWrite))
                throw new SocketException((int)SocketError.TimedOut);
        }

        if (socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error) is int error and not 0)
            throw new SocketException(error);
        socket.Blocking = true;
    }
}
