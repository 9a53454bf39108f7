namespace Cinnabar.Transport.Tls;

/// <summary>Versions of the protocol.</summary>
[Flags]
internal enum TlsVersions
{
    None = 0,

    /// <summary>TLSv1</summary>
    Tls10 = 1,

    /// <summary>TLSv1.1</summary>
    Tls11 = 2,

    /// <summary>TLSv1.2</summary>
    Tls12 = 4,

    /// <summary>TLSv1.3</summary>
    Tls13 = 8,

    /// <summary>Those of a server without <c>tls-protocols</c>.</summary>
    Default = Tls12 | Tls13,
}
