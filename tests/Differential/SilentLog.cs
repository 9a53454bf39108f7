using Cinnabar.Engine.Logging;

namespace Cinnabar.Tests.Differential;

/// <summary>A log for servers of tests that nobody reads.</summary>
internal sealed class SilentLog : ILog
{
    public bool IsEnabled(LogLevel level) => false;

    public void Write(LogLevel level, string message)
    {
    }
}
