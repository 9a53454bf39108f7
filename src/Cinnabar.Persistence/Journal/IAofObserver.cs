namespace Cinnabar.Persistence.Journal;

/// <summary>What the append-only file reports to its server. Any thread calls it; no lock of the append-only
/// file is held, unless said otherwise.</summary>
public interface IAofObserver
{
    /// <summary>Whether a snapshot or a rewrite uses the disk.</summary>
    bool IsSaving { get; }

    /// <summary>Writes a line of the log; the file's lock may be held.</summary>
    void Log(bool isWarning, string message);

    /// <summary>Something has taken time; the file's lock may be held.</summary>
    void NoteWait(AofWait wait, long microseconds);

    /// <summary>The state of the last write or flush has changed; the file's lock may be held.</summary>
    /// <param name="error">The system's text for what failed; null: nothing does.</param>
    void NoteStatus(string? error);

    /// <summary>More waits to be written than may, or that has ended.</summary>
    void NoteBacklog(bool isFull);

    /// <summary>The server cannot go on: nothing is acknowledged any more, and the process ends. The file's
    /// lock may be held.</summary>
    void Fail(string message);
}
