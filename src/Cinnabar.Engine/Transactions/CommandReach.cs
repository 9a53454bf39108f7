using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Transactions;

/// <summary>The flags of a command with those that it runs: EXEC runs the queued ones.</summary>
internal static class CommandReach
{
    /// <summary>Whether a command, or one that EXEC would run, has one of these flags.</summary>
    public static bool Has(SessionExecution execution, CommandFlags flags)
    {
        if (execution.Spec.Has(flags))
            return true;
        if (!execution.Spec.RunsTransaction || execution.Session.Transaction is not { } transaction)
            return false;
        foreach (QueuedCommand queued in transaction.Commands)
        {
            if (queued.Spec.Has(flags))
                return true;
        }

        return false;
    }

    /// <summary>Whether a command, or one that EXEC would run, does not have this flag.</summary>
    public static bool Lacks(SessionExecution execution, CommandFlags flag)
    {
        if (!execution.Spec.Has(flag))
            return true;
        if (!execution.Spec.RunsTransaction || execution.Session.Transaction is not { } transaction)
            return false;
        foreach (QueuedCommand queued in transaction.Commands)
        {
            if (!queued.Spec.Has(flag))
                return true;
        }

        return false;
    }
}
