using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls.Framework;

/// <summary>A configuration of the framework's TLS. What it cannot do is refused
/// (docs/differences.md).</summary>
internal sealed class SslStreamSetup : TlsSetup
{
    // Old versions, whose names the framework keeps only for warnings.
    private const SslProtocols Tls10 = (SslProtocols)0xC0;
    private const SslProtocols Tls11 = (SslProtocols)0x300;

    private readonly SslServerAuthenticationOptions _options;

    private SslStreamSetup(SslServerAuthenticationOptions options) => _options = options;

    /// <summary>Loads the files.</summary>
    /// <exception cref="TlsFailedException">A file or directive is wrong, or cannot be honoured.</exception>
    public static SslStreamSetup Load(TlsOptions options)
    {
        if (options.IsClient)
            throw new TlsFailedException("TLS to other servers is not built on this system");
        options.CheckNames();
        CheckSupport(options);
        X509Certificate2Collection chain =
            CertificateFiles.Read(options.CertificateFile, "Failed to load certificate");
        X509Certificate2 certificate = CertificateFiles.ReadWithKey(options);
        X509Certificate2Collection authorities = CertificateFiles.Authorities(options);
        chain.RemoveAt(0);
        bool isDemanded = options.ClientDemand != TlsClientDemand.None;
        bool isRequired = options.ClientDemand == TlsClientDemand.Required;
        var server = new SslServerAuthenticationOptions
        {
            ServerCertificateContext =
                SslStreamCertificateContext.Create(certificate, chain, offline: true),
            EnabledSslProtocols = ProtocolsOf(options.Versions),
            AllowRenegotiation = false,
            AllowTlsResume = options.CachesSessions,
            ClientCertificateRequired = isDemanded,
            CipherSuitesPolicy = PolicyOf(options),
            CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
                DisableCertificateDownloads = true,
            },
            RemoteCertificateValidationCallback = (_, shown, _, errors) => !isDemanded
                || (shown is null ? !isRequired : errors == SslPolicyErrors.None),
        };
        server.CertificateChainPolicy.CustomTrustStore.AddRange(authorities);
        return new SslStreamSetup(server) { Certificates = CertificateFiles.Describe(certificate, options) };
    }

    /// <inheritdoc/>
    public override TlsEngine MakeEngine() => new SslStreamEngine(_options);

    /// <summary>Does nothing: connections that have begun use what it has loaded.</summary>
    public override void Dispose()
    {
    }

    private static void CheckSupport(TlsOptions options)
    {
        if (options.DhFile.Length > 0)
            Refuse("tls-dh-params-file");
        if (options.IsServerPreferred)
            Refuse("tls-prefer-server-ciphers");
        if (options.SessionCountMax != TlsOptions.DefaultSessionCountMax)
            Refuse("tls-session-cache-size");
        if (options.SessionSeconds != TlsOptions.DefaultSessionSeconds)
            Refuse("tls-session-cache-timeout");
    }

    private static void Refuse(string directive) =>
        throw new TlsFailedException(
            $"{directive} cannot be honoured on this system: leave it at its default");

    private static SslProtocols ProtocolsOf(TlsVersions versions)
    {
        var protocols = SslProtocols.None;
        protocols |= (versions & TlsVersions.Tls10) != 0 ? Tls10 : 0;
        protocols |= (versions & TlsVersions.Tls11) != 0 ? Tls11 : 0;
        protocols |= (versions & TlsVersions.Tls12) != 0 ? SslProtocols.Tls12 : 0;
        protocols |= (versions & TlsVersions.Tls13) != 0 ? SslProtocols.Tls13 : 0;
        return protocols;
    }

    private static CipherSuitesPolicy? PolicyOf(TlsOptions options)
    {
        if (options.Ciphers.Length == 0 && options.Suites.Length == 0)
            return null;
        if (OperatingSystem.IsWindows())
            Refuse(options.Ciphers.Length > 0 ? "tls-ciphers" : "tls-ciphersuites");
        else
            return new CipherSuitesPolicy(CipherNames.Parse(options.Ciphers, options.Suites));
        return null;
    }
}
