using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Scripts;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Durability;

/// <summary>The server whose data are stored.</summary>
internal interface IDataServer
{
    /// <summary>Its configuration.</summary>
    ConfigurationRegistry Configuration { get; }

    /// <summary>Its keys.</summary>
    Keyspace.Keyspace Keyspace { get; }

    /// <summary>Its libraries of functions.</summary>
    FunctionLibraries Libraries { get; }

    /// <summary>Its gates.</summary>
    GateSet Gates { get; }

    /// <summary>Its log.</summary>
    ILog Log { get; }

    /// <summary>Its source of time.</summary>
    Clock Clock { get; }

    /// <summary>Threads that load data beside the one that reads them; 0: that one does it all, so that a run
    /// can be replayed.</summary>
    int LoadThreadCount { get; }

    /// <summary>Whether it starts with the data that it finds.</summary>
    bool LoadsData { get; }

    /// <summary>Whether it has threads beside its loops; else what runs beside them is called step by
    /// step.</summary>
    bool HasThreads { get; }

    /// <summary>Makes what executes recorded commands.</summary>
    /// <param name="isHolding">Whether the caller holds all stripes.</param>
    CommandReplay MakeReplay(bool isHolding);

    /// <summary>Holds its writers.</summary>
    WriteHold WriteHold { get; }

    /// <summary>Changes to its data since the start.</summary>
    long ChangeCount { get; }

    /// <summary>Runs a saver, by calling it until it returns false, on one thread at a time; null: a thread
    /// of its own does.</summary>
    Action<Func<bool>>? SaverScheduler { get; }

    /// <summary>What of a snapshot may wait for its saver.</summary>
    SnapshotOptions SnapshotBounds { get; }

    /// <summary>Runs an action within a turn of the first loop.</summary>
    void RunOnFirstLoop(Action action);

    /// <summary>Wakes all loops: they look at their housekeeping.</summary>
    void NotifyLoops();
}
