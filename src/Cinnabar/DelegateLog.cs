using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;

namespace Cinnabar;

/// <summary>A log that passes the lines that <c>loglevel</c> lets through to a delegate.</summary>
internal sealed class DelegateLog : ILog
{
    private readonly Action<string>? _write;
    private volatile LogLevel _threshold;

    /// <summary>Makes it; it follows the registry, also when CONFIG SET changes it.</summary>
    public DelegateLog(Action<string>? write, ConfigurationRegistry configuration)
    {
        _write = write;
        configuration.Subscribe("loglevel", Follow);
        Follow();

        string? Follow()
        {
            _threshold = (LogLevel)configuration.NumberOf("loglevel");
            return null;
        }
    }

    public bool IsEnabled(LogLevel level) => _write is not null && level >= _threshold;

    public void Write(LogLevel level, string message)
    {
        if (IsEnabled(level))
            _write!(message);
    }
}
