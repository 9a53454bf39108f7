namespace Cinnabar.Transport.Tls;

/// <summary>The socket below a TLS connection; it does not block.</summary>
internal abstract unsafe class TlsWire
{
    /// <summary>The peer sends no more.</summary>
    public const int Ended = 0;

    /// <summary>No bytes have come, or none can be sent now.</summary>
    public const int Nothing = -1;

    /// <summary>The connection is broken.</summary>
    public const int Failed = -2;

    /// <summary>Receives what has come.</summary>
    /// <returns>How many bytes, <see cref="Ended"/>, <see cref="Nothing"/> or <see cref="Failed"/>.</returns>
    public abstract int Receive(byte* place, int room);

    /// <summary>Sends what the socket takes.</summary>
    /// <returns>How many bytes, <see cref="Nothing"/> or <see cref="Failed"/>.</returns>
    public abstract int Send(byte* data, int length);
}
