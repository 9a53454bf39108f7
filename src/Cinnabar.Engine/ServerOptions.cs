using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Platform;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine;

/// <summary>The options of a server.</summary>
public sealed record ServerOptions
{
    /// <summary>The configuration.</summary>
    public required ConfigurationRegistry Configuration { get; init; }

    /// <summary>The log.</summary>
    public required ILog Log { get; init; }

    /// <summary>The source of time.</summary>
    public Clock Clock { get; init; } = new SystemClock();

    /// <summary>Number of loops; 0: as the configuration says.</summary>
    public int LoopCount { get; init; }

    /// <summary>Number of stripes, a power of two; 0: by the number of loops.</summary>
    public int StripeCount { get; init; }

    /// <summary>The seed of all randomness, to replay a run; null: from the system.</summary>
    public ulong? RandomSeed { get; init; }

    /// <summary>The stop request of the process's signals.</summary>
    public StopRequest StopRequest { get; init; } = new();

    /// <summary>Reports what the server's threads are doing if the process crashes; null: the server is
    /// embedded, and DEBUG SEGFAULT and its like end only the server.</summary>
    public CrashReport? CrashReport { get; init; }

    /// <summary>Whether memory is checked.</summary>
    public bool IsMemoryChecked { get; init; }

    /// <summary>The most that a command on its loop may cost by its handler's estimate, in nanoseconds. With
    /// &#8722;1 tests send every command to the slow lane that can go there.</summary>
    public long LoopCostNsMax { get; init; } = Execution.LoopCostNsDefault;

    /// <summary>Runs work off the loops; null: on the server's own threads. The simulator sets its
    /// own.</summary>
    public Action<IThreadPoolWorkItem>? SlowLaneScheduler { get; init; }

    /// <summary>Whether the server starts with the data that it finds.</summary>
    public bool LoadsData { get; init; } = true;

    /// <summary>Runs the saver of a snapshot, by calling it until it returns false, on one thread at a time;
    /// null: a thread of its own does. The simulator sets its own.</summary>
    public Action<Func<bool>>? SaverScheduler { get; init; }

    /// <summary>What of a snapshot may wait for its saver.</summary>
    public SnapshotOptions SnapshotBounds { get; init; } = new();

    /// <summary>Whether the garbage that a big script leaves is collected at once; false: the server is
    /// embedded, and its host's garbage is not its business.</summary>
    public bool CollectsGarbage { get; init; }

    /// <summary>Every so manyth command that scripts call makes its script run again where it can; 0: none
    /// does. For tests.</summary>
    public int ScriptRerunInterval { get; init; }

    /// <summary>Where the data are kept.</summary>
    public FileSystem Files { get; init; } = FileSystem.System;
}
