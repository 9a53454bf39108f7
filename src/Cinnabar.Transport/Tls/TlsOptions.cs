using Cinnabar.Engine.Configuration.Registry;

namespace Cinnabar.Transport.Tls;

/// <summary>The directives of TLS, as they are configured; texts and paths are one char a byte.</summary>
internal sealed record TlsOptions
{
    /// <summary><c>tls-cert-file</c></summary>
    public string CertificateFile { get; init; } = "";

    /// <summary><c>tls-key-file</c></summary>
    public string KeyFile { get; init; } = "";

    /// <summary><c>tls-key-file-pass</c></summary>
    public string KeyPassword { get; init; } = "";

    /// <summary><c>tls-client-cert-file</c></summary>
    public string ClientCertificateFile { get; init; } = "";

    /// <summary><c>tls-ca-cert-file</c></summary>
    public string AuthorityFile { get; init; } = "";

    /// <summary><c>tls-ca-cert-dir</c></summary>
    public string AuthorityDirectory { get; init; } = "";

    /// <summary><c>tls-dh-params-file</c></summary>
    public string DhFile { get; init; } = "";

    /// <summary><c>tls-auth-clients</c></summary>
    public TlsClientDemand ClientDemand { get; init; } = TlsClientDemand.Required;

    /// <summary><c>tls-protocols</c></summary>
    public TlsVersions Versions { get; init; } = TlsVersions.Default;

    /// <summary><c>tls-ciphers</c>; empty: the library's own.</summary>
    public string Ciphers { get; init; } = "";

    /// <summary><c>tls-ciphersuites</c>; empty: the library's own.</summary>
    public string Suites { get; init; } = "";

    /// <summary><c>tls-prefer-server-ciphers</c></summary>
    public bool IsServerPreferred { get; init; }

    /// <summary><c>tls-session-caching</c></summary>
    public bool CachesSessions { get; init; } = true;

    /// <summary><c>tls-session-cache-size</c></summary>
    public long SessionCountMax { get; init; } = DefaultSessionCountMax;

    /// <summary><c>tls-session-cache-timeout</c></summary>
    public long SessionSeconds { get; init; } = DefaultSessionSeconds;

    /// <summary>Whether this end begins connections: it demands a certificate and shows its own where there
    /// is one.</summary>
    public bool IsClient { get; init; }

    /// <summary>The name or address by which a client connects.</summary>
    public string PeerName { get; init; } = "";

    /// <summary>Whether the peer's certificate must name it: where no authority is configured, the system's
    /// are trusted, who certify anybody.</summary>
    public bool IsPeerNameChecked => IsClient && AuthorityFile.Length == 0 && AuthorityDirectory.Length == 0;

    /// <summary>The default of <see cref="SessionCountMax"/>.</summary>
    public const long DefaultSessionCountMax = 20 * 1024;

    /// <summary>The default of <see cref="SessionSeconds"/>.</summary>
    public const long DefaultSessionSeconds = 300;

    /// <summary>The files that a context is made of.</summary>
    public IEnumerable<string> Files =>
        [CertificateFile, KeyFile, ClientCertificateFile, AuthorityFile, AuthorityDirectory, DhFile];

    /// <summary>Reads the configuration.</summary>
    /// <exception cref="TlsFailedException"><c>tls-protocols</c> is wrong.</exception>
    public static TlsOptions Read(ConfigurationRegistry registry) => new()
    {
        CertificateFile = registry.TextOf("tls-cert-file"),
        KeyFile = registry.TextOf("tls-key-file"),
        KeyPassword = registry.TextOf("tls-key-file-pass"),
        ClientCertificateFile = registry.TextOf("tls-client-cert-file"),
        AuthorityFile = registry.TextOf("tls-ca-cert-file"),
        AuthorityDirectory = registry.TextOf("tls-ca-cert-dir"),
        DhFile = registry.TextOf("tls-dh-params-file"),
        ClientDemand = (TlsClientDemand)registry.NumberOf("tls-auth-clients"),
        Versions = ParseVersions(registry.TextOf("tls-protocols")),
        Ciphers = registry.TextOf("tls-ciphers"),
        Suites = registry.TextOf("tls-ciphersuites"),
        IsServerPreferred = registry.NumberOf("tls-prefer-server-ciphers") != 0,
        CachesSessions = registry.NumberOf("tls-session-caching") != 0,
        SessionCountMax = registry.NumberOf("tls-session-cache-size"),
        SessionSeconds = registry.NumberOf("tls-session-cache-timeout"),
    };

    /// <summary>Reads the configuration for a connection to another server.</summary>
    /// <param name="registry">The configuration.</param>
    /// <param name="peer">The other server's name or address.</param>
    /// <exception cref="TlsFailedException"><c>tls-protocols</c> is wrong.</exception>
    public static TlsOptions ReadClient(ConfigurationRegistry registry, string peer)
    {
        bool hasOwn = registry.TextOf("tls-client-cert-file").Length > 0;
        return Read(registry) with
        {
            IsClient = true,
            PeerName = peer,
            CertificateFile = registry.TextOf(hasOwn ? "tls-client-cert-file" : "tls-cert-file"),
            KeyFile = registry.TextOf(hasOwn ? "tls-client-key-file" : "tls-key-file"),
            KeyPassword = registry.TextOf(hasOwn ? "tls-client-key-file-pass" : "tls-key-file-pass"),
            ClientDemand = TlsClientDemand.Required,
            CachesSessions = false,
            DhFile = "",
        };
    }

    /// <summary>Checks what no library has to be asked for.</summary>
    /// <exception cref="TlsFailedException">A file is not named.</exception>
    public void CheckNames()
    {
        if (IsClient)
            return;
        if (CertificateFile.Length == 0)
            throw new TlsFailedException("No tls-cert-file configured!");
        if (KeyFile.Length == 0)
            throw new TlsFailedException("No tls-key-file configured!");
        if (ClientDemand != TlsClientDemand.None && AuthorityFile.Length == 0
            && AuthorityDirectory.Length == 0)
            throw new TlsFailedException("Either tls-ca-cert-file or tls-ca-cert-dir must be specified when "
                + "tls-cluster, tls-replication or tls-auth-clients are enabled!");
    }

    private static TlsVersions ParseVersions(string text)
    {
        if (text.Length == 0)
            return TlsVersions.Default;
        var versions = TlsVersions.None;
        foreach (string word in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            versions |= word.ToLowerInvariant() switch
            {
                "tlsv1" => TlsVersions.Tls10,
                "tlsv1.1" => TlsVersions.Tls11,
                "tlsv1.2" => TlsVersions.Tls12,
                "tlsv1.3" => TlsVersions.Tls13,
                _ => throw new TlsFailedException("Invalid tls-protocols specified. Use a combination of "
                    + "'TLSv1', 'TLSv1.1', 'TLSv1.2' and 'TLSv1.3'."),
            };
        }

        return versions;
    }
}
