// TLS to another server, over a socket that this end has connected. Its calls wait, each for as long as the
// caller says; below, the connection is the same as a client's of this server (TlsConnection).

using System.Net.Sockets;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls;

/// <summary>A TLS connection that this end has begun. One thread uses it; the socket stays the
/// caller's.</summary>
internal sealed unsafe class TlsClient : ISecureChannel
{
    private const int UsPerMs = 1000;

    private readonly Socket _socket;
    private readonly TlsPipe _pipe = new();
    private readonly TlsConnection _connection;

    /// <summary>Makes the handshake.</summary>
    /// <param name="socket">A connected socket, which does not block from now on.</param>
    /// <param name="setup">What a client needs.</param>
    /// <param name="timeoutMs">How long the peer may keep it waiting.</param>
    /// <exception cref="TlsFailedException">The handshake fails.</exception>
    /// <exception cref="SocketException">The time is over.</exception>
    public TlsClient(Socket socket, TlsSetup setup, int timeoutMs)
    {
        _socket = socket;
        _socket.Blocking = false;
        _connection = new TlsConnection(setup.MakeEngine(), new SocketWire(socket), _pipe)
        {
            IsClient = true,
        };
        try
        {
            TlsStep step;
            while ((step = _connection.Handshake()) != TlsStep.Done)
            {
                if (step == TlsStep.Failed)
                    throw new TlsFailedException(_connection.Fault);
                Wait(step == TlsStep.NeedsOutput ? SelectMode.SelectWrite : SelectMode.SelectRead, timeoutMs);
                if (step == TlsStep.NeedsOutput && !_connection.TryFlush())
                    throw new SocketException((int)SocketError.ConnectionReset);
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Whether something can be received before the socket has something.</summary>
    public bool HasInput => _connection.HasInput;

    /// <inheritdoc/>
    public int TryReceive(Span<byte> place)
    {
        Debug.Assert(!place.IsEmpty, "there must be room");
        // SAFETY: the connection writes within the place.
        fixed (byte* start = place)
        {
            int count = _connection.Receive(start, place.Length);
            if (count < 0 && count != TlsWire.Nothing)
                throw new SocketException((int)SocketError.ConnectionReset);
            return count == TlsWire.Nothing ? ISecureChannel.Nothing : count;
        }
    }

    /// <summary>Receives what comes first.</summary>
    /// <returns>How many bytes; 0: the peer has ended the connection.</returns>
    /// <exception cref="SocketException">The connection broke, or the time is over.</exception>
    public int Receive(Span<byte> place, int timeoutMs)
    {
        Debug.Assert(!place.IsEmpty, "there must be room");
        fixed (byte* start = place)
        {
            int count;
            while ((count = _connection.Receive(start, place.Length)) == TlsWire.Nothing)
                Wait(SelectMode.SelectRead, timeoutMs);
            return count >= 0 ? count : throw new SocketException((int)SocketError.ConnectionReset);
        }
    }

    /// <summary>Sends bytes.</summary>
    /// <exception cref="SocketException">The connection broke, or the time is over.</exception>
    public void Send(ReadOnlySpan<byte> bytes, int timeoutMs)
    {
        fixed (byte* start = bytes)
        {
            for (long sent = 0; sent < bytes.Length;)
            {
                var segment = new OutputSegment { Data = start + sent, Length = bytes.Length - sent };
                long count = _connection.Send(&segment, 1);
                if (count == LoopTransport.SendFailed)
                    throw new SocketException((int)SocketError.ConnectionReset);
                sent += count;
                if (sent < bytes.Length)
                    Wait(SelectMode.SelectWrite, timeoutMs);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _connection.Abandon();
        _pipe.Dispose();
    }

    private void Wait(SelectMode mode, int timeoutMs)
    {
        if (!_socket.Poll(timeoutMs * UsPerMs, mode))
            throw new SocketException((int)SocketError.TimedOut);
    }
}
