// Commands that go to the slow lane before they start, because they are long in any case: those with very
// many arguments, transactions of many commands or with some that read whole collections, and those that
// visit all keys. Handlers of other long commands ask for the lane themselves, once they know their work
// (Execution.MustLeaveLoop), but a command in a transaction cannot leave halfway.
//
// Only commands on keys go there: a session's own commands use state of its loop. A command that
// may wait for keys does so on its loop, too.

using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Engine.Executions;

/// <summary>Estimates of work that is known before a command starts.</summary>
internal static class WorkAhead
{
    // A command with fewer arguments is not long because of them, whatever the loop's limit is.
    private const int ArgumentCountMin = 64;

    private const long NsPerArgument = 100;
    private const long NsPerCommand = 200;
    private const long NsPerElement = 50;
    private const long BytesPerNs = 16;

    /// <summary>Whether an execution, which holds its stripes if it needs any, must leave its loop.</summary>
    public static bool IsLong(SessionExecution execution)
    {
        CommandSpec spec = execution.Spec;
        if (!spec.RunsTransaction)
        {
            return execution.ArgumentCount >= ArgumentCountMin && spec.Lock == LockScope.Keys
                && !spec.Has(CommandFlags.Blocking | CommandFlags.OnLoop)
                && execution.ArgumentCount * NsPerArgument > execution.LoopCostNsMax;
        }

        // A transaction that will be refused does not even lock its keys.
        return execution.Session.Transaction is { } transaction
            && (execution.Session.Flags & SessionFlags.TransactionBroken) == 0
            && IsLong(execution, transaction);
    }

    private static bool IsLong(SessionExecution execution, Transaction transaction)
    {
        long costNs = 0;
        bool isOnKeys = true;
        foreach (QueuedCommand queued in transaction.Commands)
        {
            CommandSpec spec = queued.Spec;
            // It may take any time, and cannot leave halfway.
            if (spec.RunsScript || (!spec.IsConstantCost && spec.Lock is LockScope.All or LockScope.Chosen))
                return true;
            isOnKeys &= spec.Lock == LockScope.Keys;
            costNs += NsPerCommand + (queued.Arguments.Count * NsPerArgument);
            if (spec.Cost == CommandCost.Content)
                costNs += ContentNs(execution, queued);
        }

        return isOnKeys && costNs > execution.LoopCostNsMax;
    }

    private static long ContentNs(SessionExecution execution, QueuedCommand queued)
    {
        long costNs = 0;
        var keys = new KeyArguments(queued.Spec, queued.Arguments);
        while (keys.MoveNext())
        {
            var key = new Key(in queued.Arguments[keys.Current]);
            EntryView entry = execution.Keys.PeekIn(execution.Session.Database, in key);
            if (entry.IsMissing)
                continue;
            long size = Math.Max(ValueSize.Of(entry), 0);
            costNs += entry.Type == KeyType.String ? size / BytesPerNs : size * NsPerElement;
        }

        return costNs;
    }
}
