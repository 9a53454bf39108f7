using System.Collections.Concurrent;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Tests.Simulation;

/// <summary>A log that keeps the faults.</summary>
internal sealed class SilentLog : ILog
{
    /// <summary>Internal faults of the server.</summary>
    public ConcurrentQueue<string> Faults { get; } = new();

    public bool IsEnabled(LogLevel level) => level == LogLevel.Warning;

    public void Write(LogLevel level, string message)
    {
        if (message.Contains("Internal fault", System.StringComparison.Ordinal))
            Faults.Enqueue(message);
    }
}
