// The saves of the RDB file: on command, by save points, at the end of the server. All are snapshots that a
// saver's thread writes while the loops go on; a client that waits (SAVE) is suspended, and no other is.
//
//   None ──Begin──► running ──► saved: the time, the changes and the status are noted
//                      ├──────► failed: writes are refused where stop-writes-on-bgsave-error says so, and
//                      │        save points try again after five seconds
//                      └──────► cancelled: nothing is noted
//
// Work that the server does of its own accord takes its moment in the cron, which tries to have all stripes
// and gives up where a slow command keeps one: the next run tries again. BGSAVE and SAVE have all stripes by
// their specs.

using System.IO;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Durability;

/// <summary>Saves the data set to the RDB file. Thread-safe.</summary>
internal sealed class RdbSaves
{
    private const long UsPerS = 1_000_000;
    private const long RetryNs = 5_000_000_000;

    private readonly IDataServer _server;
    private readonly DataFiles _data;
    private readonly Snapshots _snapshots;
    private readonly RdbFileSettings _settings;
    private readonly SaveTimes _times;
    private readonly Lock _lock = new();
    private readonly List<Action<bool>> _waiting = [];
    private List<Action<bool>> _served = [];
    private SaveStatus _status;
    private SaveKind _kind;
    private RdbFilePlace? _place;
    private long _momentChangeCount;
    private long _lastTryNs;
    private long _fileCount;
    private bool _isScheduled;
    private bool _isFailed;

    /// <param name="server">The server.</param>
    /// <param name="data">Its files; of what it has these come last.</param>
    public RdbSaves(IDataServer server, DataFiles data)
    {
        (_server, _data, _snapshots) = (server, data, data.Snapshots);
        _settings = data.RdbFiles;
        _status = new SaveStatus(NowS, IsLastSaved: true, LastDurationS: -1, 0, 0, 0);
        Points = new SavePoints(server.Configuration, FollowFailure);
        _times = new SaveTimes(server, FollowFailure);
        server.Configuration.Subscribe("stop-writes-on-bgsave-error", () =>
        {
            FollowFailure();
            return null;
        });
    }

    /// <summary>When the server saves by itself.</summary>
    public SavePoints Points { get; }

    /// <summary>Whether the server saves by itself: at save points, or where <c>save-cron</c> says
    /// so.</summary>
    public bool IsAutomatic => Points.IsSet || _times.IsSet;

    /// <summary>The save that is under way; null: none.</summary>
    public SnapshotJob? Current => _snapshots.Current is { Kind: SnapshotKind.Rdb } job ? job : null;

    /// <summary>The snapshot for replicas, without a file, that is under way; null: none.</summary>
    public SnapshotJob? CurrentForReplicas =>
        _snapshots.Current is { Kind: SnapshotKind.Replicas } job ? job : null;

    /// <summary>Where the save that has begun last puts its file.</summary>
    public string CurrentPath => _place?.Path ?? "";

    /// <summary>How many have begun, whatever they were for: a file that is older than the last one may have
    /// been replaced.</summary>
    public long FileCount => Interlocked.Read(ref _fileCount);

    /// <summary>Whether one will begin as soon as it can.</summary>
    public bool IsScheduled
    {
        get
        {
            lock (_lock)
                return _isScheduled;
        }
    }

    /// <summary>What is known of those that have ended.</summary>
    public SaveStatus Status
    {
        get
        {
            lock (_lock)
                return _status;
        }
    }

    private long NowS => _server.Clock.UnixMicroseconds / UsPerS;

    /// <summary>Begins to save. The caller holds all stripes; no snapshot is under way.</summary>
    /// <param name="kind">Who waits for it.</param>
    /// <param name="done">Called when it has ended, on any thread: whether it has succeeded.</param>
    /// <param name="changeCount">Changes that the snapshot has and that are not counted yet.</param>
    /// <param name="level">The oldest Redis that is to read the file; null: the configured one.</param>
    public void Begin(SaveKind kind, Action<bool>? done = null, long changeCount = 0,
        RdbCompatibility? level = null)
    {
        lock (_lock)
        {
            _served = [.. _waiting];
            _waiting.Clear();
            if (done is not null)
                _served.Add(done);
            _isScheduled = false;
            _kind = kind;
            _lastTryNs = _server.Clock.MonotonicNanoseconds;
            _momentChangeCount = _server.ChangeCount + changeCount;
        }

        RdbFilePlace place = NextPlace();
        _place = place;
        if (kind == SaveKind.Background)
        {
            Count();
            Log(LogLevel.Notice, $"Background saving started by pid {Environment.ProcessId}");
        }

        _snapshots.Begin(SnapshotKind.Rdb, cancellation => new RdbFileSnapshot(
            new PlacedFile(_data.Files, place), _settings.Options(cancellation, level: level),
            _settings.Notes())
        {
            Functions = _server.Libraries.Current.Stored,
        }, Settle);
    }

    /// <summary>Counts a save. As in Redis, one that is a part of another command, or of the server's end, is
    /// not counted.</summary>
    public void Count()
    {
        lock (_lock)
            _status = _status with { SaveCount = _status.SaveCount + 1 };
    }

    /// <summary>Saves here and now, beside whatever snapshot is under way. The caller holds all
    /// stripes.</summary>
    /// <param name="access">The view of the execution.</param>
    /// <returns>The file; null: it failed, and the log says why.</returns>
    public string? TrySaveHeld(KeyspaceAccess access)
    {
        long changeCount = _server.ChangeCount + access.ChangeCount;
        RdbFilePlace place = HeldSave.Place(NextPlace());
        try
        {
            new HeldSave(_server, _data).Save(access, place);
        }
        catch (Exception fault) when (
            fault is IOException or UnauthorizedAccessException or RdbInexpressibleException)
        {
            Log(LogLevel.Warning, RdbFileSettings.FailureText(fault, place));
            return null;
        }

        Log(LogLevel.Notice, "DB saved on disk");
        DeleteOld(place);
        lock (_lock)
            NoteSaved(changeCount);
        FollowFailure();
        return place.Path;
    }

    /// <summary>Has a save begin as soon as it can.</summary>
    /// <param name="done">Called when it has ended, on any thread: whether it has succeeded.</param>
    public void Schedule(Action<bool>? done = null)
    {
        lock (_lock)
        {
            _isScheduled = true;
            if (done is not null)
                _waiting.Add(done);
        }
    }

    /// <summary>Gives up the save that is under way, and a scheduled one.</summary>
    public void Cancel()
    {
        Action<bool>[] waiting;
        lock (_lock)
        {
            _isScheduled = false;
            waiting = [.. _waiting];
            _waiting.Clear();
        }

        Current?.Cancel();
        foreach (Action<bool> done in waiting)
            done(false);
    }

    /// <summary>All keys are gone, under all stripes: what is being saved is given up, and where the server
    /// saves by itself the file becomes empty.</summary>
    /// <param name="access">The view of the execution that has removed them.</param>
    /// <param name="done">Called when the file is written, on any thread.</param>
    /// <returns>Whether a file is being written; else it is written, or none is wanted.</returns>
    public bool TrySaveFlushed(KeyspaceAccess access, Action<bool>? done)
    {
        Cancel();
        if (!IsAutomatic)
            return false;
        if (!_snapshots.IsBusy)
        {
            Begin(SaveKind.Awaited, done, access.ChangeCount);
            return true;
        }

        // A save that was given up may still be about to put its file in place.
        if (Current is not null)
        {
            Schedule(done);
            return true;
        }

        // A rewrite may go on for long, and an empty file is written at once.
        TrySaveHeld(access);
        return false;
    }

    /// <summary>Begins what is due; on the first loop, some times a second.</summary>
    public void RunCron()
    {
        if (_times.TryTake())
            Schedule();
        bool isScheduled = IsScheduled;
        if (_snapshots.IsBusy || _server.Gates.Has(ServerGates.AnyLoading))
            return;
        if (isScheduled)
        {
            TryBegin(() => Begin(HasWaiting ? SaveKind.Awaited : SaveKind.Background));
            return;
        }

        SaveStatus status = Status;
        long nowS = NowS;
        long changeCount = _server.ChangeCount - status.SavedChangeCount;
        // Behind a clock that was set back nobody knows how long ago it was.
        long ageS = nowS >= status.LastSaveS ? nowS - status.LastSaveS : long.MaxValue;
        if (!Points.TryFindDue(ageS, changeCount, out (long Seconds, long Changes) point)
            || (!status.IsLastSaved && _server.Clock.MonotonicNanoseconds - _lastTryNs < RetryNs))
            return;
        TryBegin(() =>
        {
            Log(LogLevel.Notice, $"{point.Changes} changes in {point.Seconds} seconds. Saving...");
            Begin(SaveKind.Background);
        });
    }

    private RdbFilePlace NextPlace()
    {
        Interlocked.Increment(ref _fileCount);
        RdbFilePlace place = _settings.PlaceIn(_data.Files, _data.Directory);
        return place with { Refusal = _data.Loading.RefusalToReplace(place.Path) };
    }

    private bool HasWaiting
    {
        get
        {
            lock (_lock)
                return _waiting.Count > 0;
        }
    }

    // On the saver's thread.
    private void Settle(SnapshotJob job)
    {
        LogOutcome(job);
        bool isSaved = job.IsSaved;
        if (isSaved)
            DeleteOld(_place!);
        List<Action<bool>> waiting;
        lock (_lock)
        {
            // As in Redis, what a client waited for and was told says nothing of those in the background.
            if (_kind == SaveKind.Background)
            {
                _status = StatusAfter(job) with
                {
                    IsLastSaved = job.IsCancelled ? _status.IsLastSaved : isSaved,
                };
            }

            if (isSaved)
                NoteSaved(_momentChangeCount);
            waiting = _served;
            _served = [];
        }

        FollowFailure();
        foreach (Action<bool> done in waiting)
            job.WhenComplete(() => done(isSaved));
    }

    // A load may have begun before the stripes were had.
    private void TryBegin(Action begin) => _snapshots.TryBegin(() =>
    {
        if (!_server.Gates.Has(ServerGates.AnyLoading))
            begin();
    });

    private void DeleteOld(RdbFilePlace place) =>
        _settings.DeleteOld(_data.Files, place.Directory, _data.Loading.IncompleteFile, Log);

    private void NoteSaved(long changeCount) => _status = _status with
    {
        IsLastSaved = true,
        LastSaveS = NowS,
        SavedChangeCount = changeCount,
    };

    /// <summary>A snapshot for replicas, without a file, has ended: as in Redis, its time and its pre-images
    /// are those of a save in the background.</summary>
    public void NoteTransfer(SnapshotJob job)
    {
        Debug.Assert(job.Kind == SnapshotKind.Replicas, "it is no save");
        lock (_lock)
            _status = StatusAfter(job);
    }

    // As in Redis, one that was given up has its time only.
    private SaveStatus StatusAfter(SnapshotJob job) => _status with
    {
        LastDurationS = job.AgeS(_server.Clock),
        LastPreImageBytes = job.IsCancelled ? _status.LastPreImageBytes : job.Snapshot.PreImageBytes,
    };

    private void LogOutcome(SnapshotJob job)
    {
        bool isBackground = _kind == SaveKind.Background;
        if (job.IsSaved)
        {
            Log(LogLevel.Notice, "DB saved on disk");
            if (!isBackground)
                return;
            Log(LogLevel.Notice, $"Pre-images for RDB: {job.Snapshot.PreImageBytes >> 20} MB");
            Log(LogLevel.Notice, "Background saving terminated with success");
        }
        else if (job.Fault is { } fault)
        {
            Log(LogLevel.Warning, RdbFileSettings.FailureText(fault, _place!));
            if (isBackground)
                Log(LogLevel.Warning, "Background saving error");
        }
        else
        {
            Log(LogLevel.Notice, "Background saving cancelled");
        }
    }

    // As in Redis, writes are refused only where the server is to save by itself, and is no replica.
    private void FollowFailure()
    {
        bool isFailed = IsAutomatic && !Status.IsLastSaved && !_server.Keyspace.IsReplica
            && _server.Configuration.NumberOf("stop-writes-on-bgsave-error") != 0;
        lock (_lock)
        {
            if (_isFailed == isFailed)
                return;
            _isFailed = isFailed;
            _data.DiskErrors.SetSnapshot(isFailed);
        }
    }

    private void Log(LogLevel level, string message) => _server.Log.Write(level, message);
}
