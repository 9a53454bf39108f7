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
    }
}
