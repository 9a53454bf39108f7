namespace Cinnabar.Engine.Sessions;

/// <summary>The addresses of a connection.</summary>
/// <param name="RemoteAddress">As CLIENT LIST shows it: <c>127.0.0.1:50000</c>, or <c>path:0</c> of a unix
/// socket.</param>
/// <param name="LocalAddress">The address it came to.</param>
/// <param name="Descriptor">The file descriptor, −1 where there is none.</param>
/// <param name="Kind">The kind of connection.</param>
/// <param name="IsLoopback">Whether the peer is this machine (protected mode asks).</param>
public sealed record SessionEndpoint(
    string RemoteAddress, string LocalAddress, long Descriptor, ConnectionKind Kind, bool IsLoopback)
{
    /// <summary>The names in a TLS client's certificate by which <c>tls-auth-clients-user</c> finds its user;
    /// null where there is no certificate, or it is not looked at. One char a byte.</summary>
    public IReadOnlyList<string>? CertificateNames { get; init; }

    /// <summary>Whether it belongs to the server itself: its session may do everything, whatever users there
    /// are.</summary>
    public bool IsTrusted { get; init; }
}
