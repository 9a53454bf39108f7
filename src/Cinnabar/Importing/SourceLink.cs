using System.Net.Sockets;
using Cinnabar.Engine.Durability;
using Cinnabar.Resp;
using Cinnabar.Transport;
using Cinnabar.Transport.InProcess;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Importing;

/// <summary>A connection to a server whose data are imported.</summary>
internal sealed class SourceLink : RespLink
{
    private const int ConnectMsMax = 10_000;
    private const int SilentMsMax = 120_000;
    private const int UsPerMs = 1000;
    private const int PieceSize = 64 << 10;
    private const string Name = "cinnabar-import";

    private readonly ImportAddress _address;
    private readonly Socket _socket;
    private readonly byte[] _piece = new byte[PieceSize];
    private TlsClient? _tls;
    private int _timeoutMs = ConnectMsMax;

    private SourceLink(ImportAddress address, Socket socket) => (_address, _socket) = (address, socket);

    /// <summary>Connects and logs in.</summary>
    /// <param name="address">The server.</param>
    /// <param name="host">Knows what TLS needs.</param>
    /// <exception cref="ImportException">It cannot.</exception>
    public static SourceLink Connect(ImportAddress address, TransportHost host)
    {
        Socket socket;
        try
        {
            socket = MigrateLink.ConnectSocket(address.Host, address.Port, source: "", ConnectMsMax);
        }
        catch (Exception fault) when (fault is SocketException or ArgumentException)
        {
            throw new ImportException($"{address} cannot be reached: {fault.Message}");
        }

        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        var link = new SourceLink(address, socket);
        try
        {
            if (address.IsTls)
                link.BeginTls(host);
            link.LogIn();
            link._timeoutMs = SilentMsMax;
            return link;
        }
        catch
        {
            link.Dispose();
            throw;
        }
    }

    /// <summary>Receives what comes within a time.</summary>
    /// <exception cref="ImportException">The connection broke.</exception>
    public void Poll(int waitMs)
    {
        try
        {
            if (_tls is not { HasInput: true } && !_socket.Poll(waitMs * UsPerMs, SelectMode.SelectRead))
                return;
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            throw Broken(fault.Message);
        }

        Read(Received);
    }

    /// <inheritdoc/>
    public override void Abandon()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // It has ended already.
        }
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        _tls?.Dispose();
        _socket.Dispose();
    }

    /// <inheritdoc/>
    public override string ToString() => _address.ToString();

    /// <inheritdoc/>
    protected override void Write(ReadOnlySpan<byte> bytes)
    {
        try
        {
            (_socket.SendTimeout, _socket.ReceiveTimeout) = (_timeoutMs, _timeoutMs);
            if (_tls is not null)
                _tls.Send(bytes, _timeoutMs);
            while (_tls is null && !bytes.IsEmpty)
                bytes = bytes[_socket.Send(bytes)..];
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            throw Broken(fault.Message);
        }
    }

    /// <inheritdoc/>
    protected override void Read(ByteQueue target)
    {
        int count;
        try
        {
            count = _tls is null ? _socket.Receive(_piece) : _tls.Receive(_piece, _timeoutMs);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            throw Broken(fault.Message);
        }

        if (count == 0)
            throw Broken("it was closed");
        target.Append(_piece.AsSpan(0, count));
    }

    private ImportException Broken(string reason) => new($"The connection to {_address} broke: {reason}");

    private void BeginTls(TransportHost host)
    {
        try
        {
            using TlsSetup setup = host.LoadTlsClient(_address.Host);
            _tls = new TlsClient(_socket, setup, ConnectMsMax);
        }
        catch (Exception fault) when (fault is TlsFailedException or SocketException)
        {
            throw new ImportException($"TLS with {_address} fails: {fault.Message}");
        }
    }

    private void LogIn()
    {
        if (_address.Password.Length > 0)
        {
            Reply reply = _address.User.Length > 0
                ? Call("AUTH", _address.User, _address.Password) : Call("AUTH", _address.Password);
            if (reply.IsError)
                throw new ImportException($"{_address} refuses user or password: {reply.Text}");
        }

        Reply answer = Call("PING");
        if (answer.IsError && !answer.Text.StartsWith("NOPERM", StringComparison.Ordinal))
            throw new ImportException($"{_address} does not serve: {answer.Text}");
        // What an old server, or the user's rights, refuse is not needed.
        Call("CLIENT", "SETNAME", Name);
        Call("CLIENT", "NO-TOUCH", "ON");
    }
}
