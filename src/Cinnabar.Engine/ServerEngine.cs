using Cinnabar.Engine.Access;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Blocking;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Lanes;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Replication.Links;
using Cinnabar.Engine.Replication.Replicas;
using Cinnabar.Engine.Replication.Streams;
using Cinnabar.Engine.Scripting;
using Cinnabar.Engine.Scripts;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Statistics;
using Cinnabar.Engine.Tracking;
using Cinnabar.Engine.Transactions;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Memory;
using Cinnabar.Messaging;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Engine;

/// <summary>
/// One server: its key space, its loops, its configuration, its sessions. It knows no socket and no thread:
/// transports drive its loops. Several live in one process side by side.
/// </summary>
public sealed class ServerEngine : IReplicaServer, IDataServer, IDisposable
{
    private const int StripesPerLoop = 16;
    private const int StripeCountMin = 16;

    private readonly ServerOptions _options;
    private readonly Loop[] _loops;

    /// <summary>Makes a server; its configuration is loaded.</summary>
    public ServerEngine(ServerOptions options)
    {
        _options = options;
        Configuration = options.Configuration;
        Settings = Configuration.Settings;
        Clock = options.Clock;
        Log = options.Log;
        StartedUs = Clock.UnixMicroseconds;
        int loopCount = options.LoopCount > 0 ? options.LoopCount : Math.Max(1, Settings.IoThreads);
        Keyspace = new Keyspace.Keyspace(new KeyspaceOptions
        {
            Clock = Clock,
            DatabaseCount = Settings.Databases,
            LoopCount = loopCount,
            StripeCount = options.StripeCount > 0 ? options.StripeCount : StripeCountFor(loopCount),
            IsChecked = options.IsMemoryChecked,
            WantsHugePages = Configuration.NumberOf("disable-thp") == 0,
            Limits = Settings.Collections,
            Seed = options.RandomSeed is { } seed ? new HashSeed(seed, ~seed) : HashSeed.Random(),
        });
        Configuration.Follow("import-mode",
            () => Keyspace.IsImporting = Configuration.NumberOf("import-mode") != 0);
        RecordingOptions.Follow(Configuration, Keyspace.Recording);
        RunId = RandomIdentifier.New();
        foreach (CommandRename rename in Configuration.CommandRenames)
            Commands.Rename(Encoding.Latin1.GetBytes(rename.From), Encoding.Latin1.GetBytes(rename.To));
        Chunks = new SharedBlockPool(Keyspace.Pages);
        LoopCostNsMax = options.LoopCostNsMax;
        Data = new DataFiles(this, options.Files);
        Locks = new LockProtocol(Keyspace);
        Access = AccessWiring.Make(this);
        Sessions = new SessionRegistry(Settings, Clock, Access.Users, Closed, Keyspace.Pages);
        Watches = new WatchRegistry(Keyspace, Sessions.Records);
        Waits = new KeyWaits(Keyspace, Sessions.Records);
        Tls = new TlsState(Settings, Sessions);
        OutputLimits = new OutputLimits(Settings);
        Pause = new ClientPause(Gates, Keyspace, NotifyLoops);
        WriteHold = new WriteHold(Gates, NotifyLoops);
        Monitors = new Monitors(Gates, Chunks, Clock, Configuration);
        Channels = new ChannelRegistry(Chunks, Sessions.Records, isSharded: false);
        ShardChannels = new ChannelRegistry(Chunks, Sessions.Records, isSharded: true);
        Tracking = new ClientTracking(Configuration, Keyspace, Sessions);
        Observation = new Observation(Configuration, Clock);
        Data.Attach(JournalWiring.Make(this));
        Replication = new ReplicationState(Chunks, Configuration, Data.Journal);
        Replicas = new ReplicaSet(this, Chunks);
        Cron = new Cron(this);
        MemoryLimit = new MemoryLimit(Configuration, Keyspace, Gates, Clock, Log)
        { Clients = new ClientEviction(Settings, Sessions, Clock, Log, loopCount) };
        Serving = new Serving(Waits, MemoryLimit, Observation, Clock);
        SlowLane = new SlowLane(this, Locks, Serving, Observation, Monitors)
        {
            Holders = new LaneHolders(this, Gates),
            Scheduler = options.SlowLaneScheduler,
        };
        Scripts = new ScriptCache(loopCount, Sessions.Records);
        (ScriptMachines, FunctionMachines) = ScriptWiring.Make(this, options, loopCount);
        LoopCount = loopCount;
        Activities = new ActivityPage(loopCount);
        options.CrashReport?.Show(Activities);
        _loops = new Loop[loopCount];
        for (int index = 0; index < loopCount; index++)
            _loops[index] = new Loop(this, index);
        Keyspace.Observer = new KeyspaceReports(this);
        var counters = Array.ConvertAll(_loops, static loop => loop.Statistics);
        Statistics = new ServerStatistics([.. counters, Replication.Link], Keyspace, Residence);
        StartupBytes = Keyspace.UsedBytes;
        Replica = new ReplicaRole(this);
    }

    /// <summary>The version of Redis that clients may take the server for.</summary>
    internal static ReadOnlySpan<byte> RedisVersion => "8.0.0"u8;

    /// <summary>The configuration.</summary>
    public ConfigurationRegistry Configuration { get; }

    /// <summary>The stop request of the process's signals.</summary>
    internal StopRequest StopRequest => _options.StopRequest;

    /// <summary>The configuration's values.</summary>
    public Settings Settings { get; }

    /// <summary>The source of time.</summary>
    public Clock Clock { get; }

    /// <summary>The log.</summary>
    public ILog Log { get; }

    /// <summary>The keys.</summary>
    public Keyspace.Keyspace Keyspace { get; }

    /// <summary>The loops, for transports to drive.</summary>
    public ReadOnlySpan<Loop> Loops => _loops;

    /// <summary>What loop number <paramref name="loop"/> seeds its randomness with.</summary>
    ulong ILoopServer.RandomSeedOf(int loop) =>
        _options.RandomSeed is { } seed ? seed + (ulong)loop : RandomSource.SystemSeed();

    /// <summary>Number of loops.</summary>
    public int LoopCount { get; }

    /// <summary>When the server was made, Unix time in microseconds.</summary>
    public long StartedUs { get; }

    /// <summary>The first loop's thread; null if no host has started any, or the system does not report
    /// it.</summary>
    public ThreadUsage? MainThread { get; set; }

    /// <summary>Called once after an internal fault: the host stops this server.</summary>
    public Action<Exception>? Faulted { get; set; }

    /// <summary>The certificates and handshakes of its TLS. The transport keeps it.</summary>
    public TlsState Tls { get; }

    /// <summary>Called when a client's SHUTDOWN is carried out, from any thread: the host ends it.</summary>
    public Action? ShutdownRequested { get; set; }

    /// <summary>Saves before the end, where the configuration says so.</summary>
    /// <param name="isInterrupt">Whether SIGINT has asked for the end, not SIGTERM.</param>
    /// <param name="done">Called when the server may end, or (false) must go on; on any thread.</param>
    public void PrepareEnd(bool isInterrupt, Action<bool> done) =>
        Replicas.PrepareEnd(isInterrupt, done);

    /// <summary>Forty digits that identify this run of the server.</summary>
    internal string RunId { get; }

    /// <summary>Its replication stream.</summary>
    internal ReplicationState Replication { get; }

    /// <summary>Bytes that the empty server used.</summary>
    internal long StartupBytes { get; }

    /// <summary>Bytes of physical memory that the machine had when the server started.</summary>
    internal long SystemMemoryBytes { get; } = MemoryStatus.SystemTotalBytes;

    internal ResidentMemory Residence { get; } = new();

    internal ErrorStatistics Errors { get; } = new();

    internal ServerStatistics Statistics { get; }

    internal SharedBlockPool Chunks { get; }

    internal CommandTable Commands { get; } = new();

    /// <summary>Ends the link to a master; the loops still run.</summary>
    public void EndReplication() => Replica.Dispose();

    /// <summary>Loads its data.</summary>
    public DataLoading Loading => Data.Loading;

    /// <summary>The files of its data.</summary>
    internal DataFiles Data { get; }

    internal LockProtocol Locks { get; }

    internal ScriptCache Scripts { get; }

    internal ScriptMachines ScriptMachines { get; }

    internal FunctionMachines FunctionMachines { get; }

    internal SlowLane SlowLane { get; }

    /// <summary>The most that a command on its loop may cost, in nanoseconds.</summary>
    internal long LoopCostNsMax { get; }

    internal SessionRegistry Sessions { get; }

    internal OutputLimits OutputLimits { get; }

    internal WatchRegistry Watches { get; }

    internal ClientTracking Tracking { get; }

    internal KeyWaits Waits { get; }

    internal Serving Serving { get; }

    internal ClientPause Pause { get; }

    internal WriteHold WriteHold { get; }

    internal DiskErrors DiskErrors => Data.DiskErrors;

    internal Monitors Monitors { get; }

    internal ChannelRegistry Channels { get; }

    /// <summary>The shard channels and their subscribers.</summary>
    internal ChannelRegistry ShardChannels { get; }

    internal Observation Observation { get; }

    internal Cron Cron { get; }

    internal MemoryLimit MemoryLimit { get; }

    internal ReplicaMinimum ReplicaMinimum => Replicas.Minimum;

    internal ReplicaRole Replica { get; }

    internal ReplicaSet Replicas { get; }

    internal GateSet Gates { get; } = new();

    /// <summary>What its threads are doing.</summary>
    public ActivityPage Activities { get; }

    /// <summary>Reports a crash of the process; null: the process is not the server's own.</summary>
    internal CrashReport? CrashReport => _options.CrashReport;

    /// <summary>Who may do what.</summary>
    internal AccessControl Access { get; }

    /// <summary>Ends a server whose loops have ended: frees every byte.</summary>
    public void Dispose()
    {
        Loop.DropSessions(_loops);
        Replica.Dispose();
        CrashReport?.Show(null);
        ScriptMachines.Running.Abandon();
        foreach (Loop loop in _loops)
            loop.Runner.Executions.Suspended.EndSlowLane();
        SlowLane.Dispose();
        ScriptWiring.End(this);
        Tracking.Dispose();
        Replicas.End();
        Data.Dispose();
        Replication.Dispose();
        Residence.Dispose();
        if (OperatingSystem.IsLinux())
            MainThread?.Dispose();
        Loop.DisposeAll(_loops);
        Sessions.Dispose();
        Keyspace.ReleaseEntries();
        Chunks.Dispose();
        Keyspace.Dispose();
        foreach (string leak in Keyspace.Pages.LeakReport())
            Log.Write(LogLevel.Warning, $"Memory was not given back: {leak}");
    }

    bool ILoopServer.IsProtectedCommandAllowed(CommandSpec spec, Session session)
    {
        ProtectedAccess access = spec.Parent?.Id == CommandId.Module
            ? (ProtectedAccess)Configuration.NumberOf("enable-module-command")
            : Settings.DebugCommandAccess;
        return Settings.Allows(access, session.Endpoint.IsLoopback);
    }

    /// <summary>A session has been closed and forgotten.</summary>
    private void Closed(Session session)
    {
        Watches.RemoveAll(session);
        SessionReset.Run(this, session);
        session.Invalidations?.Close();
    }

    CommandTable ILoopServer.Commands => Commands;
    DataFiles IReplicationServer.Data => Data;
    ReplicationState IReplicationServer.Replication => Replication;
    ReplicaSet IReplicaServer.Replicas => Replicas;
    bool IReplicationServer.HasThreads => _options.SlowLaneScheduler is null;
    GateSet ILoopServer.Gates => Gates;
    GateSet IDataServer.Gates => Gates;
    CommandReplay IDataServer.MakeReplay(bool isHolding) => new(this, isHolding);
    void IDataServer.RunOnFirstLoop(Action action) => _loops[0].Run(action);
    bool IDataServer.HasThreads => _options.SlowLaneScheduler is null;

    int IDataServer.LoadThreadCount => _options.SlowLaneScheduler is null ? Environment.ProcessorCount : 0;

    bool IDataServer.LoadsData => _options.LoadsData;
    WriteHold IDataServer.WriteHold => WriteHold;
    long IDataServer.ChangeCount => Statistics.ChangeCount;
    Action<Func<bool>>? IDataServer.SaverScheduler => _options.SaverScheduler;
    SnapshotOptions IDataServer.SnapshotBounds => _options.SnapshotBounds;

    bool IExecutionServer.TrySaveFlushed(KeyspaceAccess access, Action? done) =>
        Data.Saves.TrySaveFlushed(access, done is null ? null : _ => done());

    void IDataServer.NotifyLoops() => NotifyLoops();

    LockProtocol ILoopServer.Locks => Locks;
    SlowLane ILoopServer.SlowLane => SlowLane;
    SessionRegistry ILoopServer.Sessions => Sessions;
    OutputLimits ILoopServer.OutputLimits => OutputLimits;
    WatchRegistry ILoopServer.Watches => Watches;
    Serving ILoopServer.Serving => Serving;
    ClientPause ILoopServer.Pause => Pause;
    WriteHold ILoopServer.WriteHold => WriteHold;
    DiskErrors ILoopServer.DiskErrors => DiskErrors;
    ServerJournal ILoopServer.Journal => Data.Journal;
    Monitors ILoopServer.Monitors => Monitors;
    Observation ILoopServer.Observation => Observation;
    MemoryLimit ILoopServer.MemoryLimit => MemoryLimit;
    ReplicaMinimum ILoopServer.ReplicaMinimum => ReplicaMinimum;
    void ILoopServer.RunCron(Loop loop, long nowMs) => Cron.Run(loop, nowMs);

    AccessControl ILoopServer.Access => Access;

    KeyWaits IExecutionServer.Waits => Waits;
    IReadTracking IExecutionServer.ReadTracking => Tracking;
    ScriptCache IExecutionServer.Scripts => Scripts;

    FunctionLibraries IExecutionServer.Libraries => FunctionMachines.Libraries;
    FunctionLibraries IDataServer.Libraries => FunctionMachines.Libraries;
    ISlowLane IExecutionServer.SlowLane => SlowLane;
    long IExecutionServer.LoopCostNsMax => LoopCostNsMax;
    ReplyOutput IExecutionServer.MakeOutput(int chunkSize) => MakeOutput(chunkSize);

    void IExecutionServer.PostToAll(in MailboxMessage message)
    {
        foreach (Loop loop in _loops)
            loop.Post(in message);
    }

    /// <summary>Makes an output for replies.</summary>
    internal ReplyOutput MakeOutput(int chunkSize) =>
        new(Chunks, Keyspace.Blocks, Errors, OutputLimits, chunkSize);

    /// <summary>CONFIG RESETSTAT: starts all counters over.</summary>
    internal void ResetStatistics()
    {
        Statistics.Reset();
        foreach (Loop loop in _loops)
            loop.Run(() => (loop.Statistics.TurnUsMax, loop.Statistics.TurnCommandCountMax) = (0, 0));
        Keyspace.ResetFreedCount();
        Errors.Reset();
        MemoryLimit.ResetStatistics();
        Scripts.ResetStatistics();
        FunctionMachines.Libraries.ResetStatistics();
        Access.Denials.Reset();
        Sessions.ResetStatistics();
        Replication.ResetStatistics();
        Data.Journal.ResetStatistics();
    }

    /// <summary>After an internal fault: this server ends, the process goes on.</summary>
    public void Fail(Exception fault)
    {
        Log.Write(LogLevel.Warning, $"Internal fault, the server stops: {fault}");
        Faulted?.Invoke(fault);
    }

    private void NotifyLoops()
    {
        foreach (Loop loop in _loops)
            loop.Post(new MailboxMessage { Kind = MailboxMessageKind.None });
    }

    private static int StripeCountFor(int loopCount) => (int)Math.Min(
        StripeSet.CountMax, BitOperations.RoundUpToPowerOf2((uint)Math.Max(StripeCountMin,
            StripesPerLoop * loopCount)));
}
