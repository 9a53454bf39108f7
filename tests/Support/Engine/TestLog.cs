using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Tests.Support.Engine;

/// <summary>A log that keeps its lines.</summary>
public sealed class TestLog : ILog
{
    private readonly ConcurrentQueue<string> _lines = new();

    /// <summary>What has been written.</summary>
    public IReadOnlyCollection<string> Lines => _lines;

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel level) => true;

    /// <summary>Called with each line, where it is written.</summary>
    public Action<string>? Written { get; set; }

    /// <inheritdoc/>
    public void Write(LogLevel level, string message)
    {
        _lines.Enqueue(message);
        Written?.Invoke(message);
    }
}
