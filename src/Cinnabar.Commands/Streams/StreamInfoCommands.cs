using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>XINFO: looks into streams.</summary>
public static class StreamInfoCommands
{
    private const long CountDefault = 10;
    private const long NsPerLine = 300;

    /// <summary>XINFO CONSUMERS key group.</summary>
    public static Outcome Consumers(Execution execution)
    {
        if (!TryFind(execution, out StreamTree stream)) return Outcome.Done;
        if (!StreamGroups.TryFind(stream, execution.Argument(3), out StreamGroup group))
        {
            StreamErrors.ReplyNoGroupForKey(execution, 2, 3);
            return Outcome.Done;
        }
        long count = StreamGroups.ConsumerCount(stream, in group);
        if (execution.MustLeaveKeys(count * NsPerLine)) return Outcome.OffLoopWithoutKeys;
        execution.Reply.ArrayHeader(count);
        StreamConsumerCursor consumers = StreamGroups.Consumers(stream, in group);
        while (consumers.MoveNext())
        {
            StreamConsumer consumer = consumers.Consumer;
            execution.Reply.MapHeader(4);
            execution.Reply.Bulk("name"u8);
            execution.Reply.Bulk(consumers.Name);
            Field(execution, "pending"u8, StreamPendings.CountOf(stream, in consumer));
            Field(execution, "idle"u8, Math.Max(0, execution.NowMs - consumer.SeenMs));
            bool isActive = consumer.ActiveMs >= 0;
            Field(execution, "inactive"u8, isActive ? Math.Max(0, execution.NowMs - consumer.ActiveMs) : -1);
        }
        return Outcome.Done;
    }

    /// <summary>XINFO GROUPS key.</summary>
    public static Outcome Groups(Execution execution)
    {
        if (!TryFind(execution, out StreamTree stream)) return Outcome.Done;
        if (execution.MustLeaveKeys(stream.GroupCount * NsPerLine)) return Outcome.OffLoopWithoutKeys;
        execution.Reply.ArrayHeader(stream.GroupCount);
        StreamGroupCursor groups = StreamGroups.All(stream);
        while (groups.MoveNext())
        {
            StreamGroup group = groups.Group;
            execution.Reply.MapHeader(6);
            execution.Reply.Bulk("name"u8);
            execution.Reply.Bulk(groups.Name);
            Field(execution, "consumers"u8, StreamGroups.ConsumerCount(stream, in group));
            Field(execution, "pending"u8, StreamPendings.CountOf(stream, in group));
            Field(execution, "last-delivered-id"u8, group.LastId);
            Progress(execution, stream, in group);
        }
        return Outcome.Done;
    }

    /// <summary>XINFO STREAM key [FULL [COUNT count]].</summary>
    public static Outcome Stream(Execution execution)
    {
        if (!TryFind(execution, out StreamTree stream)) return Outcome.Done;
        if (execution.ArgumentCount == 3)
        {
            execution.Reply.MapHeader(10 + ProducerFieldCount(stream));
            Common(execution, stream);
            Field(execution, "groups"u8, stream.GroupCount);
            execution.Reply.Bulk("first-entry"u8);
            Edge(execution, stream, isReverse: false);
            execution.Reply.Bulk("last-entry"u8);
            Edge(execution, stream, isReverse: true);
            return Outcome.Done;
        }
        long countMax = CountDefault;
        bool isFull = execution.ArgumentCount is 4 or 6 && execution.Is(3, "full"u8);
        if (!isFull || (execution.ArgumentCount == 6 && !execution.Is(4, "count"u8)))
        {
            StreamErrors.ReplySubcommand(execution, "XINFO"u8);
            return Outcome.Done;
        }
        if (execution.ArgumentCount == 6)
        {
            if (!execution.TryInteger(5, out countMax)) return Outcome.Done;
            if (countMax < 0) countMax = CountDefault;
        }
        return Full(execution, stream, countMax);
    }

    private static Outcome Full(Execution execution, StreamTree stream, long countMax)
    {
        long costNs = StreamRangeCommands.CostNs(stream, StreamId.Zero, StreamId.Max, countMax);
        if (execution.MustLeaveKeys(costNs)) return Outcome.OffLoopWithoutKeys;
        execution.Reply.MapHeader(9 + ProducerFieldCount(stream));
        Common(execution, stream);
        execution.Reply.Bulk("entries"u8);
        StreamCursor cursor = stream.Range(StreamId.Zero, StreamId.Max, isReverse: false);
        StreamReply.Entries(execution, ref cursor, countMax);
        execution.Reply.Bulk("groups"u8);
        execution.Reply.ArrayHeader(stream.GroupCount);
        StreamGroupCursor groups = StreamGroups.All(stream);
        while (groups.MoveNext())
        {
            StreamGroup group = groups.Group;
            execution.Reply.MapHeader(7);
            execution.Reply.Bulk("name"u8);
            execution.Reply.Bulk(groups.Name);
            Field(execution, "last-delivered-id"u8, group.LastId);
            Progress(execution, stream, in group);
            FullPending(execution, stream, in group, countMax);
            execution.Reply.Bulk("consumers"u8);
            execution.Reply.ArrayHeader(StreamGroups.ConsumerCount(stream, in group));
            StreamConsumerCursor consumers = StreamGroups.Consumers(stream, in group);
            while (consumers.MoveNext()) FullConsumer(execution, stream, in group, ref consumers, countMax);
        }
        return Outcome.Done;
    }

    private static void FullPending(
        Execution execution, StreamTree stream, in StreamGroup group, long countMax)
    {
        long count = StreamPendings.CountOf(stream, in group);
        Field(execution, "pel-count"u8, count);
        execution.Reply.Bulk("pending"u8);
        if (countMax != 0) count = Math.Min(count, countMax);
        execution.Reply.ArrayHeader(count);
        StreamPendingCursor pendings = StreamPendings.Of(stream, in group, StreamId.Zero);
        for (; count > 0 && pendings.MoveNext(); count--)
        {
            StreamPending pending = pendings.Pending;
            execution.Reply.ArrayHeader(4);
            StreamIdText.Reply(execution, pending.Id);
            execution.Reply.Bulk(StreamGroups.NameOf(stream, in group, pending.Consumer));
            execution.Reply.Integer(pending.DeliveredMs);
            execution.Reply.Integer((long)pending.DeliveryCount);
        }
    }

    private static void FullConsumer(
        Execution execution, StreamTree stream, in StreamGroup group, ref StreamConsumerCursor consumers,
        long countMax)
    {
        StreamConsumer consumer = consumers.Consumer;
        execution.Reply.MapHeader(5);
        execution.Reply.Bulk("name"u8);
        execution.Reply.Bulk(consumers.Name);
        Field(execution, "seen-time"u8, consumer.SeenMs);
        Field(execution, "active-time"u8, consumer.ActiveMs);
        long count = StreamPendings.CountOf(stream, in consumer);
        Field(execution, "pel-count"u8, count);
        execution.Reply.Bulk("pending"u8);
        if (countMax != 0) count = Math.Min(count, countMax);
        execution.Reply.ArrayHeader(count);
        StreamOwnedCursor owned = StreamPendings.Of(stream, in group, in consumer, StreamId.Zero);
        for (; count > 0 && owned.MoveNext(); count--)
        {
            StreamPending pending = owned.Pending;
            execution.Reply.ArrayHeader(3);
            StreamIdText.Reply(execution, pending.Id);
            execution.Reply.Integer(pending.DeliveredMs);
            execution.Reply.Integer((long)pending.DeliveryCount);
        }
    }

    // Redis counts the nodes of a radix tree of one key a page; here the pages have nodes above them, of
    // which a radix tree would have about as many again.
    private static void Common(Execution execution, StreamTree stream)
    {
        long pageCount = stream.PageCount;
        Field(execution, "length"u8, stream.Length);
        Field(execution, "radix-tree-keys"u8, pageCount);
        Field(execution, "radix-tree-nodes"u8, pageCount + 1);
        Field(execution, "last-generated-id"u8, stream.LastId);
        Field(execution, "max-deleted-entry-id"u8, stream.MaxDeletedId);
        Field(execution, "entries-added"u8, stream.EntriesAdded);
        Field(execution, "recorded-first-entry-id"u8, stream.FirstId);
        if (ProducerFieldCount(stream) != 0) Producers(execution, stream);
    }

    // Redis 8.6 shows them for every stream. Here only streams with producers do: clients of 8.0 and of
    // Valkey get the fields that they know.
    private static int ProducerFieldCount(StreamTree stream) => StreamProducers.AreUsed(stream) ? 6 : 0;

    private static void Producers(Execution execution, StreamTree stream)
    {
        Field(execution, "idmp-duration"u8, StreamProducers.SecondsOf(stream));
        Field(execution, "idmp-maxsize"u8, StreamProducers.CountMaxOf(stream));
        Field(execution, "pids-tracked"u8, StreamProducers.CountOf(stream));
        Field(execution, "iids-tracked"u8, StreamProducers.IdCountOf(stream));
        Field(execution, "iids-added"u8, StreamProducers.AddedOf(stream));
        Field(execution, "iids-duplicates"u8, StreamProducers.DuplicatesOf(stream));
    }

    private static void Progress(Execution execution, StreamTree stream, in StreamGroup group)
    {
        execution.Reply.Bulk("entries-read"u8);
        if (group.EntriesRead == StreamGroup.Unknown)
            execution.Reply.Null();
        else
            execution.Reply.Integer(group.EntriesRead);
        execution.Reply.Bulk("lag"u8);
        if (StreamLag.TryLagOf(stream, in group, out long lag))
            execution.Reply.Integer(lag);
        else
            execution.Reply.Null();
    }

    private static void Edge(Execution execution, StreamTree stream, bool isReverse)
    {
        StreamCursor cursor = stream.Range(StreamId.Zero, StreamId.Max, isReverse);
        if (cursor.MoveNext())
            StreamReply.Entry(execution, ref cursor);
        else
            execution.Reply.Null();
    }

    private static void Field(Execution execution, ReadOnlySpan<byte> name, long value)
    {
        execution.Reply.Bulk(name);
        execution.Reply.Integer(value);
    }

    private static void Field(Execution execution, ReadOnlySpan<byte> name, StreamId value)
    {
        execution.Reply.Bulk(name);
        StreamIdText.Reply(execution, value);
    }

    private static bool TryFind(Execution execution, out StreamTree stream)
    {
        stream = default;
        EntryView entry = execution.FindKept(2);
        if (entry.IsMissing)
        {
            execution.Reply.Error(Errors.NoSuchKey);
            return false;
        }
        if (entry.Type != KeyType.Stream)
        {
            execution.Reply.Error(Errors.WrongType);
            return false;
        }
        stream = StreamStore.Of(entry);
        return true;
    }
}
