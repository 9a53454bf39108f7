using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Administration;

/// <summary>ROLE, WAIT, WAITAOF of a master that has no replicas.</summary>
internal static class ReplicationCommands
{
    /// <summary>ROLE: a master, nothing sent, no replicas.</summary>
    public static void Role(SessionExecution execution)
    {
        execution.Reply.ArrayHeader(3);
        execution.Reply.Bulk("master"u8);
        execution.Reply.Integer(0);
        execution.Reply.ArrayHeader(0);
    }

    /// <summary>WAIT numreplicas timeout: no replica can appear, so a client that waits for one waits until
    /// the timeout.</summary>
    public static Outcome Wait(SessionExecution execution)
    {
        return execution.TryInteger(1, out long replicaCount)
            && BlockingTimeout.TryMilliseconds(execution, 2, out long timeoutMs)
            ? AnswerOrWait(execution, replicaCount, timeoutMs, static waiter => waiter.Reply.Integer(0))
            : Outcome.Done;
    }

    /// <summary>WAITAOF numlocal numreplicas timeout</summary>
    public static Outcome WaitAof(SessionExecution execution)
    {
        if (!execution.TryInteger(1, out long localCount))
            return Outcome.Done;
        if (localCount is < 0 or > 1)
        {
            execution.Reply.Error("ERR value is out of range, value must between 0 and 1"u8);
            return Outcome.Done;
        }

        if (!RedisNumber.TryParseInt64(execution.Argument(2), out long replicaCount) || replicaCount < 0)
        {
            execution.Reply.Error("ERR value is out of range, must be positive"u8);
            return Outcome.Done;
        }

        if (!BlockingTimeout.TryMilliseconds(execution, 3, out long timeoutMs))
            return Outcome.Done;
        if (localCount > 0)
        {
            execution.Reply.Error(
                "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."u8);
            return Outcome.Done;
        }

        return AnswerOrWait(execution, replicaCount, timeoutMs, static waiter =>
        {
            waiter.Reply.ArrayHeader(2);
            waiter.Reply.Integer(0);
            waiter.Reply.Integer(0);
        });
    }

    // In a transaction no command waits; a timeout of 0 is none.
    private static Outcome AnswerOrWait(
        SessionExecution execution, long replicaCount, long timeoutMs, Action<SessionExecution> answer)
    {
        if (replicaCount > 0 && execution.CanWait)
            return execution.Block(execution.EndOfWaitMs(timeoutMs), answer);
        answer(execution);
        return Outcome.Done;
    }
}
