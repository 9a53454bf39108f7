namespace Cinnabar.Transport.Tls;

/// <summary>TLS cannot be configured so; the message is for the log.</summary>
internal sealed class TlsFailedException(string message) : Exception(message);
