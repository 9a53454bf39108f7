using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Uring;

/// <summary>What is below a TLS connection of a ring: it is offered what the ring has received. Before the
/// connection comes to a loop it reads the socket itself, for the handshake.</summary>
/// <param name="socket">The socket.</param>
internal sealed unsafe class UringWire(TlsWire socket) : TlsWire
{
    private readonly TlsWire _socket = socket;
    private byte* _offered;
    private int _end = Nothing;
    private bool _isOnRing;

    /// <summary>How many bytes of those that were offered are left.</summary>
    public int OfferedLength { get; private set; }

    /// <summary>Leaves the receiving to a ring.</summary>
    public void BeginRing() => _isOnRing = true;

    /// <summary>Offers received bytes; until <see cref="TakeRest"/> they must stay.</summary>
    public void Offer(byte* data, int length)
    {
        Debug.Assert(_isOnRing && OfferedLength == 0, "bytes are offered one buffer at a time");
        _offered = data;
        OfferedLength = length;
        _end = Nothing;
    }

    /// <summary>Takes back what was not received.</summary>
    public byte* TakeRest(out int length)
    {
        byte* rest = _offered;
        length = OfferedLength;
        _offered = null;
        OfferedLength = 0;
        return rest;
    }

    /// <summary>Lets the next receive find the end.</summary>
    /// <param name="end"><see cref="TlsWire.Ended"/> or <see cref="TlsWire.Failed"/>.</param>
    public void OfferEnd(int end) => _end = end;

    public override int Receive(byte* place, int room)
    {
        if (!_isOnRing)
            return _socket.Receive(place, room);
        int count = Math.Min(room, OfferedLength);
        if (count == 0)
            return _end;
        Buffer.MemoryCopy(_offered, place, room, count);
        _offered += count;
        OfferedLength -= count;
        return count;
    }

    public override int Send(byte* data, int length) => _socket.Send(data, length);
}
