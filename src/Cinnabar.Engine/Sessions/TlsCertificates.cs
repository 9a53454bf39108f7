namespace Cinnabar.Engine.Sessions;

/// <summary>The certificates of a server that has TLS; null where there is none.</summary>
/// <param name="Server">What clients are shown.</param>
/// <param name="Client">What the server would show to others.</param>
/// <param name="Authority">The first to expire of those that clients' certificates are checked with.</param>
public sealed record TlsCertificates(
    TlsCertificate? Server, TlsCertificate? Client, TlsCertificate? Authority);
