using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Executions;

/// <summary>The loop that an execution belongs to, as those below the loops see it.</summary>
internal interface IExecutionLoop : ISessionLoop
{
    IExecutionServer Server { get; }

    /// <summary>Where the loop notes what it is doing.</summary>
    unsafe ActivityRow* Activity { get; }

    /// <summary>What the loop's executions count in the key space.</summary>
    KeyspaceStatistics KeyspaceStatistics { get; }

    /// <summary>Reads a session's input, or leaves it with the transport. On the loop.</summary>
    void SetReading(Session session, bool isReading);

    /// <summary>Closes the session of a waiter whose client has left. On the loop.</summary>
    void EndIfLeft(Waiter waiter);

    /// <summary>Ends a wait: the waiter's execution replies. On the loop.</summary>
    void EndWait(Waiter waiter);

    /// <summary>Runs a waiter's command once more. On the loop.</summary>
    void Retry(Waiter waiter);

    /// <summary>Notes that a waiter is due at another time. On the loop.</summary>
    void Reschedule(Waiter waiter);
}
