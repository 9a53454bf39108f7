namespace Cinnabar.Transport.Tls;

/// <summary>What does TLS on this machine.</summary>
internal interface ITlsLibrary
{
    /// <summary>What is missing for TLS; null: nothing.</summary>
    string? FindMissing();

    /// <summary>Loads the files that the directives name.</summary>
    /// <exception cref="TlsFailedException">A file or a directive is wrong.</exception>
    TlsSetup Load(TlsOptions options);
}
