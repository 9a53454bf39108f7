using Cinnabar.Engine.Replication.Replicas;
using Cinnabar.Engine.Replies;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Information;

/// <summary>INFO: section replication.</summary>
internal static class ReplicationInfo
{
    /// <summary>Writes the section.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        text.Section("Replication"u8);
        text.Field("role"u8, engine.Replica.IsReplica ? "slave"u8 : "master"u8);
        if (engine.Replica.IsReplica)
            ReplicaInfo.Write(text, engine);
        WriteReplicas(text, engine);
        text.Field("replicas_waiting_psync"u8, 0);
        text.Field("master_failover_state"u8, engine.Replica.Failover.StateName);
        // Not under the lock: a change of the directive takes it.
        long retention = engine.Configuration.NumberOf("repl-backlog-size");
        lock (engine.Replication.Lock)
        {
            ReplicationHistory history = engine.Replication.History;
            text.Field("master_replid"u8, history.Id);
            text.Field("master_replid2"u8, history.SecondId);
            text.Field("master_repl_offset"u8, history.Offset);
            text.Field("second_repl_offset"u8, history.SecondOffset);
            WriteBacklog(text, engine.Replication.Backlog, retention);
        }
    }

    private static void WriteReplicas(InfoText text, ServerEngine engine)
    {
        ReadOnlySpan<Replica> replicas = engine.Replicas.All;
        text.Field("connected_slaves"u8, replicas.Length);
        if (engine.ReplicaMinimum.IsCounting)
            text.Field("min_slaves_good_slaves"u8, engine.ReplicaMinimum.GoodCount);
        long nowMs = engine.Clock.UnixMicroseconds / 1000;
        int number = 0;
        foreach (Replica replica in replicas)
        {
            string address = replica.Address;
            if (replica.StateName is not { } state || address.Length == 0)
                continue;
            text.Append($"slave{number++}:ip={address},port={replica.Announcement.Port},state={state},");
            text.Line($"offset={replica.AcknowledgedOffset},lag={replica.LagSeconds(nowMs)}");
        }
    }

    private static void WriteBacklog(InfoText text, ReplicationBacklog? backlog, long retention)
    {
        long start = backlog?.StartOffset ?? 0;
        text.Field("repl_backlog_active"u8, backlog is null ? 0 : 1);
        text.Field("repl_backlog_size"u8, retention);
        // Redis counts bytes from 1.
        text.Field("repl_backlog_first_byte_offset"u8, backlog is null ? 0 : start + 1);
        text.Field("repl_backlog_histlen"u8, backlog is null ? 0 : backlog.EndOffset - start);
    }
}
