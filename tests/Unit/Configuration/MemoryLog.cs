using System.Collections.Generic;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Tests.Unit.Configuration;

/// <summary>A log that keeps its lines.</summary>
internal sealed class MemoryLog : ILog
{
    public List<string> Lines { get; } = [];

    public bool IsEnabled(LogLevel level) => true;

    public void Write(LogLevel level, string message) => Lines.Add(message);
}
