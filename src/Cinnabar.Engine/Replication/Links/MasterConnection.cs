// The replica's end of the connection to its master: a socket that never blocks, and the bytes received and
// not yet consumed, contiguous in native memory.
//
//   _data           _start            _end            _capacity
//     | consumed      | held            | free          |
//
// Only the link's thread receives. Abandon, from any thread, ends the connection: the next receive fails.
// With TLS (Secure) a channel lies between the socket and these bytes, which one thread at a time uses: what
// is sent while the link's thread loads (MasterLink's sign of life) comes from another thread.

using System.Net.Sockets;
using System.Security.Authentication;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>A connection to a master.</summary>
internal sealed unsafe class MasterConnection : IDisposable
{
    private const int CapacityMin = 256 << 10;
    private const int ReceiveMin = 16 << 10;
    private const int LineLengthMax = 16 << 10;
    private const int UsPerMs = 1000;

    private readonly Socket _socket;
    private readonly Clock _clock;
    private readonly Lock _channelLock = new();
    private ISecureChannel? _channel;
    private bool _isDisposed;
    private byte* _data;
    private long _capacity;
    private long _start;
    private long _end;

    private MasterConnection(Socket socket, Clock clock)
    {
        (_socket, _clock) = (socket, clock);
        _socket.Blocking = false;
        _capacity = CapacityMin;
        _data = (byte*)NativeMemory.Alloc((nuint)_capacity);
        LastReceivedNs = clock.MonotonicNanoseconds;
    }

    /// <summary>When bytes came last, in monotonic nanoseconds; from any thread.</summary>
    public long LastReceivedNs
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    /// <summary>Bytes that were received.</summary>
    public long ReceivedCount { get; private set; }

    /// <summary>Told of each reception.</summary>
    public Action<int>? Received { get; set; }

    /// <summary>Bytes that were received and not consumed.</summary>
    public long HeldCount => _end - _start;

    /// <summary>The first of them; valid until the next receive.</summary>
    public byte* Held => _data + _start;

    /// <summary>Whether the connection was abandoned.</summary>
    public bool IsAbandoned { get; private set; }

    /// <summary>Connects.</summary>
    /// <exception cref="SocketException">The master cannot be reached.</exception>
    public static MasterConnection Connect(
        MasterAddress master, string source, bool isMultipath, int timeoutMs, Clock clock) =>
        new(MigrateLink.ConnectSocket(master.Host, master.Port, source, timeoutMs, isMultipath), clock);

    /// <summary>Goes on by TLS.</summary>
    /// <param name="connect">Makes the handshake.</param>
    /// <param name="peer">The master's name or address.</param>
    /// <param name="timeoutMs">How long the master may keep it waiting.</param>
    /// <exception cref="LinkException">The handshake fails.</exception>
    public void Secure(SecureConnect connect, string peer, int timeoutMs)
    {
        Debug.Assert(_channel is null && HeldCount == 0, "TLS begins with the first byte");
        try
        {
            _channel = connect(_socket, peer, timeoutMs);
        }
        catch (Exception fault) when (fault
            is AuthenticationException or SocketException or ObjectDisposedException)
        {
            throw new LinkException($"TLS with the MASTER fails: {fault.Message}");
        }
    }

    /// <summary>The address of this end.</summary>
    public System.Net.EndPoint? LocalAddress => _socket.LocalEndPoint;

    /// <summary>Both addresses, as CLIENT LIST shows them.</summary>
    public SessionEndpoint Endpoint => new($"{_socket.RemoteEndPoint}", $"{_socket.LocalEndPoint}",
        (long)_socket.Handle, ConnectionKind.Tcp, IsLoopback: false);

    /// <summary>Receives what there is, after a wait for it if nothing is there.</summary>
    /// <param name="waitMs">The longest wait.</param>
    /// <returns>Whether bytes came.</returns>
    /// <exception cref="LinkException">The master has closed the connection, or it broke.</exception>
    public bool TryReceive(int waitMs)
    {
        if (TryReceiveNow())
            return true;
        try
        {
            return _socket.Poll(waitMs * UsPerMs, SelectMode.SelectRead) && TryReceiveNow();
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            throw new LinkException($"I/O error reading from master: {fault.Message}");
        }
    }

    /// <summary>Drops the first of the held bytes.</summary>
    public void Consume(long count)
    {
        Debug.Assert(count >= 0 && count <= HeldCount, "what was not received cannot be consumed");
        _start += count;
        if (_start == _end)
            (_start, _end) = (0, 0);
    }

    /// <summary>Takes a line, without its end.</summary>
    /// <returns>Null: there is none yet.</returns>
    /// <exception cref="LinkException">It is too long.</exception>
    public string? TryTakeLine()
    {
        // SAFETY: the held bytes lie in the buffer.
        var held = new ReadOnlySpan<byte>(Held, (int)Math.Min(HeldCount, LineLengthMax));
        int end = held.IndexOf((byte)'\n');
        if (end < 0)
        {
            return held.Length < LineLengthMax ? null
                : throw new LinkException("The master sends a line without an end");
        }

        string line = Encoding.Latin1.GetString(held[..end].TrimEnd((byte)'\r'));
        Consume(end + 1);
        return line;
    }

    /// <summary>Sends a request.</summary>
    /// <exception cref="LinkException">The connection broke, or the master takes nothing.</exception>
    public void Send(ReadOnlySpan<string> words, int timeoutMs) =>
        Send(CommandText.Of(words), timeoutMs);

    /// <summary>Sends bytes.</summary>
    /// <exception cref="LinkException">The connection broke, or the master takes nothing.</exception>
    public void Send(ReadOnlySpan<byte> bytes, int timeoutMs)
    {
        try
        {
            if (_channel is { } channel)
            {
                SendBy(channel, bytes, timeoutMs);
                return;
            }

            while (!bytes.IsEmpty)
            {
                int sent = _socket.Send(bytes, SocketFlags.None, out SocketError error);
                if (error == SocketError.WouldBlock)
                {
                    if (!_socket.Poll(timeoutMs * UsPerMs, SelectMode.SelectWrite))
                        throw new LinkException("Timeout sending to the MASTER");
                    continue;
                }

                if (error != SocketError.Success)
                    throw new LinkException($"I/O error writing to master: {error}");
                bytes = bytes[sent..];
            }
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            throw new LinkException($"I/O error writing to master: {fault.Message}");
        }
    }

    /// <summary>Ends the connection; from any thread.</summary>
    public void Abandon()
    {
        IsAbandoned = true;
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
    public void Dispose()
    {
        lock (_channelLock)
        {
            _isDisposed = true;
            _channel?.Dispose();
        }

        _socket.Dispose();
        NativeMemory.Free(_data);
        _data = null;
    }

    private void SendBy(ISecureChannel channel, ReadOnlySpan<byte> bytes, int timeoutMs)
    {
        lock (_channelLock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            channel.Send(bytes, timeoutMs);
        }
    }

    private int ReceiveBy(ISecureChannel channel, Span<byte> place, out SocketError error)
    {
        lock (_channelLock)
        {
            try
            {
                int count = channel.TryReceive(place);
                error = count == ISecureChannel.Nothing ? SocketError.WouldBlock : SocketError.Success;
                return count;
            }
            catch (SocketException fault)
            {
                error = fault.SocketErrorCode;
                return 0;
            }
        }
    }

    private bool TryReceiveNow()
    {
        MakeRoom();
        int room = (int)Math.Min(_capacity - _end, int.MaxValue);
        // SAFETY: the free bytes lie in the buffer.
        var place = new Span<byte>(_data + _end, room);
        int count;
        SocketError error;
        try
        {
            count = _channel is { } channel ? ReceiveBy(channel, place, out error)
                : _socket.Receive(place, SocketFlags.None, out error);
        }
        catch (ObjectDisposedException)
        {
            throw new LinkException("Connection with master lost.");
        }

        if (error is SocketError.WouldBlock or SocketError.Interrupted)
            return false;
        if (error != SocketError.Success)
            throw new LinkException($"I/O error reading from master: {error}");
        if (count == 0)
            throw new LinkException("Connection with master lost.");
        _end += count;
        ReceivedCount += count;
        Received?.Invoke(count);
        LastReceivedNs = _clock.MonotonicNanoseconds;
        return true;
    }

    // A command that is larger than the buffer makes it grow to twice its size.
    private void MakeRoom()
    {
        if (_capacity - _end >= ReceiveMin)
            return;
        if (_start > 0)
        {
            // SAFETY: what is held moves within the buffer.
            Buffer.MemoryCopy(_data + _start, _data, _capacity, _end - _start);
            (_start, _end) = (0, _end - _start);
        }

        if (_capacity - _end >= _capacity / 2)
            return;
        _capacity *= 2;
        _data = (byte*)NativeMemory.Realloc(_data, (nuint)_capacity);
    }
}
