using System;
using Cinnabar.Engine.Logging;

namespace Cinnabar;

/// <summary>A log whose lines go to a delegate.</summary>
internal sealed class DelegateLog : ILog
{
    private readonly Action<string>? _write;

    /// <summary>Makes it.</summary>
    public DelegateLog(Action<string>? write) => _write = write;

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel level) => _write is not null;

    /// <inheritdoc/>
    public void Write(LogLevel level, string message) => _write?.Invoke(message);
}
