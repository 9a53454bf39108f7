// Data at the start. The transports listen first; if there are data, the gate ServerGates.Loading is shut
// before the first command can come, and a thread of its own loads them:
//
//   Prepare ─► transports listen ─► Begin ─► Loading ─► Loaded: the gate opens
//                                               └────► Failed: the server ends with exit code 1, as Redis
//
// A shut gate refuses the commands that have no flag `loading` with -LOADING (CommandGate). The others may
// run beside the load, also such as take stripes (DEBUG): the load takes a stripe for a few keys at a time.
//
// A running server loads files too (DEBUG RELOAD, later a replica): LoadFile on the thread of an execution
// that holds all stripes. The gate is shut meanwhile.

using System.IO;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Scripts;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Journal.Loading;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Loading;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>Loads the data of a server.</summary>
public sealed class DataLoading
{
    private const double NsPerS = 1_000_000_000;
    private const int BlockSizeMin = 64 * 1024;

    private readonly IDataServer _server;
    private readonly DataFiles _data;
    private readonly CancellationTokenSource _stop = new();
    private int _phase;
    private Thread? _thread;
    private volatile LoadProgress? _last;
    private StoredMoment? _moment;
    private bool _isAppendOnly;

    internal DataLoading(IDataServer server, DataFiles data)
    {
        (_server, _data) = (server, data);
        server.Configuration.IsLoading = () => IsActive;
        server.Configuration.Follow(
            "key-load-delay", () => Delay.DelayUs = server.Configuration.NumberOf("key-load-delay"));
    }

    /// <summary>Waits after each key, and each command of an append-only file.</summary>
    internal KeyDelay Delay { get; } = new();

    /// <summary>Whether data are being loaded, or are about to be.</summary>
    public bool IsActive => _server.Gates.Has(ServerGates.AnyLoading);

    /// <summary>Whether the server starts, with an append-only file that it loads first.</summary>
    internal bool IsOfAppendOnlyFile => _isAppendOnly && Phase < LoadPhase.Loaded;

    /// <summary>Whether clients read the server's own data while those of a master are loaded beside
    /// them.</summary>
    internal bool IsBeside => _server.Gates.Has(ServerGates.AsyncLoading);

    /// <summary>Has the replication stream go on that the data of the start came out of.</summary>
    internal Action<StoredMoment>? ResumeStream { get; set; }

    /// <summary>Where in a replication stream the data of the last load were taken; null: they do not
    /// say.</summary>
    internal StoredMoment? Moment => _moment;

    /// <summary>How far the load is; null: none is under way.</summary>
    internal LoadProgress? Progress
    {
        get;
        private set
        {
            field = value;
            _last = value ?? _last;
        }
    }

    /// <summary>Keys that the last load put into the key space, or has put there so far.</summary>
    internal long KeysLoaded => _last?.Counts?.KeysLoaded ?? 0;

    /// <summary>Keys that the last load dropped, since their deadline had passed.</summary>
    internal long KeysExpired => _last?.Counts?.KeysExpired ?? 0;

    /// <summary>The file whose data were not loaded whole (<c>rdb-skip-module-keys</c>): to save over it
    /// would lose the rest. Null: none.</summary>
    internal string? IncompleteFile { get; private set; }

    /// <summary>Why a file may not be written over; null: it may, as where it has been taken away.</summary>
    internal string? RefusalToReplace(string path) =>
        path == IncompleteFile && _data.Files.Exists(path) ? RefusalToReplaceAny : null;

    /// <summary>Why data that are not whole may replace nothing; null: they are whole.</summary>
    internal string? RefusalToReplaceAny => IncompleteFile is null ? null
        : "it has keys of modules that were not loaded (rdb-skip-module-keys)";

    private LoadPhase Phase => (LoadPhase)Volatile.Read(ref _phase);

    /// <summary>Looks for data; shuts the gate where there are some. A new append-only file is begun here: no
    /// client waits for it. Call it before the loops run.</summary>
    /// <exception cref="IOException">The append-only file cannot be begun.</exception>
    public void Prepare()
    {
        Enter(LoadPhase.Waiting);
        _isAppendOnly = _data.AppendOnly.IsWanted;
        bool hasData = _server.LoadsData
            && (_isAppendOnly ? _data.AppendOnly.Directory.HasFiles : _data.Files.Exists(_data.SnapshotPath));
        if (hasData)
        {
            _server.Gates.Set(ServerGates.Loading, true);
            return;
        }

        if (_isAppendOnly)
            BeginAppendOnly();
        Enter(LoadPhase.Loaded);
    }

    /// <summary>Begins to load what <see cref="Prepare"/> has found, on a thread of its own.</summary>
    /// <param name="ended">Called when it has ended, there or at once; with a fault where it has
    /// failed.</param>
    public void Begin(Action<Exception?> ended)
    {
        if (Phase == LoadPhase.Loaded)
        {
            ended(null);
            return;
        }

        Enter(LoadPhase.Loading);
        if (!_server.HasThreads)
        {
            Run(ended);
            return;
        }

        _thread = new Thread(() => Run(ended)) { Name = "cinnabar-load", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Ends a load that is under way and waits until it has ended.</summary>
    public void Stop()
    {
        _stop.Cancel();
        _thread?.Join();
    }

    /// <summary>Loads an RDB file, or the RDB data that a file begins with.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How.</param>
    /// <returns>The offset behind the RDB data.</returns>
    /// <exception cref="RdbFormatException">The file is damaged.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    internal long LoadFile(string path, DataLoadOptions options)
    {
        using StoredFile file = _data.Files.Open(path, FileUse.Read);
        bool wasShut = IsActive;
        _server.Gates.Set(ServerGates.Loading, true);
        LoadProgress? outer = Progress;
        Progress ??= new LoadProgress(_server.Clock.UnixMicroseconds, file.Length);
        try
        {
            return LoadOpened(file, path, options, Progress);
        }
        finally
        {
            Progress = outer;
            if (!wasShut)
                Open();
        }
    }

    /// <summary>Shuts a gate for the time of a master's data; <see cref="Open"/> opens it.</summary>
    internal void Shut(ServerGates gate)
    {
        Debug.Assert(!IsActive, "data are being loaded");
        _server.Gates.Set(gate, true);
    }

    /// <summary>Loads the data of a master, behind a gate that is shut.</summary>
    /// <param name="file">They.</param>
    /// <param name="path">Their name in the log.</param>
    /// <param name="options">How.</param>
    /// <exception cref="RdbFormatException">They are damaged.</exception>
    /// <exception cref="IOException">They cannot be read.</exception>
    /// <exception cref="OperationCanceledException">The server ends.</exception>
    internal void LoadFromMaster(StoredFile file, string path, DataLoadOptions options)
    {
        Debug.Assert(IsActive, "the gate is shut first");
        Progress = new LoadProgress(
            _server.Clock.UnixMicroseconds, file.Length == long.MaxValue ? 0 : file.Length);
        try
        {
            LoadOpened(file, path, options, Progress);
        }
        finally
        {
            Progress = null;
        }
    }

    /// <summary>Loads the append-only file of a running server once more. The caller holds all
    /// stripes.</summary>
    /// <exception cref="AofLoadException">It cannot be loaded.</exception>
    /// <exception cref="AofManifestException">Its manifest cannot be read.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    internal void LoadAppendOnlyAgain()
    {
        Debug.Assert(!IsActive, "data are being loaded");
        _server.Gates.Set(ServerGates.Loading, true);
        try
        {
            using var load = new AppendOnlyLoad(_server, _data, isHolding: true, _stop.Token);
            load.Run(progress => Progress = progress);
        }
        finally
        {
            Progress = null;
            Open();
        }
    }

    private void Run(Action<Exception?> ended)
    {
        string path = _data.SnapshotPath;
        try
        {
            LoadAll(path);
        }
        catch (OperationCanceledException fault)
        {
            Enter(LoadPhase.Failed);
            ended(fault);
            return;
        }
        catch (Exception fault)
        {
            Enter(LoadPhase.Failed);
            LoadFailures.Write(_server.Log, path, fault);
            LoadFailures.WriteEnd(_server.Log, _data.Files, path, fault);
            ended(fault);
            return;
        }

        Enter(LoadPhase.Loaded);
        Open();
        ended(null);
    }

    // The data of a server that starts: its append only file where it has one, else its snapshot.
    private void LoadAll(string path)
    {
        long startNs = _server.Clock.MonotonicNanoseconds;
        if (_isAppendOnly)
            LoadAppendOnly();
        else
            LoadSnapshot(path);
        double seconds = (_server.Clock.MonotonicNanoseconds - startNs) / NsPerS;
        string source = _isAppendOnly ? "append only file" : "disk";
        _server.Log.Write(LogLevel.Notice,
            string.Create(CultureInfo.InvariantCulture, $"DB loaded from {source}: {seconds:F3} seconds"));
    }

    // A replica needs keys past their deadline, of which its master will tell.
    private void LoadSnapshot(string path)
    {
        LoadFile(path,
            new DataLoadOptions { KeepsExpired = _server.Keyspace.IsReplica, ResumesStream = true });
        if (_moment is { } moment)
            ResumeStream?.Invoke(moment);
    }

    private void BeginAppendOnly()
    {
        try
        {
            _data.AppendOnly.Open(AofManifest.Empty);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            string path = _data.AppendOnly.Directory.DirectoryPath;
            throw new IOException(
                $"Can't open the append-only file in {path}: {SystemErrorText.Of(fault, path)}", fault);
        }
    }

    private void LoadAppendOnly()
    {
        using var load = new AppendOnlyLoad(_server, _data, isHolding: false, _stop.Token);
        AofManifest manifest = load.Run(progress => Progress = progress);
        // CONFIG SET may have switched it off meanwhile. What it sets from here on the cron sees (RunCron).
        if (_data.AppendOnly.IsWanted)
            _data.AppendOnly.Open(manifest);
        Progress = null;
    }

    private long LoadOpened(StoredFile file, string path, DataLoadOptions options, LoadProgress progress)
    {
        var log = new RdbLoadLog(_server, progress);
        long end = RdbFileLoader.Load(file, _server.Keyspace, OptionsOf(options, log), log, _stop.Token);
        RdbLoadProgress counts = log.File!;
        LoadLibraries(log.Functions, options);
        _moment = log.Moment;
        if (counts.ModuleKeys > 0)
        {
            IncompleteFile = path;
            _server.Log.Write(LogLevel.Warning, $"{counts.ModuleKeys} keys of modules were not loaded: "
                + $"saving over {Path.GetFileName(path)} is refused.");
        }
        else if (IncompleteFile == path)
        {
            IncompleteFile = null;
        }

        string counted = $"Done loading RDB, keys loaded: {counts.KeysLoaded}, "
            + $"keys expired: {counts.KeysExpired}";
        if (counts.EmptyKeys == 0)
            _server.Log.Write(LogLevel.Notice, counted + ".");
        else
            _server.Log.Write(LogLevel.Warning, $"{counted}, empty keys skipped: {counts.EmptyKeys}.");
        return end;
    }

    private void LoadLibraries(List<byte[]> sources, DataLoadOptions options)
    {
        List<FunctionLibrary> libraries = options.Libraries ?? [];
        try
        {
            foreach (byte[] source in sources)
                libraries.Add(_server.Libraries.Load(source, default)!);
            if (options.Libraries is not null)
                return;
            _server.Libraries.Restore(
                libraries, options.ReplacesKeys ? RestorePolicy.Replace : RestorePolicy.Append);
        }
        catch (LibraryException refusal)
        {
            throw new RdbFormatException(0, "Failed creating the library: " + refusal.Message);
        }
    }

    private RdbReadOptions OptionsOf(DataLoadOptions options, RdbLoadLog log)
    {
        long interval = _server.Configuration.NumberOf("loading-process-events-interval-bytes");
        return new RdbReadOptions
        {
            NowMs = _server.Clock.UnixMicroseconds / 1000,
            Due = () => options.KeepsExpired ? DueKeys.Kept
                : options.ResumesStream && log.Moment is not null ? DueKeys.Removed : DueKeys.Dropped,
            ReplacesKeys = options.ReplacesKeys,
            IsHoldingStripes = options.IsHoldingStripes,
            IsIntoReserve = options.Libraries is not null,
            SkipsModuleKeys = _server.Configuration.NumberOf("rdb-skip-module-keys") != 0,
            IsVersionRelaxed = _data.Reading.IsVersionRelaxed,
            IsChecksumVerified = _server.Configuration.NumberOf("rdbchecksum") != 0,
            WorkerCount = _server.LoadThreadCount,
            BlockSize = (int)Math.Clamp(interval, BlockSizeMin, RdbReadOptions.BlockSizeDefault),
            KeyDelay = Delay,
        };
    }

    /// <summary>Opens the gates.</summary>
    internal void Open()
    {
        _server.Gates.Set(ServerGates.Loading, false);
        _server.Gates.Set(ServerGates.AsyncLoading, false);
        // The loops now remove keys whose deadline has passed meanwhile.
        _server.NotifyLoops();
    }

    private void Enter(LoadPhase phase)
    {
        Debug.Assert(Phase < phase, "a phase leads to a later one");
        Volatile.Write(ref _phase, (int)phase);
    }
}
