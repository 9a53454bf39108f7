using System;
using System.Threading;
using Cinnabar.Commands;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Platform;

namespace Cinnabar.Engine;

/// <summary>What a server is made with.</summary>
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

    /// <summary>Where all randomness of the server comes from, to replay a run; null: the system.</summary>
    public ulong? RandomSeed { get; init; }

    /// <summary>The end that signals to the process ask for.</summary>
    public StopRequest StopRequest { get; init; } = new();

    /// <summary>Gets to know what the server's threads are doing, for the case of a crash, where the process
    /// is the server's own; null: it is a guest, and DEBUG SEGFAULT and its like end only the
    /// server.</summary>
    public CrashReport? CrashReport { get; init; }

    /// <summary>Whether memory is checked.</summary>
    public bool IsMemoryChecked { get; init; }

    /// <summary>What a command may cost that stays on its loop, in nanoseconds, as its handler estimates it.
    /// Tests send all that can go to the slow lane there with &#8722;1.</summary>
    public long LoopCostNsMax { get; init; } = Execution.LoopCostNsDefault;

    /// <summary>Runs work off the loops; null: threads of the server's own. The simulator puts its own
    /// here.</summary>
    public Action<IThreadPoolWorkItem>? SlowLaneScheduler { get; init; }
}
