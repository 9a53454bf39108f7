namespace Cinnabar.Persistence.Journal.Loading;

/// <summary>The server that an append-only file is loaded into.</summary>
public interface IAofLoadTarget
{
    /// <summary>Executes commands.</summary>
    ICommandReplay Replay { get; }

    /// <summary>Loads a snapshot.</summary>
    /// <param name="file">The file, which begins with it.</param>
    /// <param name="name">The name of the file.</param>
    /// <returns>The offset behind the snapshot; null: it cannot be loaded, and the log says why.</returns>
    long? LoadSnapshot(StoredFile file, string name);

    /// <summary>Writes a line of the log.</summary>
    void Log(bool isWarning, string message);

    /// <summary>Waits as <c>key-load-delay</c> says, after each command; the end of the server ends
    /// it.</summary>
    /// <returns>Whether it is to wait.</returns>
    bool Wait();

    /// <summary>Says how far the load is; ends it with an exception where the server stops.</summary>
    /// <param name="doneBytes">Bytes of all files that have been loaded.</param>
    /// <param name="totalBytes">Bytes of all files.</param>
    void Progress(long doneBytes, long totalBytes);
}
