using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Replication.Replicas;

namespace Cinnabar.Engine.Administration;

/// <summary>ROLE, WAIT, WAITAOF of a master.</summary>
internal static class ReplicationCommands
{
    // How often a client that waits for the disk is looked after.
    private const long LookMs = 5;

    /// <summary>ROLE: a master, the stream's length, its replicas.</summary>
    public static void Role(SessionExecution execution)
    {
        if (execution.Engine.Replica.IsReplica)
        {
            ReplicaCommands.Role(execution);
            return;
        }

        execution.Reply.ArrayHeader(3);
        execution.Reply.Bulk("master"u8);
        execution.Reply.Integer(execution.Engine.Replication.Offset);
        WriteReplicas(execution);
    }

    /// <summary>WAIT numreplicas timeout: how many replicas have acknowledged what the client has
    /// written.</summary>
    public static Outcome Wait(SessionExecution execution)
    {
        if (execution.Engine.Replica.IsReplica && execution.Waiter is null)
        {
            execution.Reply.Error("ERR WAIT cannot be used with replica instances. Please also note that "u8
                + "since Redis 4.0 if a replica is configured to be writable (which is not the default) "u8
                + "writes to replicas are just local and are not propagated."u8);
            return Outcome.Done;
        }

        if (!execution.TryInteger(1, out long countMin)
            || !BlockingTimeout.TryMilliseconds(execution, 2, out long timeoutMs))
            return Outcome.Done;
        AcknowledgementWaits waits = execution.Engine.Replicas.Waits;
        Waiter? waiter = execution.Waiter;
        if (waiter is null)
            execution.AwaitedOffset = waits.Mark();
        if (!CanWait(execution) || waits.CountOf(execution.AwaitedOffset, isForDisk: false) >= countMin)
        {
            ReplyCount(execution);
            return Outcome.Done;
        }

        Outcome outcome = waiter is null
            ? execution.Block(execution.EndOfWaitMs(timeoutMs), ReplyCount) : Outcome.Wait;
        waits.Add(execution.Waiter!, execution.AwaitedOffset, countMin, isForDisk: false);
        return outcome;
    }

    /// <summary>WAITAOF numlocal numreplicas timeout</summary>
    public static Outcome WaitAof(SessionExecution execution)
    {
        if (execution.Engine.Replica.IsReplica && execution.Waiter is null)
        {
            execution.Reply.Error("ERR WAITAOF cannot be used with replica instances. Please also note "u8
                + "that writes to replicas are just local and are not propagated."u8);
            return Outcome.Done;
        }

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
        if (localCount > 0 && !execution.Engine.Data.Journal.IsOn)
        {
            execution.Reply.Error(
                "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled."u8);
            return Outcome.Done;
        }

        return WaitForDisk(execution, localCount, replicaCount, timeoutMs);
    }

    // Those that get the stream; their numbers are texts, as in Redis.
    private static void WriteReplicas(SessionExecution execution)
    {
        ref ReplyWriter reply = ref execution.Reply;
        DeferredHeader header = reply.BeginDeferred();
        int count = 0;
        foreach (Replica replica in execution.Engine.Replicas.All)
        {
            string address = replica.Address;
            if (!replica.HasAllData || address.Length == 0)
                continue;
            count++;
            reply.ArrayHeader(3);
            reply.Bulk(Encoding.Latin1.GetBytes(address));
            BulkNumber(ref reply, replica.Announcement.Port);
            BulkNumber(ref reply, replica.AcknowledgedOffset);
        }

        reply.EndDeferredArray(in header, count);
    }

    private static void BulkNumber(ref ReplyWriter reply, long number) =>
        reply.Bulk(Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture)));

    // The client's writes are durable when all is that the journal has now. The command runs again until that
    // is so, and when replicas acknowledge.
    private static Outcome WaitForDisk(
        SessionExecution execution, long localCount, long replicaCount, long timeoutMs)
    {
        ServerJournal journal = execution.Engine.Data.Journal;
        AcknowledgementWaits waits = execution.Engine.Replicas.Waits;
        Waiter? waiter = execution.Waiter;
        if (waiter is null)
        {
            execution.JournalPosition = journal.Tail;
            execution.AwaitedOffset = waits.Mark();
        }

        bool isDurable = execution.JournalPosition <= journal.FlushedPosition;
        bool isLocal = localCount == 0 || isDurable;
        bool isReplicated = waits.CountOf(execution.AwaitedOffset, isForDisk: true) >= replicaCount;
        if (!CanWait(execution) || (isLocal && isReplicated))
        {
            ReplyCounts(execution);
            return Outcome.Done;
        }

        Outcome outcome = waiter is null
            ? execution.Block(execution.EndOfWaitMs(timeoutMs), ReplyCounts) : Outcome.Wait;
        execution.Waiter!.RetryMs = isLocal ? 0 : (execution.Server.Clock.UnixMicroseconds / 1000) + LookMs;
        if (!isReplicated)
            waits.Add(execution.Waiter, execution.AwaitedOffset, replicaCount, isForDisk: true);
        return outcome;
    }

    // The server may have become a replica between an acknowledgement and this: the wait ends.
    private static bool CanWait(SessionExecution execution) =>
        execution.CanWait && !execution.Engine.Replica.IsReplica;

    private static void ReplyCount(SessionExecution execution) => execution.Reply.Integer(
        execution.Engine.Replicas.Waits.CountOf(execution.AwaitedOffset, isForDisk: false));

    private static void ReplyCounts(SessionExecution execution)
    {
        ServerJournal journal = execution.Engine.Data.Journal;
        bool isDurable = journal.IsOn && execution.JournalPosition <= journal.FlushedPosition;
        execution.Reply.ArrayHeader(2);
        execution.Reply.Integer(isDurable ? 1 : 0);
        execution.Reply.Integer(
            execution.Engine.Replicas.Waits.CountOf(execution.AwaitedOffset, isForDisk: true));
    }
}
