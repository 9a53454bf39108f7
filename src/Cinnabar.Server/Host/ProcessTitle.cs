using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Platform;

namespace Cinnabar.Server.Host;

/// <summary>The title that ps and top show for the process: its command line, or if that cannot be changed
/// the main thread's name.</summary>
internal sealed class ProcessTitle
{
    private readonly ConfigurationRegistry _registry;
    private readonly CommandLineRoom? _room;

    /// <summary>Finds the place of the title. It may copy the environment, so call it before other threads
    /// start.</summary>
    internal ProcessTitle(ConfigurationRegistry registry)
    {
        _registry = registry;
        _room = IsWanted ? CommandLineRoom.TryFind() : null;
    }

    /// <summary>Whether only the main thread can set the title: the system shows that thread's
    /// name.</summary>
    internal bool NeedsMainThread => _room is null;

    private bool IsWanted => _registry.TextOf("set-proc-title") == "yes";

    /// <summary>Sets the configured title.</summary>
    internal void Apply()
    {
        if (!IsWanted)
            return;
        string? title = ProcessTitleTemplate.Expand(
            ConfigurationText.ToPath(_registry.TextOf("proc-title-template")), ValueOf);
        if (string.IsNullOrEmpty(title))
            return;
        if (_room is null)
            ProcessControl.TrySetTitle(title);
        else
            _room.Show(title);
    }

    private string ValueOf(string variable) => variable switch
    {
        "title" => _room?.Program ?? "cinnabar-server",
        "listen-addr" => ListenAddress(_registry.Settings),
        "port" => _registry.TextOf("port"),
        "tls-port" => _registry.TextOf("tls-port"),
        "unixsocket" => _registry.Settings.UnixSocket,
        "config-file" => _registry.FilePath ?? "",
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
