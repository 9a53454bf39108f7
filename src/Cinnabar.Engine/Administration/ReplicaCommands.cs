using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Replication.Links;

namespace Cinnabar.Engine.Administration;

/// <summary>REPLICAOF, SLAVEOF, and ROLE of a replica.</summary>
internal static class ReplicaCommands
{
    /// <summary>REPLICAOF host port | NO ONE</summary>
    public static void ReplicaOf(SessionExecution execution)
    {
        ServerEngine engine = execution.Engine;
        if (engine.Replica.Failover.State != FailoverState.None)
        {
            execution.Reply.Error("ERR REPLICAOF not allowed while failing over."u8);
            return;
        }

        // What came before in a transaction is of the role that ends.
        if (execution.Effects.IsRecording)
            execution.Effects.CommitOwn();
        if (execution.Is(1, "no"u8) && execution.Is(2, "one"u8))
        {
            if (engine.Replica.IsReplica)
            {
                engine.Replica.Promote();
                engine.Configuration.Override("replicaof", "no", "one");
                engine.Log.Write(
                    LogLevel.Notice, $"MASTER MODE enabled (user request from '{ClientOf(execution)}')");
            }

            execution.Reply.Ok();
            return;
        }

        if (!RedisNumber.TryParseInt64(execution.Argument(2), out long port) || port is < 0 or > 65535)
        {
            execution.Reply.Error("ERR Invalid master port"u8);
            return;
        }

        var master = new MasterAddress(Encoding.Latin1.GetString(execution.Argument(1)), (int)port);
        if (engine.Replica.Master is { } present
            && present.Port == master.Port
            && present.Host.Equals(master.Host, StringComparison.OrdinalIgnoreCase))
        {
            engine.Log.Write(LogLevel.Notice, "REPLICAOF would result into synchronization with the master "
                + "we are already connected with. No operation performed.");
            execution.Reply.SimpleString("OK Already connected to specified master"u8);
            return;
        }

        engine.Configuration.Override(
            "replicaof", master.Host, port.ToString(CultureInfo.InvariantCulture));
        engine.Replica.Follow(master);
        engine.Log.Write(LogLevel.Notice,
            $"REPLICAOF {master.Host}:{master.Port} enabled (user request from '{ClientOf(execution)}')");
        execution.Reply.Ok();
    }

    /// <summary>ROLE of a replica.</summary>
    public static void Role(SessionExecution execution)
    {
        ReplicaRole role = execution.Engine.Replica;
        LinkState state = role.Link?.State ?? LinkState.Waiting;
        execution.Reply.ArrayHeader(5);
        execution.Reply.Bulk("slave"u8);
        execution.Reply.Bulk(Encoding.Latin1.GetBytes(role.Master?.Host ?? ""));
        execution.Reply.Integer(role.Master?.Port ?? 0);
        execution.Reply.Bulk(state switch
        {
            LinkState.Connecting => "connecting"u8,
            LinkState.Handshake => "handshake"u8,
            LinkState.Transfer => "sync"u8,
            LinkState.Connected => "connected"u8,
            _ => "connect"u8,
        });
        execution.Reply.Integer(state == LinkState.Connected ? role.Offset : -1);
    }

    private static string ClientOf(SessionExecution execution) => ClientDescription.ForLog(
        execution.Session, execution.Engine.Clock, execution.Engine.Settings);
}
