namespace Cinnabar.Engine.Logging;

/// <summary>Where a server instance says what happens to it. Any thread may call it.</summary>
public interface ILog
{
    /// <summary>
    /// Whether a line of this level would be written: ask before building a costly message.
    /// </summary>
    bool IsEnabled(LogLevel level);

    /// <summary>Writes one line. Failures to write are the log's own: a caller never sees them.</summary>
    void Write(LogLevel level, string message);
}
