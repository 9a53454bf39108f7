using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Commands about what is pending with a group: XACK, XPENDING.</summary>
public static class PendingCommands
{
    private const long NsPerPending = 100;
    private const long NsPerConsumer = 500;

    /// <summary>XACK key group id [id ...].</summary>
    public static void XAck(Execution execution)
    {
        bool isStream = execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot);
        execution.Keys.NoteLookup(execution.Key(1), !slot.IsMissing);
        if (!isStream) return;
        ReadOnlySpan<byte> name = execution.Argument(2);
        if (slot.IsMissing || !StreamGroups.TryFind(StreamStore.Of(slot.View), name, out StreamGroup group))
        {
            execution.Reply.Integer(0);
            return;
        }
        for (int index = 3; index < execution.ArgumentCount; index++)
        {
            if (!StreamIdText.TryStrict(execution, index, out _)) return;
        }
        StreamEditor editor = StreamStore.Edit(slot);
        long count = 0;
        for (int index = 3; index < execution.ArgumentCount; index++)
        {
            bool isId = StreamIdText.TryStrict(execution, index, out StreamId id);
            Debug.Assert(isId, "the IDs were read before");
            if (StreamPendings.Remove(ref editor.Stream, editor.Trees, in group, id)) count++;
        }
        execution.Keys.CountChanges(count);
        execution.Reply.Integer(count);
    }

    /// <summary>XPENDING key group [[IDLE min-idle-time] start end count [consumer]].</summary>
    public static Outcome XPending(Execution execution)
    {
        if (execution.ArgumentCount is not (3 or (>= 6 and <= 9)))
        {
            execution.Reply.Error(Errors.Syntax);
            return Outcome.Done;
        }
        if (execution.ArgumentCount != 3)
        {
            return List(execution);
        }
        if (!GroupAccess.TryFind(execution, 1, 2, out StreamTree stream, out StreamGroup group))
            return Outcome.Done;
        long cost = StreamGroups.ConsumerCount(stream, in group) * NsPerConsumer;
        if (execution.MustLeaveKeys(cost)) return Outcome.OffLoopWithoutKeys;
        Summarize(execution, stream, in group);
        return Outcome.Done;
    }

    private static void Summarize(Execution execution, StreamTree stream, in StreamGroup group)
    {
        execution.Reply.ArrayHeader(4);
        execution.Reply.Integer(StreamPendings.CountOf(stream, in group));
        if (!StreamPendings.TryBounds(stream, in group, out StreamId first, out StreamId last))
        {
            execution.Reply.Null();
            execution.Reply.Null();
            execution.Reply.NullArray();
            return;
        }
        StreamIdText.Reply(execution, first);
        StreamIdText.Reply(execution, last);
        var header = execution.Reply.BeginDeferred();
        int count = 0;
        StreamConsumerCursor consumers = StreamGroups.Consumers(stream, in group);
        while (consumers.MoveNext())
        {
            long pending = StreamPendings.CountOf(stream, consumers.Consumer);
            if (pending == 0) continue;
            execution.Reply.ArrayHeader(2);
            execution.Reply.Bulk(consumers.Name);
            execution.Reply.BulkInteger(pending);
            count++;
        }
        execution.Reply.EndDeferredArray(in header, count);
    }

    private static Outcome List(Execution execution)
    {
        int index = 3;
        long idleMs = 0;
        if (execution.Is(3, "idle"u8))
        {
            if (!execution.TryInteger(4, out idleMs)) return Outcome.Done;
            if (execution.ArgumentCount < 8)
            {
                execution.Reply.Error(Errors.Syntax);
                return Outcome.Done;
            }
            index += 2;
        }
        if (!execution.TryInteger(index + 2, out long countMax)) return Outcome.Done;
        if (!StreamIdText.TryStart(execution, index, out StreamId from)) return Outcome.Done;
        if (!StreamIdText.TryEnd(execution, index + 1, out StreamId to)) return Outcome.Done;
        if (!GroupAccess.TryFind(execution, 1, 2, out StreamTree stream, out StreamGroup group))
            return Outcome.Done;
        // With IDLE many may be looked at that are not replied.
        long lookedAt = StreamPendings.CountOf(stream, in group);
        if (idleMs == 0) lookedAt = Math.Clamp(countMax, 0, lookedAt);
        if (execution.MustLeaveKeys(lookedAt * NsPerPending)) return Outcome.OffLoopWithoutKeys;
        if (index + 3 == execution.ArgumentCount)
        {
            StreamPendingCursor all = StreamPendings.Of(stream, in group, from);
            var header = execution.Reply.BeginDeferred();
            long count = 0;
            while (count < countMax && all.MoveNext() && all.Pending.Id <= to)
            {
                if (TryReply(execution, stream, in group, all.Pending, idleMs)) count++;
            }
            execution.Reply.EndDeferredArray(in header, count);
            return Outcome.Done;
        }
        ReadOnlySpan<byte> name = execution.Argument(index + 3);
        if (StreamGroups.TryFindConsumer(stream, in group, name, out StreamConsumer consumer))
        {
            StreamOwnedCursor owned = StreamPendings.Of(stream, in group, in consumer, from);
            var header = execution.Reply.BeginDeferred();
            long count = 0;
            while (count < countMax && owned.MoveNext() && owned.Id <= to)
            {
                if (TryReply(execution, stream, in group, owned.Pending, idleMs)) count++;
            }
            execution.Reply.EndDeferredArray(in header, count);
            return Outcome.Done;
        }
        execution.Reply.ArrayHeader(0);
        return Outcome.Done;
    }

    private static bool TryReply(
        Execution execution, StreamTree stream, in StreamGroup group, StreamPending pending, long idleMs)
    {
        long idle = execution.NowMs - pending.DeliveredMs;
        if (idleMs != 0 && idle < idleMs) return false;
        execution.Reply.ArrayHeader(4);
        StreamIdText.Reply(execution, pending.Id);
        execution.Reply.Bulk(StreamGroups.NameOf(stream, in group, pending.Consumer));
        execution.Reply.Integer(Math.Max(idle, 0));
        execution.Reply.Integer((long)pending.DeliveryCount);
        return true;
    }
}
