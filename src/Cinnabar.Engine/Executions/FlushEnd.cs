using Cinnabar.Commands;
using Cinnabar.Engine.Mail;

namespace Cinnabar.Engine.Executions;

/// <summary>The end of FLUSHALL and FLUSHDB: what their clients wait for.</summary>
internal static class FlushEnd
{
    private const long FlushedAtOnceCountMax = 1000;

    /// <summary>Ends a flush whose keys are gone; all stripes are held. Where the server saves by itself, the
    /// client waits until the file is empty, too.</summary>
    public static Outcome Run(SessionExecution execution, bool isAll, bool isSync)
    {
        var waiter = new Waiter(execution, long.MaxValue, static waiting => waiting.Reply.Ok())
        {
            IsForMemory = isSync,
            IsForLoops = !isSync,
            IsWithheld = isAll && execution.CanWait,
        };
        IExecutionServer server = execution.Server;
        Action? saved = waiter.IsWithheld ? () => waiter.Execution.Loop.Run(() => EndWithheld(waiter)) : null;
        if (isAll && server.TrySaveFlushed(execution.Keys, saved) && execution.CanWait)
        {
            execution.Waiter = waiter;
            return Outcome.Wait;
        }

        waiter.IsWithheld = false;
        if (!isSync || !MustWaitForMemory(execution))
        {
            execution.Reply.Ok();
            return Outcome.Done;
        }

        // Each loop frees the memory of its stripes, and may be asleep until its next cron.
        server.PostToAll(new MailboxMessage { Kind = MailboxMessageKind.None });
        execution.Waiter = waiter;
        return Outcome.Wait;
    }

    // Freeing few keys here costs less than waking the loops of their stripes. A transaction does not wait:
    // the memory of many keys follows in slices, as after ASYNC. Only there Redis does not count.
    private static bool MustWaitForMemory(SessionExecution execution)
    {
        Keyspace.Keyspace keyspace = execution.Server.Keyspace;
        keyspace.FreeDetachedIfFew(FlushedAtOnceCountMax, isCounted: execution.CanWait);
        return execution.CanWait && keyspace.HasDetached;
    }

    // The housekeeping ends a wait for memory.
    private static void EndWithheld(Waiter waiter)
    {
        waiter.IsWithheld = false;
        if (!waiter.IsForMemory)
            waiter.Execution.Loop.EndWait(waiter);
    }
}
