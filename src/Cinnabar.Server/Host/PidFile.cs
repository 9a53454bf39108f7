using System.IO;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Platform;

namespace Cinnabar.Server.Host;

/// <summary>
/// The file with the process id. Failure to write it does not stop the server.
/// </summary>
internal sealed class PidFile
{
    private const string DefaultPath = "/var/run/redis.pid";

    private readonly string? _path;
    private readonly ILog _log;
    private bool _isWritten;

    /// <summary>
    /// Its path is the configured one; in the background there is a default.
    /// </summary>
    internal PidFile(ConfigurationRegistry registry, bool isBackground, ILog log)
    {
        _log = log;
        if (registry.TextOf("pidfile").Length == 0 && isBackground && !OperatingSystem.IsWindows())
            registry.Override("pidfile", DefaultPath);
        string path = ConfigurationText.ToPath(registry.TextOf("pidfile"));
        if (path.Length > 0)
            _path = Path.GetFullPath(path, ConfigurationText.ToPath(registry.TextOf("dir")));
    }

    /// <summary>
    /// Writes the file. Call it when the server listens: a server that finds its port taken must not
    /// overwrite the file of the server that has it.
    /// </summary>
    internal void Write()
    {
        Debug.Assert(!_isWritten, "the file is written once");
        if (_path is null)
            return;
        try
        {
            File.WriteAllText(_path, Environment.ProcessId.ToString(CultureInfo.InvariantCulture) + "\n");
            _isWritten = true;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _log.Write(LogLevel.Warning, "Failed to write PID file: " + SystemErrorText.Of(fault, _path));
        }
    }

    /// <summary>Removes the file if it was written.</summary>
    /// <param name="isLogged">Whether the log says so; the last line of a server that failed is why.</param>
    internal void Remove(bool isLogged)
    {
        if (_path is null || !_isWritten)
            return;
        if (isLogged)
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
