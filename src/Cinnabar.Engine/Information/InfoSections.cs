namespace Cinnabar.Engine.Information;

[Flags]
internal enum InfoSections
{
    None = 0,

    /// <summary>Version, process, place.</summary>
    Server = 1 << 0,

    /// <summary>Connections.</summary>
    Clients = 1 << 1,

    Memory = 1 << 2,

    /// <summary>What is on disk.</summary>
    Persistence = 1 << 3,

    /// <summary>The loops.</summary>
    Threads = 1 << 4,

    /// <summary>Counters.</summary>
    Stats = 1 << 5,

    /// <summary>Masters and replicas.</summary>
    Replication = 1 << 6,

    /// <summary>Processor time.</summary>
    Cpu = 1 << 7,

    /// <summary>Loaded modules.</summary>
    Modules = 1 << 8,

    /// <summary>Counters of each command.</summary>
    CommandStats = 1 << 9,

    /// <summary>Counters of each error.</summary>
    ErrorStats = 1 << 10,

    /// <summary>How long commands took.</summary>
    LatencyStats = 1 << 11,

    Cluster = 1 << 12,

    /// <summary>Keys of each database.</summary>
    Keyspace = 1 << 13,

    /// <summary>All except the next two: one visits every key, one is for developers.</summary>
    All = (1 << 14) - 1,

    /// <summary>How many values there are of each size.</summary>
    KeySizes = 1 << 14,

    /// <summary>Figures for developers.</summary>
    Debug = 1 << 15,

    /// <summary>Counters of each script and function.</summary>
    ScriptStats = 1 << 16,

    /// <summary>Certificates; without them only where it is named.</summary>
    Tls = 1 << 17,

    /// <summary>The import of another server's data; without one only where it is named, and empty.</summary>
    Import = 1 << 18,

    /// <summary>Those of INFO without arguments.</summary>
    Default = All & ~(CommandStats | LatencyStats),
}
