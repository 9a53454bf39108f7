using System;
using Cinnabar.Commands;
using Cinnabar.Engine.Executions;
using Cinnabar.Resp;

namespace Cinnabar.Engine.Server;

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

    /// <summary>WAIT numreplicas timeout: no replica can appear, so the answer is there at once.</summary>
    public static void Wait(SessionExecution execution)
    {
        if (execution.TryInteger(1, out _) && IsTimeout(execution, 2))
            execution.Reply.Integer(0);
    }

    /// <summary>WAITAOF numlocal numreplicas timeout</summary>
    public static void WaitAof(SessionExecution execution)
    {
        if (!execution.TryInteger(1, out long localCount))
            return;
        if (localCount is < 0 or > 1)
        {
            execution.Reply.Error("ERR value is out of range, must be between 0 and 1"u8);
            return;
        }

        if (!execution.TryInteger(2, out long replicaCount))
            return;
        if (replicaCount < 0)
        {
            execution.Reply.Error("ERR value is out of range, must be positive"u8);
            return;
        }

        if (!IsTimeout(execution, 3))
            return;
        if (localCount > 0)
        {
            execution.Reply.Error(
                "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."u8);
            return;
        }

        execution.Reply.ArrayHeader(2);
        execution.Reply.Integer(0);
        execution.Reply.Integer(0);
    }

    private static bool IsTimeout(SessionExecution execution, int index)
    {
        if (!RedisNumber.TryParseInt64(execution.Argument(index), out long timeoutMs))
        {
            execution.Reply.Error("ERR timeout is not an integer or out of range"u8);
            return false;
        }

        if (timeoutMs < 0)
        {
            execution.Reply.Error("ERR timeout is negative"u8);
            return false;
        }

        if (timeoutMs <= long.MaxValue - execution.NowMs)
            return true;
        execution.Reply.Error("ERR timeout is out of range"u8);
        return false;
    }
}
