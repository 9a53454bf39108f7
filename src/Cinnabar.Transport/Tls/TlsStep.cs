namespace Cinnabar.Transport.Tls;

/// <summary>How far a handshake has come.</summary>
internal enum TlsStep
{
    /// <summary>It waits for bytes of the peer.</summary>
    NeedsInput,

    /// <summary>It waits until the socket takes bytes.</summary>
    NeedsOutput,

    /// <summary>It has succeeded.</summary>
    Done,

    /// <summary>It has failed: the connection is to be closed.</summary>
    Failed,
}
