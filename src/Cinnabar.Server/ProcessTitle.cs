using System.Globalization;
using Cinnabar.Engine.Configuration;
using Cinnabar.Platform;

namespace Cinnabar.Server;

/// <summary>The name under which ps and top show the process.</summary>
internal static class ProcessTitle
{
    /// <summary>
    /// Puts it up as the configuration says. Only the main thread may call it: the system shows that thread's
    /// name.
    /// </summary>
    internal static void Apply(ConfigurationRegistry registry)
    {
        if (registry.TextOf("set-proc-title") != "yes")
            return;
        string? title = ProcessTitleTemplate.Expand(
            ConfigurationText.ToPath(registry.TextOf("proc-title-template")), variable =>
                ValueOf(registry, variable));
        if (!string.IsNullOrEmpty(title))
            ProcessControl.TrySetTitle(title);
    }

    private static string ValueOf(ConfigurationRegistry registry, string variable) => variable switch
    {
        "title" => "cinnabar-server",
        "listen-addr" => ListenAddress(registry.Settings),
        "port" => registry.TextOf("port"),
        "tls-port" => registry.TextOf("tls-port"),
        "unixsocket" => registry.Settings.UnixSocket,
        "config-file" => registry.FilePath ?? "",
        _ => "",
    };

    private static string ListenAddress(Settings settings)
    {
        if (settings.Port == 0)
            return settings.UnixSocket;
        string address = settings.Bind.Length > 0 ? settings.Bind[0] : "*";
        return address + ":" + settings.Port.ToString(CultureInfo.InvariantCulture);
    }
}
