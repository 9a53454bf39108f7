namespace Cinnabar.Engine.Configuration;

/// <summary>
/// The typed values of the directives that the engine reads, so that no hot path looks up a name. One thread
/// at a time writes them (the registry, under its lock); any thread reads them, one by one: two values need
/// not agree. Arrays are replaced, never changed. The initial values are those of
/// <see cref="Directive.Default"/>; a test compares them.
/// </summary>
public sealed class Settings
{
    /// <summary>The most loops that <c>io-threads</c> may ask for.</summary>
    internal const int IoThreadsMax = 256;

    /// <summary>Without <c>io-threads</c> there is one loop for each core.</summary>
    internal static int DefaultIoThreads => Math.Min(Environment.ProcessorCount, IoThreadsMax);

    /// <summary>Addresses to listen on as written: one with a leading minus may be missing.</summary>
    public string[] Bind { get; internal set; } = ["*", "-::*"];

    /// <summary>TCP port; 0: none.</summary>
    public int Port { get; internal set; } = 6379;

    /// <summary>TCP port with TLS; 0: none.</summary>
    public int TlsPort { get; internal set; }

    /// <summary>Which name in a TLS client's certificate is that of its user.</summary>
    public CertificateUser CertificateUser { get; internal set; } = CertificateUser.Off;

    /// <summary>Whether, while certificates choose users, AUTH as a user needs a certificate that names
    /// it.</summary>
    public bool IsCertificateRequired { get; internal set; }

    /// <summary>Path of the Unix socket; empty: none.</summary>
    public string UnixSocket { get; internal set; } = "";

    /// <summary>Permissions of the Unix socket; 0: as the process's mask says.</summary>
    public int UnixSocketPermissions { get; internal set; }

    /// <summary>The group that the Unix socket is given to; empty: the process's.</summary>
    public string UnixSocketGroup { get; internal set; } = "";

    /// <summary>The mark of the listening sockets' packets, for the system's routing; 0: none. Linux
    /// only.</summary>
    public uint SocketMark { get; internal set; }

    /// <summary>Whether the listening sockets accept multipath TCP, too. Linux only.</summary>
    public bool AcceptsMultipath { get; internal set; }

    /// <summary>Length of the queue of connections not yet accepted.</summary>
    public int TcpBacklog { get; internal set; } = 511;

    /// <summary>Seconds between keep-alive probes; 0: none.</summary>
    public int TcpKeepAliveSeconds { get; internal set; } = 300;

    /// <summary>Keep-alive probes without an answer after which a peer counts as gone.</summary>
    public int TcpKeepAliveProbes { get; internal set; } = 3;

    /// <summary>Seconds after which an idle client is closed; 0: never.</summary>
    public int ClientTimeoutSeconds { get; internal set; }

    /// <summary>Most clients at once.</summary>
    public long ClientsMax { get; internal set; } = 10000;

    /// <summary>Whether only local clients are served while no password is set.</summary>
    public bool IsProtected { get; internal set; } = true;

    /// <summary>Which transport carries the connections.</summary>
    public TransportChoice Transport { get; internal set; }

    /// <summary>Whether connections are spread over all loops, even if one loop has time for all.</summary>
    public bool IsSpread { get; internal set; }

    /// <summary>How many loops serve the connections.</summary>
    public int IoThreads { get; internal set; } = DefaultIoThreads;

    /// <summary>The limits of small encodings of collections.</summary>
    public CollectionLimits Collections { get; } = new();

    /// <summary>How many databases there are.</summary>
    public int Databases { get; internal set; } = 16;

    /// <summary>How often a second periodic work is done, 1 to 500.</summary>
    public int Hz { get; internal set; } = 10;

    /// <summary>Milliseconds after which others get BUSY while a script or a slow command runs.</summary>
    public long BusyReplyThresholdMs { get; internal set; } = 5000;

    /// <summary>Whether a script that runs for that long concerns all commands, and not only those that need
    /// its keys.</summary>
    public bool IsBusyForAll { get; internal set; }

    /// <summary>Bytes that one run of a script may hold; 0: any number.</summary>
    public long ScriptMemoryMax { get; internal set; } = 256L << 20;

    /// <summary>Whether scripts find functions that newer versions of Redis hide.</summary>
    public bool IsInsecureScriptApi { get; internal set; }

    /// <summary>The password of the default user, one char a byte; empty: none is needed.</summary>
    public string RequirePass { get; internal set; } = "";

    /// <summary>Whether clients must authenticate.</summary>
    internal bool IsPasswordRequired { get; set; }

    /// <summary>Whether the default user has a password.</summary>
    internal bool HasDefaultPassword { get; set; }

    /// <summary>How many entries ACL LOG keeps (<c>acllog-max-len</c>).</summary>
    internal long AclLogLengthMax { get; set; } = 128;

    /// <summary>The clients that may use DEBUG.</summary>
    public ProtectedAccess DebugCommandAccess { get; internal set; }

    /// <summary>The clients that may change protected directives.</summary>
    public ProtectedAccess ProtectedConfigAccess { get; internal set; }

    /// <summary>Longest string a client may send, in bytes.</summary>
    public long BulkLengthMax { get; internal set; } = 512L << 20;

    /// <summary>Most bytes of commands a client may have pending.</summary>
    public long QueryBufferLimit { get; internal set; } = 1L << 30;

    /// <summary>Output limits of normal clients.</summary>
    public OutputBufferLimit NormalOutputLimit => _outputLimits[0];

    /// <summary>Output limits of replicas.</summary>
    public OutputBufferLimit ReplicaOutputLimit => _outputLimits[1];

    /// <summary>Bytes of the replication stream that are kept for replicas that come back.</summary>
    public long BacklogBytes { get; internal set; } = 1 << 20;

    /// <summary><c>propagation-error-behavior</c></summary>
    public PropagationErrors PropagationErrors { get; internal set; }

    /// <summary>Output limits of subscribers.</summary>
    public OutputBufferLimit PubSubOutputLimit => _outputLimits[2];

    /// <summary>Bytes the data may take; 0: no limit.</summary>
    public long MaxMemory { get; internal set; }

    /// <summary>The name of the eviction policy, as CONFIG GET gives it.</summary>
    public string MaxMemoryPolicy { get; internal set; } = "noeviction";

    /// <summary><c>maxmemory-samples</c></summary>
    public int MaxMemorySamples { get; internal set; } = 5;

    /// <summary><c>maxmemory-eviction-tenacity</c>, 0 to 100.</summary>
    public int EvictionTenacity { get; internal set; } = 10;

    /// <summary><c>lfu-log-factor</c></summary>
    public int FrequencyLogFactor { get; internal set; } = 10;

    /// <summary><c>lfu-decay-time</c>; 0: counts never fall.</summary>
    public int FrequencyDecayMinutes { get; internal set; } = 1;

    /// <summary>Bytes all clients' buffers may take; negative: percent of maxmemory; 0: no limit.</summary>
    public long MaxMemoryClients { get; internal set; }

    /// <summary>Microseconds from which a command is logged as slow; 0: all, -1: none.</summary>
    public long SlowLogThresholdUs { get; internal set; } = 10000;

    /// <summary>Most entries in the log of slow commands.</summary>
    public long SlowLogLengthMax { get; internal set; } = 128;

    /// <summary>Bytes above which a request is logged as large; -1: none.</summary>
    public long LargeRequestThresholdBytes { get; internal set; } = 1 << 20;

    /// <summary>Most entries in the log of large requests.</summary>
    public long LargeRequestLengthMax { get; internal set; } = 128;

    /// <summary>Bytes above which a reply is logged as large; -1: none.</summary>
    public long LargeReplyThresholdBytes { get; internal set; } = 1 << 20;

    /// <summary>Most entries in the log of large replies.</summary>
    public long LargeReplyLengthMax { get; internal set; } = 128;

    /// <summary>How many arguments an entry of these logs keeps.</summary>
    public int LogEntryArgumentsMax { get; internal set; } = 32;

    /// <summary>How many bytes of an argument an entry of these logs keeps.</summary>
    public int LogEntryArgumentBytesMax { get; internal set; } = 128;

    /// <summary>Milliseconds from which the latency monitor samples an event; 0: off.</summary>
    public long LatencyMonitorThresholdMs { get; internal set; }

    /// <summary>Whether the distribution of each command's latency is kept.</summary>
    public bool IsLatencyTracked { get; internal set; } = true;

    /// <summary>The percentiles that INFO latencystats shows.</summary>
    public double[] LatencyPercentiles { get; internal set; } = [50, 99, 99.9];

    /// <summary>Which keyspace events are published.</summary>
    public KeyspaceEvents KeyspaceEvents { get; internal set; }

    /// <summary>The most keys in the tables of client-side caching; 0: no limit.</summary>
    public long TrackedKeysMax { get; internal set; } = 1_000_000;

    /// <summary>Whether the log shows nothing that clients sent.</summary>
    public bool IsUserDataHidden { get; internal set; }

    /// <summary>Whether FLUSHALL and FLUSHDB without ASYNC or SYNC free memory in the background.</summary>
    public bool IsUserFlushLazy { get; internal set; }

    private OutputBufferLimit[] _outputLimits =
        [default, new(256L << 20, 64L << 20, 60), new(32L << 20, 8L << 20, 60)];

    /// <summary>Whether a client may use what <paramref name="access"/> guards.</summary>
    public static bool Allows(ProtectedAccess access, bool isLocalClient) =>
        access == ProtectedAccess.All || (access == ProtectedAccess.LocalClients && isLocalClient);

    internal void SetOutputLimits(string text) => _outputLimits = OutputBufferLimit.Decode(text);

    internal static string[] Words(string text) =>
        text.Length == 0 ? [] : text.Split(' ', StringSplitOptions.RemoveEmptyEntries);
}
