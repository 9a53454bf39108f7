using Cinnabar.Engine.Configuration;

namespace Cinnabar.Transport.Tls;

/// <summary>The protocol of one end of a connection, between the buffers of a <see cref="TlsPipe"/>. It
/// knows no socket. One thread at a time uses it.</summary>
internal abstract unsafe class TlsEngine : IDisposable
{
    /// <summary>The peer has ended the connection in order.</summary>
    public const int Ended = 0;

    /// <summary>More encrypted bytes are needed.</summary>
    public const int Nothing = -1;

    /// <summary>The peer violates the protocol.</summary>
    public const int Failed = -2;

    /// <summary>What failed, for the log; empty: nothing.</summary>
    public string Fault { get; protected set; } = "";

    /// <summary>Has later calls use these buffers.</summary>
    public abstract void Use(TlsPipe pipe);

    /// <summary>Goes on with the handshake.</summary>
    public abstract TlsStep Handshake();

    /// <summary>Decrypts into a place.</summary>
    /// <returns>How many bytes, <see cref="Ended"/>, <see cref="Nothing"/> or <see cref="Failed"/>.</returns>
    public abstract int Decrypt(byte* place, int room);

    /// <summary>Encrypts one record, for which the output has room.</summary>
    /// <returns>Whether it could.</returns>
    public abstract bool TryEncrypt(byte* data, int length);

    /// <summary>Writes the message that ends the connection in order.</summary>
    public abstract void End();

    /// <summary>Whether the handshake went on with an earlier session.</summary>
    public abstract bool IsResumed { get; }

    /// <summary>The names in the peer's certificate, after the handshake; null: it showed none.</summary>
    /// <param name="which">Which names.</param>
    public abstract IReadOnlyList<string>? PeerNames(CertificateUser which);

    public abstract void Dispose();
}
