using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls;

/// <summary>Takes the names of users from the certificates of clients.</summary>
internal static class TlsUsers
{
    /// <summary>The endpoint with the names that <c>tls-auth-clients-user</c> asks for.</summary>
    public static SessionEndpoint AddNames(
        SessionEndpoint endpoint, TlsConnection connection, Settings settings)
    {
        CertificateUser which = settings.CertificateUser;
        return which == CertificateUser.Off
            ? endpoint
            : endpoint with { CertificateNames = connection.PeerNames(which) };
    }
}
