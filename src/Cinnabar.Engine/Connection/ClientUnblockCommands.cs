using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

internal static class ClientUnblockCommands
{
    // A client that is just being served may soon be blocked again, so try this often.
    private const int AttemptCount = 100;

    /// <summary>CLIENT UNBLOCK client-id [TIMEOUT|ERROR]</summary>
    public static void Unblock(SessionExecution execution)
    {
        bool isError = false;
        if (execution.ArgumentCount > 4)
        {
            SubcommandError.Reply(execution);
            return;
        }

        if (execution.ArgumentCount == 4)
        {
            isError = execution.Is(3, "error"u8);
            if (!isError && !execution.Is(3, "timeout"u8))
            {
                execution.Reply.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"u8);
                return;
            }
        }

        if (execution.TryInteger(2, out long id))
        {
            Session? session = execution.Engine.Sessions.Find(id);
            execution.Reply.Integer(TryUnblock(execution, session, isError) ? 1 : 0);
        }
    }

    private static bool TryUnblock(SessionExecution execution, Session? session, bool isError)
    {
        for (int attempt = 0; attempt < AttemptCount; attempt++)
        {
            // Each wait has a new waiter, so a waiter identifies the wait.
            if (session?.Suspended?.Waiter is not { IsBrief: false } waiter || waiter.Session != session
                || session.IsKilled)
                return false;
            if (waiter.TryClaim())
            {
                waiter.IsUnblockedByError = isError;
                Count(execution, waiter);
                waiter.Execution.State = ExecutionState.Unblocked;
                waiter.Execution.Loop.Post(new MailboxMessage
                {
                    Kind = MailboxMessageKind.Resume,
                    Target = waiter.Execution,
                });
                return true;
            }

            Thread.SpinWait(1);
        }

        return false;
    }

    // The next INFO includes the command, whichever loop it ends on.
    private static void Count(SessionExecution execution, Waiter waiter)
    {
        if (execution.State == ExecutionState.InSlowLane)
            return;
        SessionExecution blocked = waiter.Execution;
        ((Loop)execution.Loop).Runner.Timer.RecordNested(
            blocked.Spec, blocked.ElapsedNs, waiter.IsUnblockedByError);
        waiter.IsCounted = true;
    }
}
