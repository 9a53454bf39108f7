namespace Cinnabar.Engine.Configuration;

/// <summary><c>tls-auth-clients-user</c>, in the order of its words.</summary>
public enum CertificateUser
{
    /// <summary>The common name.</summary>
    CommonName,

    /// <summary>A URI among the alternative names.</summary>
    Uri,

    /// <summary>None: clients log in by AUTH.</summary>
    Off,
}
