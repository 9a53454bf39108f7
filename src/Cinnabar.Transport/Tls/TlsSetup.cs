using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls;

/// <summary>A configuration of TLS whose files have been loaded. Any thread may use it until it is disposed;
/// its engines outlive it.</summary>
internal abstract class TlsSetup : IDisposable
{
    /// <summary>The certificates that INFO describes.</summary>
    public required TlsCertificates Certificates { get; init; }

    /// <summary>Makes the protocol of a connection.</summary>
    public abstract TlsEngine MakeEngine();

    public abstract void Dispose();
}
