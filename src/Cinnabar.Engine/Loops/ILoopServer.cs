using System;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Blocking;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Lanes;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;

namespace Cinnabar.Engine.Loops;

/// <summary>The server of a loop: where the loop's parts take their collaborators from.</summary>
internal interface ILoopServer : IExecutionServer
{
    /// <summary>The server's loops.</summary>
    ReadOnlySpan<Loop> Loops { get; }

    /// <summary>The log.</summary>
    ILog Log { get; }

    /// <summary>The commands by name.</summary>
    CommandTable Commands { get; }

    /// <summary>What commands have to be looked at for.</summary>
    GateSet Gates { get; }

    /// <summary>How executions take their stripes.</summary>
    LockProtocol Locks { get; }

    /// <summary>Where long work goes.</summary>
    new SlowLane SlowLane { get; }

    /// <summary>The sessions of all loops.</summary>
    SessionRegistry Sessions { get; }

    /// <summary>How much of a session may be unsent.</summary>
    OutputLimits OutputLimits { get; }

    /// <summary>The watched keys.</summary>
    WatchRegistry Watches { get; }

    /// <summary>Serves executions that wait for keys.</summary>
    Serving Serving { get; }

    /// <summary>CLIENT PAUSE.</summary>
    ClientPause Pause { get; }

    /// <summary>The sessions that monitor.</summary>
    Monitors Monitors { get; }

    /// <summary>What is kept of commands that took long.</summary>
    Observation Observation { get; }

    /// <summary><c>maxmemory</c>.</summary>
    MemoryLimit MemoryLimit { get; }

    /// <summary><c>min-replicas-to-write</c>.</summary>
    ReplicaMinimum ReplicaMinimum { get; }

    /// <summary>What a loop seeds its randomness with.</summary>
    ulong RandomSeedOf(int loop);

    /// <summary>Whether a session may use a command that is protected.</summary>
    bool IsProtectedCommandAllowed(CommandSpec spec, Session session);

    /// <summary>Does on a loop, within a turn, what is due <c>hz</c> times a second.</summary>
    void RunCron(Loop loop, long nowMs);
}
