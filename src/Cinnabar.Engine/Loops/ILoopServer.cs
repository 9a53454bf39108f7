using Cinnabar.Engine.Access;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Blocking;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Lanes;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;

namespace Cinnabar.Engine.Loops;

/// <summary>The server of a loop: it provides the collaborators of the loop's parts.</summary>
internal interface ILoopServer : IExecutionServer
{
    /// <summary>The server's loops.</summary>
    ReadOnlySpan<Loop> Loops { get; }

    ILog Log { get; }

    /// <summary>The commands by name.</summary>
    CommandTable Commands { get; }

    /// <summary>The gates that commands must pass.</summary>
    GateSet Gates { get; }

    /// <summary>How executions take their stripes.</summary>
    LockProtocol Locks { get; }

    /// <summary>Runs long work.</summary>
    new SlowLane SlowLane { get; }

    /// <summary>The sessions of all loops.</summary>
    SessionRegistry Sessions { get; }

    /// <summary>The limits of unsent output.</summary>
    OutputLimits OutputLimits { get; }

    /// <summary>The watched keys.</summary>
    WatchRegistry Watches { get; }

    /// <summary>Who may do what.</summary>
    AccessControl Access { get; }

    /// <summary>Serves executions that wait for keys.</summary>
    Serving Serving { get; }

    ClientPause Pause { get; }

    /// <summary>Holds writes while a disk does not keep up.</summary>
    WriteHold WriteHold { get; }

    /// <summary>Refuses writes that cannot be saved.</summary>
    DiskErrors DiskErrors { get; }

    /// <summary>The journal, on or off.</summary>
    ServerJournal Journal { get; }

    /// <summary>The sessions that monitor.</summary>
    Monitors Monitors { get; }

    /// <summary>The observers of executed commands.</summary>
    Observation Observation { get; }

    /// <summary><c>maxmemory</c>.</summary>
    MemoryLimit MemoryLimit { get; }

    /// <summary><c>min-replicas-to-write</c>.</summary>
    ReplicaMinimum ReplicaMinimum { get; }

    /// <summary>The seed of a loop's randomness.</summary>
    ulong RandomSeedOf(int loop);

    /// <summary>Whether a session may use a command that is protected.</summary>
    bool IsProtectedCommandAllowed(CommandSpec spec, Session session);

    /// <summary>Runs the cron's work on a loop, within a turn, <c>hz</c> times a second.</summary>
    void RunCron(Loop loop, long nowMs);
}
