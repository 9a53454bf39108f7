using System.Net.Sockets;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Platform;

namespace Cinnabar.Server.Host;

/// <summary>
/// The service manager that started this process, if the configuration says that there is one.
/// </summary>
internal sealed class Supervisor
{
    private readonly ServiceNotifier? _systemd;
    private readonly bool _isUpstart;
    private readonly ILog _log;

    private Supervisor(ServiceNotifier? systemd, bool isUpstart, ILog log)
    {
        _systemd = systemd;
        _isUpstart = isUpstart;
        _log = log;
    }

    /// <summary>Whether a supervisor watches this process; then it does not go to the background.</summary>
    internal bool IsPresent => _isUpstart || _systemd is not null;

    /// <summary>Finds the supervisor that <c>supervised</c> names.</summary>
    internal static Supervisor Find(ConfigurationRegistry registry, ILog log)
    {
        string kind = registry.TextOf("supervised");
        if (kind == "no")
            return new Supervisor(systemd: null, isUpstart: false, log);
        bool hasJob = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("UPSTART_JOB"));
        ServiceNotifier notifier = ServiceNotifier.FromEnvironment();
        if (kind == "upstart" && !hasJob)
            log.Write(LogLevel.Warning, "upstart supervision requested, but UPSTART_JOB not found!");
        if (kind == "systemd" && !notifier.IsSupervised)
            log.Write(LogLevel.Warning, "systemd supervision error: NOTIFY_SOCKET not found!");
        bool isUpstart = hasJob && kind is "upstart" or "auto" && !OperatingSystem.IsWindows();
        bool isSystemd = notifier.IsSupervised && kind is "systemd" or "auto" && !isUpstart;
        return new Supervisor(isSystemd ? notifier : null, isUpstart, log);
    }

    /// <summary>Says that data are being loaded.</summary>
    internal void ReportLoading() => Notify("STATUS=Cinnabar is loading...\n");

    /// <summary>Says that clients are served.</summary>
    internal void ReportReady()
    {
        Notify("STATUS=Ready to accept connections\nREADY=1\n");
        if (_isUpstart)
            StopSelf();
    }

    /// <summary>Says that the end has begun.</summary>
    internal void ReportStopping() => Notify("STATUS=User requested shutdown...\nSTOPPING=1\n");

    // "expect stop": upstart takes a process for ready when it has stopped itself, and continues it. A method
    // of its own, so that what starts processes is loaded only here.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void StopSelf()
    {
        string id = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        using Process stop = Process.Start("kill", ["-STOP", id]);
        stop.WaitForExit();
    }

    private void Notify(string state)
    {
        try
        {
            _systemd?.TryNotify(state);
        }
        catch (SocketException fault)
        {
            _log.Write(LogLevel.Warning, "systemd supervision error: " + fault.Message);
        }
    }
}
