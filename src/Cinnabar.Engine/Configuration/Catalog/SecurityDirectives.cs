using Cinnabar.Engine.Configuration.Directives;
using static Cinnabar.Engine.Configuration.Directives.DirectiveFlags;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>Passwords, access lists, TLS.</summary>
internal static class SecurityDirectives
{
    private static readonly string[] s_access = ["no", "yes", "local"];

    internal static void AddTo(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        list.Add(new TextDirective("requirepass", "") { Flags = Sensitive },
            static (settings, value) => settings.RequirePass = value.Text);
        list.Add(new EnumerationDirective("enable-protected-configs", "no", s_access) { Flags = Immutable },
            static (settings, value) => settings.ProtectedConfigAccess = (ProtectedAccess)value.Number);
        list.Add(new EnumerationDirective("enable-debug-command", "no", s_access) { Flags = Immutable },
            static (settings, value) => settings.DebugCommandAccess = (ProtectedAccess)value.Number);

        list.Add(new TextDirective("aclfile", "") { Flags = Immutable });
        list.Add(new EnumerationDirective(
            "acl-pubsub-default", "resetchannels", ["allchannels", "resetchannels"]));
        list.Add(new IntegerDirective("acllog-max-len", 128, 0, long.MaxValue),
            static (settings, value) => settings.AclLogLengthMax = value.Number);
        list.Section(DirectiveSupport.NeverMeaningful, "modules of Redis cannot be loaded");
        list.Add(new EnumerationDirective("enable-module-command", "no", s_access) { Flags = Immutable });

        list.Section(DirectiveSupport.Refused, "TLS is not built yet: the port would not be open");
        list.Add(new IntegerDirective("tls-port", 0, 0, 65535));
        AddTls(list);
    }

    private static void AddTls(DirectiveList list)
    {
        list.Section(DirectiveSupport.NoEffectYet, "TLS is not built yet");
        list.Add(new IntegerDirective("tls-session-cache-size", 20480, 0, int.MaxValue));
        list.Add(new IntegerDirective("tls-session-cache-timeout", 300, 0, int.MaxValue));
        list.Add(new BooleanDirective("tls-cluster", false));
        list.Add(new BooleanDirective("tls-replication", false));
        list.Add(new EnumerationDirective("tls-auth-clients", "yes", ["no", "yes", "optional"]));
        list.Add(new EnumerationDirective("tls-auth-clients-user", "off", ["CN", "URI", "off"]));
        list.Add(new BooleanDirective("tls-prefer-server-ciphers", false));
        list.Add(new BooleanDirective("tls-session-caching", true));
        list.Add(new IntegerDirective("tls-auto-reload-interval", 0, 0, int.MaxValue));
        foreach (string name in (string[])[
            "tls-cert-file", "tls-key-file", "tls-client-cert-file", "tls-client-key-file",
            "tls-dh-params-file", "tls-ca-cert-file", "tls-ca-cert-dir", "tls-protocols",
            "tls-ciphers", "tls-ciphersuites"])
            list.Add(new TextDirective(name, ""));
        list.Add(new TextDirective("tls-key-file-pass", "") { Flags = Sensitive });
        list.Add(new TextDirective("tls-client-key-file-pass", "") { Flags = Sensitive });
    }
}
