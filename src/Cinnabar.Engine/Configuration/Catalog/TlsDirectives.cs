using Cinnabar.Engine.Configuration.Directives;
using static Cinnabar.Engine.Configuration.Directives.DirectiveFlags;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>TLS.</summary>
internal static class TlsDirectives
{
    internal static void AddTo(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        list.Add(new IntegerDirective("tls-port", 0, 0, 65535),
            static (settings, value) => settings.TlsPort = (int)value.Number);
        list.Add(new IntegerDirective("tls-session-cache-size", 20480, 0, int.MaxValue));
        list.Add(new IntegerDirective("tls-session-cache-timeout", 300, 0, int.MaxValue));
        list.Add(new EnumerationDirective("tls-auth-clients", "yes", ["no", "yes", "optional"]));
        list.Add(new EnumerationDirective("tls-auth-clients-user", "off", ["CN", "URI", "off"]),
            static (settings, value) => settings.CertificateUser = (CertificateUser)value.Number);
        list.Add(new BooleanDirective("tls-user-requires-cert", false),
            static (settings, value) => settings.IsCertificateRequired = value.Number != 0);
        list.Add(new BooleanDirective("tls-prefer-server-ciphers", false));
        list.Add(new BooleanDirective("tls-session-caching", true));
        list.Add(new IntegerDirective("tls-auto-reload-interval", 0, 0, int.MaxValue));
        foreach (string name in (string[])[
            "tls-cert-file", "tls-key-file", "tls-client-cert-file", "tls-dh-params-file",
            "tls-ca-cert-file", "tls-ca-cert-dir"])
            list.Add(new TextDirective(name, "") { Flags = Reapplied });
        foreach (string name in (string[])["tls-protocols", "tls-ciphers", "tls-ciphersuites"])
            list.Add(new TextDirective(name, ""));
        list.Add(new TextDirective("tls-key-file-pass", "") { Flags = Sensitive });
        list.Add(new TextDirective("tls-client-key-file", "") { Flags = Reapplied });
        list.Add(new TextDirective("tls-client-key-file-pass", "") { Flags = Sensitive });
        list.Add(new BooleanDirective("tls-replication", false));

        list.Section(DirectiveSupport.NoEffectYet, "cluster mode is not built yet");
        list.Add(new BooleanDirective("tls-cluster", false));
    }
}
