namespace Cinnabar.Transport.Tls;

/// <summary>The fields of a <see cref="TlsPipe"/> that native code reaches by an address.</summary>
internal unsafe struct TlsBuffers
{
    /// <summary>Encrypted bytes of the peer, not yet decrypted.</summary>
    public byte* Input;

    /// <summary>How many.</summary>
    public int InputLength;

    /// <summary>Where encrypted bytes for the peer are written.</summary>
    public byte* Output;

    /// <summary>How many there are.</summary>
    public int OutputLength;

    /// <summary>How many fit.</summary>
    public int OutputSize;
}
