// Rewrites of the append-only file: a snapshot becomes the base, and the commands behind its moment are the
// only increment. As with RDB files, a saver's thread writes while the loops go on.
//
//   None ──Begin──► moment ──► base written ─┐
//                     └──────► switched ─────┴─► adopted: manifest, history deleted
//
// The moment is taken under all stripes: the snapshot and the record at which the stream goes on in the next
// increment (JournalRing.AppendSwitch) are of one instant. The base is adopted when it is written and the
// switch is done, whichever comes last; where either fails, the rewrite fails and the manifest keeps all
// increments.
//
// On a full disk the increment before the moment may never be complete, so that the switch is stuck. Then the
// base ends the rewrite alone: base and next increment replace all other files in one step, and what could
// not be written is dropped. This gives the disk its space back.
//
// Switching on (CONFIG SET appendonly yes) is a rewrite whose first increment has a temporary name until its
// base is there. One that fails is begun again, with a new moment.

using System.IO;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>Rewrites the append-only file. Thread-safe.</summary>
internal sealed class JournalRewrites
{
    private const long UsPerS = 1_000_000;

    private readonly IDataServer _server;
    private readonly DataFiles _data;
    private readonly AppendOnlyBase _base;
    private readonly RewriteLimit _limit;
    private readonly Lock _lock = new();
    private readonly RewriteProgress _progress = new();
    private RewriteStatus _status = new(IsLastRewritten: true, LastDurationS: -1, 0, 0, 0);
    private SnapshotJob? _job;
    private RewriteFiles? _rewrite;
    private bool _isFirst;
    private bool _isScheduled;
    private bool _isHeld;
    private long _retryUs;
    private volatile bool _isHistoryKept;
    private volatile bool _isSuspended;

    /// <param name="server">The server.</param>
    /// <param name="data">Its files; of what it has these come last.</param>
    public JournalRewrites(IDataServer server, DataFiles data)
    {
        (_server, _data) = (server, data);
        _base = new AppendOnlyBase(server, data);
        _limit = new RewriteLimit(server);
        data.Journal.SwitchTried = NoteSwitch;
        data.Journal.SwitchStuck = EndWithoutSwitch;
        // The registry is read before the lock is taken, and never under it: CONFIG SET holds the registry.
        server.Configuration.Follow("aof-disable-auto-gc",
            () => KeepHistory(server.Configuration.NumberOf("aof-disable-auto-gc") != 0));
    }

    /// <summary>Whether one is under way.</summary>
    public bool IsUnderWay
    {
        get
        {
            lock (_lock)
                return _progress.IsUnderWay;
        }
    }

    /// <summary>How long the one that is under way has taken so far, in seconds; −1: none is.</summary>
    public long AgeS
    {
        get
        {
            lock (_lock)
                return _job?.AgeS(_server.Clock) ?? -1;
        }
    }

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
    public RewriteStatus Status
    {
        get
        {
            lock (_lock)
                return _status;
        }
    }

    private bool IsOn => _data.Journal.IsOn;

    private long MonotonicUs => _server.Clock.MonotonicNanoseconds / 1000;

    /// <summary>Begins to rewrite. The caller holds all stripes, has committed what it changed, and no
    /// snapshot is under way.</summary>
    /// <returns>False where the next increment cannot be made; the log says why.</returns>
    public bool TryBegin()
    {
        RdbFilePlace place;
        bool isSnapshot = _base.IsSnapshot;
        lock (_lock)
        {
            Debug.Assert(!_progress.IsUnderWay && !_data.Snapshots.IsBusy, "one rewrite at a time");
            Debug.Assert(!IsSwitchingOff, "the increment behind the moment would end with the file");
            _isScheduled = false;
            _isFirst = IsOn ? _isFirst : _data.AppendOnly.IsWanted;
            try
            {
                AofFiles files = _isFirst || !IsOn ? _data.AppendOnly.MakeFiles() : _data.Journal.Files!;
                files.Directory.Make();
                place = PlaceIn(files.Directory.DataDirectory);
                _rewrite = new RewriteFiles(_server.Log, _data, files, place, isSnapshot);
                Prepare(files);
            }
            catch (Exception fault) when (
                fault is IOException or UnauthorizedAccessException or AofManifestException)
            {
                Log(LogLevel.Warning, fault.Message);
                // As in Redis, one that did not begin is not counted.
                NoteFailure(_status.FailureCount);
                return false;
            }

            Log(LogLevel.Notice,
                $"Background append only file rewriting started by pid {Environment.ProcessId}");
            _job = _data.Snapshots.Begin(SnapshotKind.JournalBase,
                cancellation => _base.Make(place, isSnapshot, cancellation), Settle);
            _progress.Begin(hasSwitch: IsOn && !_isFirst);
            _status = _status with { RewriteCount = _status.RewriteCount + 1 };
            if (_progress.IsSwitchAwaited)
                _data.Journal.Ring!.AppendSwitch();
        }

        return true;
    }

    /// <summary>Whether the append-only file is to end, and goes on for want of all stripes. None may begin
    /// now.</summary>
    public bool IsSwitchingOff => IsOn && !_data.AppendOnly.IsWanted;

    /// <summary>Whether what is recorded has no base yet: the first rewrite is under way, or is to be tried
    /// again.</summary>
    public bool LacksBase
    {
        get
        {
            lock (_lock)
                return IsOn && _isFirst;
        }
    }

    /// <summary>Has one begin as soon as it can.</summary>
    public void Schedule()
    {
        lock (_lock)
            _isScheduled = true;
    }

    /// <summary>While a load reads the files, none of them is replaced or deleted: a rewrite that is complete
    /// ends when the load has ended.</summary>
    public void Hold(bool isHeld)
    {
        lock (_lock)
        {
            Debug.Assert(_isHeld != isHeld, "one load at a time");
            _isHeld = isHeld;
            EndIfComplete();
        }
    }

    /// <summary>Whether one is under way without which there is no append-only file yet.</summary>
    public bool IsFirstUnderWay
    {
        get
        {
            lock (_lock)
                return _progress.IsUnderWay && _isFirst;
        }
    }

    /// <summary>Gives up the one that is under way. In Redis's words: its rewrite is a process.</summary>
    public void Kill()
    {
        lock (_lock)
        {
            _isScheduled = false;
            if (!_progress.IsUnderWay || _progress.IsKilled)
                return;
            _progress.Kill();
            Log(LogLevel.Notice, $"Killing running AOF rewrite child: {Environment.ProcessId}");
            _job!.Cancel();
        }
    }

    /// <summary>Before a master's data replace the server's own: the files keep what they have, until the
    /// first rewrite after <see cref="Resume"/> replaces them as a whole. The caller holds all
    /// stripes.</summary>
    public void Suspend()
    {
        _isSuspended = true;
        Kill();
        if (IsOn)
            SwitchOff();
    }

    /// <summary>The server's data are whole again.</summary>
    public void Resume() => _isSuspended = false;

    /// <summary>Begins what is due, or switches off; on the first loop, some times a second.</summary>
    public void RunCron()
    {
        // The files of a server that starts are opened when they are loaded.
        if (!_data.Loading.IsActive && !_isSuspended && IsSwitchingOff)
        {
            Kill();
            AllStripes.TryRun(_server.Keyspace, SwitchOff);
            return;
        }

        if (_data.Snapshots.IsBusy || !MayBegin)
            return;
        bool isSwitchingOn = _data.AppendOnly.IsWanted && (!IsOn || _isFirst) && MonotonicUs >= _retryUs;
        if (!IsScheduled && !isSwitchingOn && !IsDoubtful() && !IsDue())
            return;
        _data.Snapshots.TryBegin(() =>
        {
            if (MayBegin)
                TryBegin();
        });
    }

    private bool MayBegin => !_data.Loading.IsActive && !_isSuspended && !IsUnderWay && !IsSwitchingOff;

    private void SwitchOff()
    {
        AofFiles files = _data.Journal.Files!;
        _data.AppendOnly.Close();
        files.DropFirst();
    }

    private void KeepHistory(bool isKept)
    {
        _isHistoryKept = isKept;
        if (!isKept && IsOn)
            _data.Journal.Files!.DeleteHistory();
    }

    // Beside the other files, wherever dir is now: a file cannot be renamed into another file system.
    private RdbFilePlace PlaceIn(string directory)
    {
        int id = Environment.ProcessId;
        return new RdbFilePlace(directory, $"temp-rewriteaof-{id}.aof", $"temp-rewriteaof-bg-{id}.aof")
        {
            Refusal = _data.Loading.RefusalToReplaceAny,
        };
    }

    // The increment that the commands behind the moment go to.
    private void Prepare(AofFiles files)
    {
        if (!_isFirst)
        {
            if (IsOn)
                files.PrepareIncrement();
            return;
        }

        if (IsOn)
            _data.AppendOnly.Close();
        _data.Journal.Begin(files, files.PrepareFirst(), _server.HasThreads);
    }

    // After a failed flush nothing but new files is known to be on the disk.
    private bool IsDoubtful()
    {
        bool isDue = _data.Journal.Writer is { IsDoubtful: true } && MonotonicUs >= _retryUs;
        if (!isDue || _limit.Holds(Status.FailureCount))
            return false;
        Log(LogLevel.Notice, "Starting automatic rewriting of AOF after a failed fsync");
        return true;
    }

    // Growth since the last rewrite.
    private bool IsDue()
    {
        long percentage = _server.Configuration.NumberOf("auto-aof-rewrite-percentage");
        long bytes = _data.AppendOnly.CurrentBytes;
        if (!IsOn || percentage == 0 || bytes <= _server.Configuration.NumberOf("auto-aof-rewrite-min-size"))
            return false;
        long baseBytes = Math.Max(1, _data.AppendOnly.BaseBytes);
        long growth = (long)((Int128)bytes * 100 / baseBytes) - 100;
        if (growth < percentage || MonotonicUs < _retryUs || _limit.Holds(Status.FailureCount))
            return false;
        Log(LogLevel.Notice, $"Starting automatic rewriting of AOF on {growth}% growth");
        return true;
    }

    private void NoteSwitch(bool isDone)
    {
        lock (_lock)
        {
            if (!_progress.IsSwitchAwaited)
                return;
            _progress.EndSwitch(isDone);
            EndIfComplete();
        }
    }

    // On the thread of the file, which asks again while the base is being written.
    private void EndWithoutSwitch()
    {
        lock (_lock)
        {
            if (_progress.IsBaseAwaited || _isHeld)
                return;
            // It is skipped: the base and the next increment replace all that is before it.
            _progress.EndSwitch(isDone: true);
            AofWriter writer = _data.Journal.Writer!;
            End(writer);
            if (writer.IsSwitchStuck)
                writer.GiveUpSwitch();
        }
    }

    // On the saver's thread.
    private void Settle(SnapshotJob job)
    {
        lock (_lock)
        {
            Debug.Assert(job == _job, "the job is that of the rewrite");
            _progress.EndBase(job.IsSaved);
            RdbFilePlace place = _rewrite!.Place;
            if (job.IsSaved)
                Log(LogLevel.Notice, $"Successfully created the temporary AOF base file {place.Name}");
            else if (job.Fault is { } fault)
                Log(LogLevel.Warning, AppendOnlyBase.FailureText(fault, place));
            _status = _status with { LastPreImageBytes = job.Snapshot.PreImageBytes };
            EndIfComplete();
        }
    }

    private void EndIfComplete()
    {
        if (_progress.Phase == RewritePhase.Complete && !_isHeld)
            End(stuck: null);
    }

    // With the file whose switch is to be skipped, if there is one.
    private void End(AofWriter? stuck)
    {
        bool isKilled = _progress.IsKilled || _job is { IsCancelled: true };
        long durationS = _job!.AgeS(_server.Clock);
        bool isDone = !isKilled && !_progress.HasFailed && _rewrite!.TryAdopt(stuck);
        _job = null;
        _progress.End();
        if (!isDone)
        {
            _rewrite!.RemoveTemporary();
            // As in Redis, one that was given up is no failure.
            if (isKilled)
                return;
            Log(LogLevel.Warning, "Background AOF rewrite terminated with error");
            _status = _status with { LastDurationS = durationS };
            NoteFailure(_status.FailureCount + 1);
            return;
        }

        _isFirst = false;
        _data.Journal.Writer?.NoteRewritten();
        _status = _status with { IsLastRewritten = true, LastDurationS = durationS, FailureCount = 0 };
        AofFiles files = _rewrite!.Files;
        _data.AppendOnly.NoteSizes(files);
        if (!_isHistoryKept)
            files.DeleteHistory();
        Log(LogLevel.Notice, "Background AOF rewrite finished successfully");
    }

    private void NoteFailure(long failureCount)
    {
        _status = _status with { IsLastRewritten = false, FailureCount = failureCount };
        _retryUs = MonotonicUs + UsPerS;
    }

    private void Log(LogLevel level, string message) => _server.Log.Write(level, message);
}
