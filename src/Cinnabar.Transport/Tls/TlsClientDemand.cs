namespace Cinnabar.Transport.Tls;

/// <summary><c>tls-auth-clients</c>: whether clients must have a certificate. Its values are in the order of
/// the directive's.</summary>
internal enum TlsClientDemand
{
    /// <summary>They are not asked.</summary>
    None,

    /// <summary>They must.</summary>
    Required,

    /// <summary>They may; one that they have must be valid.</summary>
    Optional,
}
