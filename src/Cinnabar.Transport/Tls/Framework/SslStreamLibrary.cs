namespace Cinnabar.Transport.Tls.Framework;

/// <summary>TLS by the framework's SslStream (docs/adr/0033).</summary>
internal sealed class SslStreamLibrary : ITlsLibrary
{
    /// <inheritdoc/>
    public string? FindMissing() => null;

    /// <inheritdoc/>
    public TlsSetup Load(TlsOptions options) => SslStreamSetup.Load(options);
}
