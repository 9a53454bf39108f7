using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Information;

/// <summary>INFO: the certificates, in the fields of Valkey 9.1, and handshakes.</summary>
internal static class TlsInfo
{
    private const long UsPerS = 1_000_000;

    /// <summary>Section tls.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        TlsCertificates? certificates = engine.Settings.TlsPort > 0 ? engine.Tls.Certificates : null;
        long nowS = engine.Clock.UnixMicroseconds / UsPerS;
        text.Section("TLS"u8);
        text.Field("tls_server_cert_serial"u8, SerialOf(certificates?.Server));
        text.Field("tls_server_cert_expires_in_seconds"u8, SecondsLeft(certificates?.Server, nowS));
        text.Field("tls_client_cert_serial"u8, SerialOf(certificates?.Client));
        text.Field("tls_client_cert_expires_in_seconds"u8, SecondsLeft(certificates?.Client, nowS));
        text.Field("tls_ca_cert_serial"u8, SerialOf(certificates?.Authority));
        text.Field("tls_ca_cert_expires_in_seconds"u8, SecondsLeft(certificates?.Authority, nowS));
        text.Field("tls_handshakes_running"u8, engine.Tls.RunningCount);
        text.Field("tls_handshakes_full"u8, engine.Tls.FullCount);
        text.Field("tls_handshakes_resumed"u8, engine.Tls.ResumedCount);
        text.Field("tls_handshakes_failed"u8, engine.Tls.FailedCount);
    }

    private static string SerialOf(TlsCertificate? certificate) => certificate?.Serial ?? "none";

    private static long SecondsLeft(TlsCertificate? certificate, long nowS) =>
        certificate is null ? 0 : Math.Max(0, certificate.ExpiryUnixS - nowS);
}
