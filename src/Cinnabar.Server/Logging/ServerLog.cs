using System.IO;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Server.Logging;

/// <summary>
/// The log of the process: to a file or standard output, and to the system's log, as the registry says at
/// each moment. Until the registry is known, warnings go to standard output.
/// </summary>
internal sealed class ServerLog(TextWriter standardOutput, Func<DateTimeOffset> localNow) : ILog
{
    private readonly Lock _lock = new();
    private readonly TextWriter _standardOutput = standardOutput;
    private readonly Func<DateTimeOffset> _localNow = localNow;
    private Action<LogLevel, string>? _systemLog;
    private string? _path;
    private LogLine _line = new(LogFormat.Legacy, LogTimestampFormat.Legacy, Environment.ProcessId,
        LogRole.Child);
    private volatile LogLevel _threshold = LogLevel.Notice;

    /// <summary>Follows the registry, also when CONFIG SET changes it.</summary>
    /// <param name="registry">Where the log's directives stand.</param>
    /// <param name="systemLog">Gets each line too; null: there is none.</param>
    internal void Attach(ConfigurationRegistry registry, Action<LogLevel, string>? systemLog)
    {
        string path = ConfigurationText.ToPath(registry.TextOf("logfile"));
        string directory = ConfigurationText.ToPath(registry.TextOf("dir"));
        lock (_lock)
        {
            _path = path.Length == 0 ? null : Path.GetFullPath(path, directory);
            _systemLog = systemLog;
        }
        foreach (string name in (string[])["loglevel", "log-format", "log-timestamp-format"])
            registry.Subscribe(name, Follow);
        Follow();

        string? Follow()
        {
            LogFormat format = (LogFormat)registry.NumberOf("log-format");
            LogTimestampFormat timestamp = (LogTimestampFormat)registry.NumberOf("log-timestamp-format");
            lock (_lock)
                _line = _line with { Format = format, TimestampFormat = timestamp };
            _threshold = (LogLevel)registry.NumberOf("loglevel");
            return null;
        }
    }

    /// <summary>The file; null: standard output.</summary>
    internal string? FilePath
    {
        get
        {
            lock (_lock)
                return _path;
        }
    }

    /// <summary>Sets the role that later lines show.</summary>
    internal void SetRole(LogRole role)
    {
        lock (_lock)
            _line = _line with { Role = role };
    }

    /// <summary>Called when the server has become a replica, or a master again.</summary>
    internal Action<bool>? RoleNoted { get; set; }

    public void NoteRole(bool isReplica)
    {
        SetRole(isReplica ? LogRole.Replica : LogRole.Master);
        RoleNoted?.Invoke(isReplica);
    }

    public bool IsEnabled(LogLevel level) => level >= _threshold;

    public void Write(LogLevel level, string message)
    {
        if (!IsEnabled(level))
            return;
        lock (_lock)
        {
            Put(_line.Build(_localNow(), level, message));
            _systemLog?.Invoke(level, message);
        }
    }

    /// <summary>Writes a text as it is, without a line's prefix.</summary>
    internal void WriteRaw(LogLevel level, string text)
    {
        if (!IsEnabled(level))
            return;
        lock (_lock)
            Put(text);
    }

    /// <summary>
    /// Logs the arrival of a signal, in the form of Redis's signal handler.
    /// </summary>
    internal void WriteSignal(string message)
    {
        if (!IsEnabled(LogLevel.Warning))
            return;
        lock (_lock)
        {
            DateTimeOffset now = _localNow();
            Put(_line.Format == LogFormat.Legacy
                ? $"{Environment.ProcessId}:signal-handler ({now.ToUnixTimeSeconds()}) {message}"
                : _line.Build(now, LogLevel.Warning, message));
        }
    }

    private void Put(string line)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "lines are written one by one");
        try
        {
            if (_path is null)
            {
                _standardOutput.Write(line + "\n");
                _standardOutput.Flush();
                return;
            }
            using FileStream file = LogFile.Open(_path);
            file.Write(Encoding.UTF8.GetBytes(line + "\n"));
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // A full disk or a closed pipe must not stop the server, and there is no place left to report it.
        }
    }
}
