using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Replication.Links;
using Cinnabar.Engine.Replication.Replicas;
using Cinnabar.Engine.Replication.Streams;
using Cinnabar.Engine.Sessions;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Administration;

/// <summary>SYNC, PSYNC and REPLCONF: what a replica says to this server.</summary>
internal static class SyncCommands
{
    /// <summary>SYNC: all data, then the stream.</summary>
    public static void Sync(SessionExecution execution)
    {
        if (TryBegin(execution) is { } replica)
            BeginFull(execution, replica, isPsync: false);
    }

    /// <summary>PSYNC replicationid offset [FAILOVER]: the stream from an offset on where that is possible,
    /// else as SYNC.</summary>
    public static void Psync(SessionExecution execution)
    {
        if (IsReplica(execution))
            return;
        if (execution.ArgumentCount > 3 && execution.Is(3, "failover"u8) && !TryTakeOver(execution))
            return;
        if (TryBegin(execution) is not { } replica || !execution.TryInteger(2, out long first))
            return;
        BacklogReader? reader = TryContinue(execution, replica, first);
        if (reader is null)
        {
            BeginFull(execution, replica, isPsync: true);
            return;
        }

        ServerEngine engine = execution.Engine;
        string note = replica.Announcement.KnowsNewNames
            ? $"+CONTINUE {engine.Replication.Id}\r\n" : "+CONTINUE\r\n";
        engine.Replication.PartialCount++;
        Become(execution, replica);
        replica.BeginStream(reader, note, NowMs(engine));
        Log(engine, $"Partial resynchronization request from {replica.LogName} accepted. Sending "
            + $"{reader.UnreadBytes} bytes of backlog starting from offset {first}.");
    }

    /// <summary>REPLCONF option value [option value ...]: what a replica is and knows, or (ACK) how far it
    /// is.</summary>
    public static void ReplConf(SessionExecution execution)
    {
        if (execution.ArgumentCount % 2 == 0)
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        for (int index = 1; index < execution.ArgumentCount; index += 2)
        {
            if (execution.Is(index, "ack"u8))
            {
                Acknowledge(execution, index);
                return;
            }

            // A master asks for it in its stream, where it is answered.
            if (execution.Is(index, "getack"u8))
                return;
            if (!TryAnnounce(execution, index))
                return;
        }

        execution.Reply.Ok();
    }

    private static Replica? TryBegin(SessionExecution execution)
    {
        ServerEngine engine = execution.Engine;
        if (IsReplica(execution))
            return null;
        if (engine.Replica.Failover.State != FailoverState.None)
        {
            execution.Reply.Error("NOMASTERLINK Can't SYNC while failing over"u8);
            return null;
        }

        if (engine.Replica is { IsReplica: true } role && role.Link?.State != LinkState.Connected)
        {
            execution.Reply.Error("NOMASTERLINK Can't SYNC while not connected with my master"u8);
            return null;
        }

        Replica replica = ReplicaOf(execution);
        if (replica.Announcement is { Parts: not PayloadParts.All, KnowsEndMarks: false })
        {
            execution.Reply.Error("ERR Filtered replica requires EOF capability"u8);
            return null;
        }

        Log(engine, $"Replica {replica.LogName} asks for synchronization");
        return replica;
    }

    private static BacklogReader? TryContinue(SessionExecution execution, Replica replica, long first)
    {
        ServerEngine engine = execution.Engine;
        string id = Encoding.Latin1.GetString(execution.Argument(1));
        ReplicationState state = engine.Replication;
        lock (state.Lock)
        {
            ReplicationHistory history = state.History;
            if (!history.Covers(id, first))
            {
                LogMismatch(engine, replica, id, first);
                return null;
            }

            BacklogReader? reader = first > 0 ? state.Backlog?.TryAddReader(first - 1) : null;
            if (reader is not null)
                return reader;
            Log(engine, $"Unable to partial resync with replica {replica.LogName} for lack of backlog "
                + $"(Replica request was: {first}).");
            if (first > history.Offset + 1)
            {
                engine.Log.Write(LogLevel.Warning, $"Warning: replica {replica.LogName} tried to PSYNC with "
                    + "an offset that is greater than the master replication offset.");
            }

            return null;
        }
    }

    private static void LogMismatch(ServerEngine engine, Replica replica, string id, long first)
    {
        ReplicationHistory history = engine.Replication.History;
        if (id.StartsWith('?'))
        {
            Log(engine, $"Full resync requested by replica {replica.LogName}");
        }
        else if (id.Equals(history.SecondId, StringComparison.OrdinalIgnoreCase))
        {
            Log(engine, "Partial resynchronization not accepted: Requested offset for second ID was "
                + $"{first}, but I can reply up to {history.SecondOffset}");
        }
        else
        {
            Log(engine, "Partial resynchronization not accepted: Replication ID mismatch (Replica asked for "
                + $"'{id}', my replication IDs are '{history.Id}' and '{history.SecondId}')");
        }
    }

    private static void BeginFull(SessionExecution execution, Replica replica, bool isPsync)
    {
        ServerEngine engine = execution.Engine;
        ReplicationState state = engine.Replication;
        state.FullCount++;
        if (isPsync && !execution.Argument(1).StartsWith("?"u8))
            state.RefusedPartialCount++;
        Become(execution, replica);
        if (!engine.Replica.IsReplica && !state.Stream.IsAttached)
        {
            if (state.Begin())
            {
                Log(engine, "Replication backlog created, my new replication IDs are "
                    + $"'{state.History.Id}' and '{state.History.SecondId}'");
            }

            state.Stream.Attach();
        }

        if (engine.Configuration.NumberOf("repl-disable-tcp-nodelay") != 0)
            SocketSettings.Delay(execution.Session.Endpoint);
        replica.BeginWait(isPsync, NowMs(engine));
        engine.Replicas.Synchronisation.BeginIfDue(NowMs(engine));
    }

    private static void Become(SessionExecution execution, Replica replica)
    {
        execution.Session.ChangeFlags(SessionFlags.Replica, SessionFlags.None);
        execution.Engine.Replicas.Add(replica);
    }

    // The master hands its role over (FAILOVER): this replica becomes the master of the one that asks.
    private static bool TryTakeOver(SessionExecution execution)
    {
        ServerEngine engine = execution.Engine;
        if (!engine.Replica.IsReplica)
        {
            execution.Reply.Error("ERR PSYNC FAILOVER can't be sent to a master."u8);
            return false;
        }

        if (!engine.Replication.Id.Equals(
            Encoding.Latin1.GetString(execution.Argument(1)), StringComparison.OrdinalIgnoreCase))
        {
            execution.Reply.Error("ERR PSYNC FAILOVER replid must match my replid."u8);
            return false;
        }

        engine.Replica.Promote();
        engine.Configuration.Override("replicaof", "no", "one");
        string client = ClientDescription.ForLog(execution.Session, engine.Clock, engine.Settings);
        Log(engine, $"MASTER MODE enabled (failover request from '{client}')");
        return true;
    }

    private static void Acknowledge(SessionExecution execution, int index)
    {
        if (!IsReplica(execution) || execution.Session.Feed is not Replica replica
            || !RedisNumber.TryParseInt64(execution.Argument(index + 1), out long offset))
            return;
        long durableOffset = -1;
        if (index + 3 < execution.ArgumentCount && execution.Is(index + 2, "fack"u8)
            && RedisNumber.TryParseInt64(execution.Argument(index + 3), out long told))
            durableOffset = told;
        replica.Acknowledge(offset, durableOffset, NowMs(execution.Engine));
    }

    private static bool TryAnnounce(SessionExecution execution, int index)
    {
        Replica replica = ReplicaOf(execution);
        if (AnnouncementReader.Read(execution, replica.Announcement, index) is not { } told)
            return false;
        replica.Announcement = told;
        return true;
    }

    private static Replica ReplicaOf(SessionExecution execution)
    {
        Session session = execution.Session;
        if (session.Feed is Replica known)
            return known;
        ServerEngine engine = execution.Engine;
        var replica = new Replica(session, engine.Replicas, engine.Chunks);
        session.Feed = replica;
        return replica;
    }

    private static bool IsReplica(SessionExecution execution) =>
        (execution.Session.Flags & SessionFlags.Replica) != 0;

    private static long NowMs(ServerEngine engine) => engine.Clock.UnixMicroseconds / 1000;

    private static void Log(ServerEngine engine, string message) =>
        engine.Log.Write(LogLevel.Notice, message);
}
