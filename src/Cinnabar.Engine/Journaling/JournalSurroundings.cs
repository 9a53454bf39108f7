using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Observing;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Journaling;

/// <summary>What a journal needs of its server.</summary>
internal sealed record JournalSurroundings
{
    /// <summary>The configuration.</summary>
    public required ConfigurationRegistry Configuration { get; init; }

    /// <summary>The source of time.</summary>
    public required Clock Clock { get; init; }

    /// <summary>The log.</summary>
    public required ILog Log { get; init; }

    /// <summary>Where executions find the journal.</summary>
    public required Recording Recording { get; init; }

    /// <summary>Refuses writes that cannot be saved.</summary>
    public required DiskErrors DiskErrors { get; init; }

    /// <summary>Holds writes while the disk does not keep up.</summary>
    public required WriteHold WriteHold { get; init; }

    /// <summary>Records what takes long.</summary>
    public required LatencyMonitor Latency { get; init; }

    /// <summary>Whether a snapshot or a rewrite uses the disk.</summary>
    public required Func<bool> IsSaving { get; init; }

    /// <summary>Has the loops send what waits to become durable.</summary>
    public required Action DurableAdvanced { get; init; }

    /// <summary>Ends the server, as an internal fault does; the message is for the log.</summary>
    public required Action<string> Fail { get; init; }
}
