namespace Cinnabar.Engine.Logging;

/// <summary>The log of a server. Any thread may call it.</summary>
public interface ILog
{
    /// <summary>
    /// Whether a line of this level would be written: ask before building a costly message.
    /// </summary>
    bool IsEnabled(LogLevel level);

    /// <summary>Writes one line. It never throws when writing fails.</summary>
    void Write(LogLevel level, string message);

    /// <summary>The server has become a replica, or a master: lines may say so.</summary>
    void NoteRole(bool isReplica)
    {
        // Most logs do not show it.
    }
}
