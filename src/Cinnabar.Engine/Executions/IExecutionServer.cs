using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Scripts;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Executions;

/// <summary>The server of an execution, as those below the server see it.</summary>
internal interface IExecutionServer
{
    /// <summary>The keys.</summary>
    Keyspace.Keyspace Keyspace { get; }

    /// <summary>The configuration's values.</summary>
    Settings Settings { get; }

    /// <summary>The source of time.</summary>
    Clock Clock { get; }

    /// <summary>What the server's threads are doing.</summary>
    ActivityPage Activities { get; }

    /// <summary>The scripts.</summary>
    ScriptCache Scripts { get; }

    /// <summary>The libraries of functions.</summary>
    FunctionLibraries Libraries { get; }

    /// <summary>The executions that wait for keys.</summary>
    KeyWaits Waits { get; }

    /// <summary>Notes what clients that cache values have read.</summary>
    IReadTracking ReadTracking { get; }

    /// <summary>Runs long work.</summary>
    ISlowLane SlowLane { get; }

    /// <summary>The most that a command on its loop may cost, in nanoseconds.</summary>
    long LoopCostNsMax { get; }

    /// <summary>Makes an output for replies.</summary>
    ReplyOutput MakeOutput(int chunkSize);

    /// <summary>Sends all loops a message.</summary>
    void PostToAll(in MailboxMessage message);

    /// <summary>All keys are gone: saves that, if it saves by itself.</summary>
    /// <param name="access">The view of the execution that has removed them.</param>
    /// <param name="done">Called when that is over, on any thread.</param>
    /// <returns>Whether it is saving; else it has saved, or saves nothing.</returns>
    bool TrySaveFlushed(KeyspaceAccess access, Action? done);

    /// <summary>After an internal fault: the server ends, the process goes on.</summary>
    void Fail(Exception fault);
}
