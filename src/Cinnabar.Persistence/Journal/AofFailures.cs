// What has failed of the append-only file and is not mended yet.
//
//   write failed    tried again once a second; mended by the first that succeeds
//   flush failed    what the disk has of the file is not known, whatever later flushes say: systems may take
//                   for written what they could not write. So nothing of the file counts as durable any more,
//                   and commands that write are refused, until a rewrite has replaced it
//
// With "always" either is the end of the server. The next process may still see what was not written, and
// cannot know that: after a failed flush a machine should be looked at before the server is started again.

using Cinnabar.Platform;

namespace Cinnabar.Persistence.Journal;

/// <summary>Notes the failures of a file. Guarded by its owner.</summary>
/// <param name="clock">The source of time.</param>
/// <param name="observer">The server.</param>
internal sealed class AofFailures(Clock clock, IAofObserver observer)
{
    private const long RetryNs = 1_000_000_000;

    private readonly Clock _clock = clock;
    private readonly IAofObserver _observer = observer;
    private StoredFile? _doubted;
    private long _retryNs;

    /// <summary>The system's text for the write that failed; null: none has.</summary>
    public string? WriteError { get; private set; }

    /// <summary>The system's text for the flush that failed; null: none has.</summary>
    public string? FlushError { get; private set; }

    /// <summary>Whether the server is about to end: the file is used no more.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>The system's text for what fails; null: nothing does.</summary>
    public string? Error => WriteError ?? FlushError;

    /// <summary>Whether a write that failed is to be tried again.</summary>
    public bool IsRetryDue => WriteError is not null && !HasEnded && _clock.MonotonicNanoseconds >= _retryNs;

    /// <summary>Another file begins.</summary>
    public void Clear()
    {
        (WriteError, FlushError, _doubted) = (null, null, null);
        _observer.NoteStatus(null);
    }

    /// <summary>A write has failed.</summary>
    public void NoteWrite(string error, AofFsync policy)
    {
        WriteError = error;
        _retryNs = _clock.MonotonicNanoseconds + RetryNs;
        if (policy == AofFsync.Always)
            End("Can't recover from AOF write error when the AOF fsync policy is 'always'. Exiting...");
        _observer.NoteStatus(Error);
    }

    /// <summary>The write is tried again.</summary>
    public void ForgetWrite() => WriteError = null;

    /// <summary>The write is to be tried again at once: the disk has got space, or another file.</summary>
    public void RetryNow() => _retryNs = _clock.MonotonicNanoseconds;

    /// <summary>The write that failed has been made, or is to be made no more.</summary>
    public void NoteWriteMended()
    {
        Debug.Assert(WriteError is null, "it has been tried again");
        _observer.Log(isWarning: true, "AOF write error looks solved. The server can write again.");
        _observer.NoteStatus(Error);
    }

    /// <summary>A flush has failed.</summary>
    public void NoteFlush(StoredFile file, string error, AofFsync policy)
    {
        (FlushError, _doubted) = (error, file);
        if (policy == AofFsync.Always)
            End("Can't persist AOF for fsync error when the AOF fsync policy is 'always': "
                + $"{error}. Exiting...");
        else
            _observer.Log(isWarning: true, $"Fail to fsync the AOF file: {error}");
        _observer.NoteStatus(Error);
    }

    /// <summary>A rewrite has replaced all files but the present one.</summary>
    public void NoteRewritten(StoredFile? present)
    {
        if (FlushError is null || _doubted == present)
            return;
        (FlushError, _doubted) = (null, null);
        _observer.NoteStatus(Error);
    }

    private void End(string message)
    {
        HasEnded = true;
        _observer.Fail(message);
    }
}
