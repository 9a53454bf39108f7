using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replication.Links;
using Cinnabar.Engine.Replication.Replicas;

namespace Cinnabar.Engine.Administration;

/// <summary>FAILOVER.</summary>
internal static class FailoverCommands
{
    /// <summary>FAILOVER [TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]; its spec locks every
    /// stripe.</summary>
    public static void Failover(SessionExecution execution)
    {
        if (!TryParse(execution, out Request request))
            return;
        ServerEngine engine = execution.Engine;
        PlannedFailover failover = engine.Replica.Failover;
        if (request.IsAbort)
        {
            Abort(execution, failover);
            return;
        }

        if (FindError(engine, failover, request) is { } error)
        {
            execution.Reply.Error(Encoding.ASCII.GetBytes(error));
            return;
        }

        // What came before in a transaction is of the role that may end.
        if (execution.Effects.IsRecording)
            execution.Effects.CommitOwn();
        long nowMs = engine.Clock.UnixMicroseconds / 1000;
        long endMs = request.TimeoutMs == 0 ? 0 : nowMs + Math.Min(request.TimeoutMs, long.MaxValue - nowMs);
        failover.Begin(request.Target, endMs, request.IsForced);
        execution.Reply.Ok();
    }

    private static void Abort(SessionExecution execution, PlannedFailover failover)
    {
        if (failover.State == FailoverState.None)
        {
            execution.Reply.Error("ERR No failover in progress."u8);
        }
        else
        {
            failover.Abort("Failover manually aborted");
            execution.Reply.Ok();
        }
    }

    private static string? FindError(ServerEngine engine, PlannedFailover failover, Request request)
    {
        if (failover.State != FailoverState.None)
            return "ERR FAILOVER already in progress.";
        if (engine.Replica.IsReplica)
            return "ERR FAILOVER is not valid when server is a replica.";
        if (engine.Replicas.All.IsEmpty)
            return "ERR FAILOVER requires connected replicas.";
        if (request.IsForced && (request.TimeoutMs == 0 || request.Target is null))
            return "ERR FAILOVER with force option requires both a timeout and target HOST and IP.";
        if (request.Target is not { } target)
            return null;
        foreach (Replica replica in engine.Replicas.All)
        {
            if (replica.Is(target.Host, target.Port))
                return replica.HasAllData ? null : "ERR FAILOVER target replica is not online.";
        }

        return "ERR FAILOVER target HOST and PORT is not a replica.";
    }

    private static bool TryParse(SessionExecution execution, out Request request)
    {
        request = new Request(null, 0, false, false);
        int count = execution.ArgumentCount;
        for (int index = 1; index < count; index++)
        {
            if (execution.Is(index, "timeout"u8) && index + 1 < count && request.TimeoutMs == 0)
            {
                if (!execution.TryInteger(++index, out long timeoutMs))
                    return false;
                if (timeoutMs <= 0)
                {
                    execution.Reply.Error("ERR FAILOVER timeout must be greater than 0"u8);
                    return false;
                }

                request = request with { TimeoutMs = timeoutMs };
            }
            else if (execution.Is(index, "to"u8) && index + 2 < count && request.Target is null)
            {
                if (!execution.TryInteger(index + 2, out long port))
                    return false;
                string host = Encoding.Latin1.GetString(execution.Argument(index + 1));
                request = request with { Target = new MasterAddress(host, (int)port) };
                index += 2;
            }
            else if (execution.Is(index, "abort"u8) && count == 2)
            {
                request = request with { IsAbort = true };
            }
            else if (execution.Is(index, "force"u8) && !request.IsForced)
            {
                request = request with { IsForced = true };
            }
            else
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }
        }

        return true;
    }

    private sealed record Request(MasterAddress? Target, long TimeoutMs, bool IsForced, bool IsAbort);
}
