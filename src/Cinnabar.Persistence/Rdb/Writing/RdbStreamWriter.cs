// A stream:
//
//   pages: count, each its base ID as a string of 16 bytes (big-endian), its listpack
//   length | last ID | [2] first ID, highest deleted ID, entries added
//   groups: count, each
//       name | last ID | [2] entries read
//       pending: count, each ID (16 bytes) | time of delivery | deliveries
//       consumers: count, each name | seen | [3] active | pending: count, IDs (16 bytes)
//   [4] seconds | IDs a producer | producers: count, each name, count, each ID as text | entry's ID;
//       entries added with an ID | IDs that came again
//
// Times are eight bytes, little-endian; all other numbers are lengths. In brackets: the form that has it,
// StreamListpacks2, 3 and 4. Source: Redis's documentation of the format, and what redis-server 7.0 writes.
using Cinnabar.Structures.Streams;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Writes streams.</summary>
internal static class RdbStreamWriter
{
    private const int IdSize = 2 * sizeof(ulong);

    /// <summary>Writes a stream in one of its forms.</summary>
    internal static void Write(RdbOutput output, StreamTree stream, RdbType type)
    {
        bool hasSecond = type != RdbType.StreamListpacks;
        WritePages(output, stream);
        output.WriteLength((ulong)stream.Length);
        WriteId(output, stream.LastId);
        if (hasSecond)
        {
            WriteId(output, stream.FirstId);
            WriteId(output, stream.MaxDeletedId);
            output.WriteLength((ulong)stream.EntriesAdded);
        }

        output.WriteLength((ulong)stream.GroupCount);
        StreamGroupCursor groups = StreamGroups.All(stream);
        while (groups.MoveNext())
        {
            StreamGroup group = groups.Group;
            output.WriteString(groups.Name);
            WriteId(output, group.LastId);
            if (hasSecond)
                output.WriteLength((ulong)group.EntriesRead);
            WritePending(output, stream, in group);
            WriteConsumers(output, stream, in group,
                type is RdbType.StreamListpacks3 or RdbType.StreamListpacks4);
        }

        if (type == RdbType.StreamListpacks4)
            WriteProducers(output, stream);
    }

    private static void WritePages(RdbOutput output, StreamTree stream)
    {
        output.WriteLength((ulong)stream.PageCount);
        StreamPageCursor pages = stream.Pages();
        while (pages.MoveNext())
        {
            output.WriteLength(IdSize);
            WriteRawId(output, pages.BaseId);
            output.WriteString(pages.Listpack);
        }
    }

    private static void WritePending(RdbOutput output, StreamTree stream, in StreamGroup group)
    {
        output.WriteLength((ulong)StreamPendings.CountOf(stream, in group));
        StreamPendingCursor pendings = StreamPendings.Of(stream, in group, StreamId.Zero);
        while (pendings.MoveNext())
        {
            StreamPending pending = pendings.Pending;
            WriteRawId(output, pending.Id);
            output.WriteWord((ulong)pending.DeliveredMs);
            output.WriteLength(pending.DeliveryCount);
        }
    }

    private static void WriteConsumers(
        RdbOutput output, StreamTree stream, in StreamGroup group, bool hasActive)
    {
        output.WriteLength((ulong)StreamGroups.ConsumerCount(stream, in group));
        StreamConsumerCursor consumers = StreamGroups.Consumers(stream, in group);
        while (consumers.MoveNext())
        {
            StreamConsumer consumer = consumers.Consumer;
            output.WriteString(consumers.Name);
            output.WriteWord((ulong)consumer.SeenMs);
            if (hasActive)
                output.WriteWord((ulong)consumer.ActiveMs);
            output.WriteLength((ulong)StreamPendings.CountOf(stream, in consumer));
            StreamOwnedCursor owned = StreamPendings.Of(stream, in group, in consumer, StreamId.Zero);
            while (owned.MoveNext())
                WriteRawId(output, owned.Id);
        }
    }

    private static void WriteProducers(RdbOutput output, StreamTree stream)
    {
        output.WriteLength((ulong)StreamProducers.SecondsOf(stream));
        output.WriteLength((ulong)StreamProducers.CountMaxOf(stream));
        output.WriteLength((ulong)StreamProducers.CountOf(stream));
        StreamProducerCursor producers = StreamProducers.Producers(stream);
        while (producers.MoveNext())
        {
            output.WriteString(producers.Name);
            output.WriteLength((ulong)producers.IdCount);
            while (producers.MoveNextId())
            {
                output.WriteString(producers.Id);
                WriteId(output, producers.Entry);
            }
        }

        output.WriteLength((ulong)StreamProducers.AddedOf(stream));
        output.WriteLength((ulong)StreamProducers.DuplicatesOf(stream));
    }

    private static void WriteId(RdbOutput output, StreamId id)
    {
        output.WriteLength(id.Ms);
        output.WriteLength(id.Sequence);
    }

    private static void WriteRawId(RdbOutput output, StreamId id)
    {
        output.WriteWordBigEndian(id.Ms);
        output.WriteWordBigEndian(id.Sequence);
    }
}
