// A stream as the commands that make it:
//
//   XADD key id field value ...                     each entry
//   XADD key MAXLEN 0 0-1 x y                       instead, where there is none
//   XSETID key last [ENTRIESADDED n MAXDELETEDID id]
//   XGROUP CREATE key group last [ENTRIESREAD n]    each group
//   XGROUP CREATECONSUMER key group consumer        each consumer
//   XCLAIM key group consumer 0 id TIME ms RETRYCOUNT n JUSTID FORCE    each pending entry
//
// In brackets: what Redis 7.0 and later know. When a consumer was last seen is not among them: that is the
// time of the load, as in Redis.

using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Persistence.Journal.Rewriting;

/// <summary>Writes streams as commands.</summary>
internal static class StreamCommands
{
    /// <summary>Whether commands make the stream as it is: it has no idempotent producers, and what is
    /// pending is still there.</summary>
    internal static bool CanMake(StreamTree stream)
    {
        if (StreamProducers.AreUsed(stream))
            return false;
        StreamGroupCursor groups = StreamGroups.All(stream);
        while (groups.MoveNext())
        {
            StreamGroup group = groups.Group;
            StreamPendingCursor pendings = StreamPendings.Of(stream, in group, StreamId.Zero);
            while (pendings.MoveNext())
            {
                if (!stream.Contains(pendings.Pending.Id))
                    return false;
            }
        }

        return true;
    }

    /// <summary>Writes a stream.</summary>
    /// <param name="output">Takes the commands.</param>
    /// <param name="key">The key.</param>
    /// <param name="stream">The stream.</param>
    /// <param name="level">The oldest Redis that is to read them.</param>
    internal static void Write(
        CommandOutput output, ReadOnlySpan<byte> key, StreamTree stream, RdbCompatibility level)
    {
        Debug.Assert(CanMake(stream), "it takes a payload");
        if (stream.Length == 0)
            WriteEmpty(output, key);
        else
            WriteEntries(output, key, stream);
        bool hasCounts = level >= RdbCompatibility.Redis70;
        output.Begin(hasCounts ? 7 : 3);
        output.Write("XSETID"u8);
        output.Write(key);
        output.Write(stream.LastId);
        if (hasCounts)
        {
            output.Write("ENTRIESADDED"u8);
            output.Write(stream.EntriesAdded);
            output.Write("MAXDELETEDID"u8);
            output.Write(stream.MaxDeletedId);
        }

        StreamGroupCursor groups = StreamGroups.All(stream);
        while (groups.MoveNext())
        {
            StreamGroup group = groups.Group;
            WriteGroup(output, key, groups.Name, in group, hasCounts);
            WriteConsumers(output, key, stream, groups.Name, in group);
        }
    }

    private static void WriteEmpty(CommandOutput output, ReadOnlySpan<byte> key)
    {
        output.Begin(7);
        output.Write("XADD"u8);
        output.Write(key);
        output.Write("MAXLEN"u8);
        output.Write("0"u8);
        output.Write("0-1"u8);
        output.Write("x"u8);
        output.Write("y"u8);
    }

    private static void WriteEntries(CommandOutput output, ReadOnlySpan<byte> key, StreamTree stream)
    {
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        StreamCursor entries = stream.Range(StreamId.Zero, StreamId.Max, isReverse: false);
        while (entries.MoveNext())
        {
            int textCount = 2 * entries.FieldCount;
            output.Begin(3 + textCount);
            output.Write("XADD"u8);
            output.Write(key);
            output.Write(entries.Id);
            for (int index = 0; index < textCount; index++)
                output.Write(entries.NextText().AsText(scratch));
        }
    }

    private static void WriteGroup(CommandOutput output, ReadOnlySpan<byte> key, ReadOnlySpan<byte> name,
        in StreamGroup group, bool hasCounts)
    {
        output.Begin(hasCounts ? 7 : 5);
        output.Write("XGROUP"u8);
        output.Write("CREATE"u8);
        output.Write(key);
        output.Write(name);
        output.Write(group.LastId);
        if (!hasCounts)
            return;
        output.Write("ENTRIESREAD"u8);
        output.Write(group.EntriesRead);
    }

    private static void WriteConsumers(CommandOutput output, ReadOnlySpan<byte> key, StreamTree stream,
        ReadOnlySpan<byte> name, in StreamGroup group)
    {
        StreamConsumerCursor consumers = StreamGroups.Consumers(stream, in group);
        while (consumers.MoveNext())
        {
            output.Begin(5);
            output.Write("XGROUP"u8);
            output.Write("CREATECONSUMER"u8);
            output.Write(key);
            output.Write(name);
            output.Write(consumers.Name);
            StreamConsumer consumer = consumers.Consumer;
            StreamOwnedCursor owned = StreamPendings.Of(stream, in group, in consumer, StreamId.Zero);
            while (owned.MoveNext())
                WritePending(output, key, name, consumers.Name, owned.Pending);
        }
    }

    private static void WritePending(CommandOutput output, ReadOnlySpan<byte> key, ReadOnlySpan<byte> group,
        ReadOnlySpan<byte> consumer, StreamPending pending)
    {
        output.Begin(12);
        output.Write("XCLAIM"u8);
        output.Write(key);
        output.Write(group);
        output.Write(consumer);
        output.Write("0"u8);
        output.Write(pending.Id);
        output.Write("TIME"u8);
        output.Write(pending.DeliveredMs);
        output.Write("RETRYCOUNT"u8);
        output.Write((long)pending.DeliveryCount);
        output.Write("JUSTID"u8);
        output.Write("FORCE"u8);
    }
}
