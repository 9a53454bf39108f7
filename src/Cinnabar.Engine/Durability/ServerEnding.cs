// The end of the server on request of a client (SHUTDOWN) or of a signal. Where the server is to save,
// writers are held first, so that nothing that a client has been told is missing in the file; then it saves,
// and ends. A save that fails calls the end off, unless it is forced.
//
//   None ──Begin──► saving ──► ended
//                      └──► None: failed, or SHUTDOWN ABORT

using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Durability;

/// <summary>Saves for the last time. Thread-safe.</summary>
internal sealed class ServerEnding(IDataServer server, DataFiles data)
{
    private readonly IDataServer _server = server;
    private readonly DataFiles _data = data;
    private readonly RdbSaves _saves = data.Saves;
    private readonly Lock _lock = new();
    private bool _isUnderWay;

    /// <summary>Whether the server saves before it ends, where nobody says otherwise.</summary>
    public bool SavesByDefault => _saves.IsAutomatic;

    /// <summary>Whether the last snapshot is being saved: nothing may follow it in the stream, or replicas
    /// would be ahead of what the file says. Racy.</summary>
    public bool IsSaving => Volatile.Read(ref _isUnderWay);

    /// <summary>Whether an end that a signal asks for waits for no replica.</summary>
    public bool IsAtOnce(bool isInterrupt)
    {
        const long Now = 4;
        return (WordsOf(isInterrupt) & Now) != 0;
    }

    /// <summary>Saves before an end that a signal asks for, by <c>shutdown-on-sigint</c> or
    /// <c>shutdown-on-sigterm</c>.</summary>
    public void Prepare(bool isInterrupt, Action<bool> done)
    {
        const long Save = 1;
        const long NoSave = 2;
        const long Force = 8;
        long words = WordsOf(isInterrupt);
        bool isSaving = (words & Save) != 0 || ((words & NoSave) == 0 && SavesByDefault);
        bool isForced = (words & Force) != 0;
        if (!MayEnd(isForced))
            done(false);
        else if (!isSaving)
            done(true);
        else if (!TryBegin(isForced, done))
            done(false);
    }

    /// <summary>Whether the server may end without losing what only its memory has: while the first base of
    /// the append-only file is written, it may not. Gives up another rewrite.</summary>
    /// <param name="isForced">Whether it ends in any case.</param>
    public bool MayEnd(bool isForced)
    {
        if (_data.Rewrites.IsFirstUnderWay)
        {
            _server.Log.Write(LogLevel.Warning, isForced
                ? "Writing initial AOF. Exit anyway." : "Writing initial AOF, can't exit.");
            if (!isForced)
            {
                LogFailure();
                return false;
            }
        }

        if (_data.Rewrites.IsUnderWay)
        {
            _server.Log.Write(LogLevel.Warning, "There is a child rewriting the AOF. Killing it!");
            _data.Rewrites.Kill();
        }

        return true;
    }

    private long WordsOf(bool isInterrupt) =>
        _server.Configuration.NumberOf(isInterrupt ? "shutdown-on-sigint" : "shutdown-on-sigterm");

    private void LogFailure() => _server.Log.Write(LogLevel.Warning,
        "Errors trying to shut down the server. Check the logs for more information.");

    /// <summary>Saves, as the last thing that the server does.</summary>
    /// <param name="isForced">Whether the server ends even where that fails.</param>
    /// <param name="done">Called when it is over, on any thread: whether the server may end. While it does,
    /// writers stay held.</param>
    /// <returns>False where another end is under way; nothing is called then.</returns>
    public bool TryBegin(bool isForced, Action<bool> done)
    {
        // What is being loaded is in the file, and more.
        if (_server.Gates.Has(ServerGates.AnyLoading))
        {
            done(true);
            return true;
        }

        lock (_lock)
        {
            if (_isUnderWay)
                return false;
            _isUnderWay = true;
        }

        _server.WriteHold.Begin(WriteHoldReason.Shutdown);
        if (_saves.Current is not null)
        {
            _server.Log.Write(LogLevel.Warning, "There is a child saving an .rdb. Killing it!");
            _saves.Cancel();
        }

        _server.Log.Write(LogLevel.Notice, "Saving the final RDB snapshot before exiting.");
        _saves.Schedule(isSaved => End(isSaved, isForced, done));
        return true;
    }

    /// <summary>Calls the end off.</summary>
    /// <returns>False where none is under way.</returns>
    public bool TryAbort()
    {
        lock (_lock)
        {
            if (!_isUnderWay)
                return false;
            _isUnderWay = false;
        }

        _saves.Cancel();
        return true;
    }

    private void End(bool isSaved, bool isForced, Action<bool> done)
    {
        bool isAborted;
        lock (_lock)
        {
            isAborted = !_isUnderWay;
            _isUnderWay = false;
        }

        bool ends = !isAborted && (isSaved || isForced);
        if (!isSaved && !isAborted)
        {
            _server.Log.Write(LogLevel.Warning, isForced
                ? "Error trying to save the DB. Exit anyway."
                : "Error trying to save the DB, can't exit.");
        }

        if (!ends && !isAborted)
            LogFailure();
        if (!ends)
            _server.WriteHold.End(WriteHoldReason.Shutdown);
        done(ends);
    }
}
