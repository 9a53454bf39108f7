using System;
using System.Globalization;
using System.IO;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Server;

/// <summary>
/// The file that holds the number of the process. Writing it is a courtesy: failure stops nothing.
/// </summary>
internal sealed class PidFile
{
    private const string DefaultPath = "/var/run/redis.pid";

    private readonly string? _path;
    private readonly ILog _log;

    private PidFile(string? path, ILog log)
    {
        _path = path;
        _log = log;
    }

    /// <summary>
    /// Writes the file where the configuration says; in the background also where it says nothing.
    /// </summary>
    internal static PidFile Create(ConfigurationRegistry registry, bool isBackground, ILog log)
    {
        if (registry.TextOf("pidfile").Length == 0 && isBackground && !OperatingSystem.IsWindows())
            registry.Override("pidfile", DefaultPath);
        string path = ConfigurationText.ToPath(registry.TextOf("pidfile"));
        if (path.Length == 0)
            return new PidFile(null, log);
        path = Path.GetFullPath(path, ConfigurationText.ToPath(registry.TextOf("dir")));
        try
        {
            File.WriteAllText(path, Environment.ProcessId.ToString(CultureInfo.InvariantCulture) + "\n");
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            log.Write(LogLevel.Notice, "Failed to write PID file: " + SystemErrorText.Of(fault, path));
            return new PidFile(null, log);
        }
        return new PidFile(path, log);
    }

    /// <summary>Takes the file away.</summary>
    internal void Remove()
    {
        if (_path is null)
            return;
        _log.Write(LogLevel.Notice, "Removing the pid file.");
        try
        {
            File.Delete(_path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _log.Write(LogLevel.Warning, "Failed to remove PID file: " + SystemErrorText.Of(fault, _path));
        }
    }
}
