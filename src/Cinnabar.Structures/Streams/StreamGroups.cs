// Groups and consumers of a stream, in its tree of names (StreamTree explains the numbers):
//
//   owner 0                 group's name     -> StreamGroup
//   owner group             consumer's name  -> StreamConsumer
//   owner group + top bit   consumer's number, big-endian -> its name
using System.Buffers.Binary;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: the root that Own returns is the stream's alone until it is shared again.
/// <summary>A stream's groups and their consumers.</summary>
public static unsafe class StreamGroups
{
    private const ulong ByNumber = 1UL << 63;

    /// <summary>Finds a group.</summary>
    public static bool TryFind(StreamTree stream, ReadOnlySpan<byte> name, out StreamGroup group)
    {
        bool isThere = stream.Root->Names.TryFind(0, name, out ReadOnlySpan<byte> value);
        group = isThere ? MemoryMarshal.Read<StreamGroup>(value) : default;
        return isThere;
    }

    /// <summary>Adds a group that is not there.</summary>
    public static StreamGroup Create(
        ref StreamTree stream, TreeSource source, ReadOnlySpan<byte> name, StreamId lastId, long entriesRead)
    {
        StreamRoot* root = stream.Own(source);
        var group = new StreamGroup(root->LastNumber + 1, lastId, entriesRead);
        root->Names.Insert(source, 0, name, Bytes(in group));
        root->LastNumber++;
        root->GroupCount++;
        return group;
    }

    /// <summary>Writes a group back that is there.</summary>
    public static void Save(
        ref StreamTree stream, TreeSource source, ReadOnlySpan<byte> name, in StreamGroup group)
    {
        Span<byte> value = stream.Own(source)->Names.Edit(source, 0, name);
        MemoryMarshal.Write(value, in group);
    }

    /// <summary>Removes a group that is there, with its consumers and pending entries.</summary>
    public static void Destroy(
        ref StreamTree stream, TreeSource source, ReadOnlySpan<byte> name, in StreamGroup group)
    {
        StreamRoot* root = stream.Own(source);
        var consumers = new NameCursor(in root->Names, group.Number, default);
        ulong* from = stackalloc ulong[DeliveryRecord.Words];
        ulong* to = stackalloc ulong[DeliveryRecord.Words];
        Clear(from, to);
        while (consumers.MoveNext())
        {
            from[0] = MemoryMarshal.Read<StreamConsumer>(consumers.Value).Number;
            to[0] = from[0] + 1;
            root->Owned.RemoveRange(source, from, to);
        }
        from[0] = group.Number;
        to[0] = group.Number + 1;
        root->Pending.RemoveRange(source, from, to);
        root->Deliveries.RemoveRange(source, from, to);
        root->Names.RemoveOwner(source, group.Number);
        root->Names.RemoveOwner(source, group.Number | ByNumber);
        root->Names.Remove(source, 0, name);
        root->GroupCount--;
    }

    /// <summary>How many consumers a group has.</summary>
    public static long ConsumerCount(StreamTree stream, in StreamGroup group)
    {
        ref readonly NameTree names = ref stream.Root->Names;
        return names.CountBefore(group.Number + 1, default) - names.CountBefore(group.Number, default);
    }

    /// <summary>Finds a consumer.</summary>
    public static bool TryFindConsumer(
        StreamTree stream, in StreamGroup group, ReadOnlySpan<byte> name, out StreamConsumer consumer)
    {
        bool isThere = stream.Root->Names.TryFind(group.Number, name, out ReadOnlySpan<byte> value);
        consumer = isThere ? MemoryMarshal.Read<StreamConsumer>(value) : default;
        return isThere;
    }

    /// <summary>Adds a consumer that is not there.</summary>
    public static StreamConsumer CreateConsumer(
        ref StreamTree stream, TreeSource source, in StreamGroup group, ReadOnlySpan<byte> name, long nowMs)
    {
        StreamRoot* root = stream.Own(source);
        var consumer = new StreamConsumer(root->LastNumber + 1, nowMs, -1);
        Span<byte> number = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(number, consumer.Number);
        root->Names.Insert(source, group.Number, name, Bytes(in consumer));
        try
        {
            root->Names.Insert(source, group.Number | ByNumber, number, name);
        }
        catch (OutOfMemoryException)
        {
            root->Names.Remove(source, group.Number, name);
            throw;
        }
        root->LastNumber++;
        return consumer;
    }

    /// <summary>Writes a consumer back that is there.</summary>
    public static void SaveConsumer(
        ref StreamTree stream, TreeSource source, in StreamGroup group, ReadOnlySpan<byte> name,
        in StreamConsumer consumer)
    {
        Span<byte> value = stream.Own(source)->Names.Edit(source, group.Number, name);
        MemoryMarshal.Write(value, in consumer);
    }

    /// <summary>Removes a consumer that is there, with its pending entries; returns how many those
    /// were.</summary>
    public static long DeleteConsumer(
        ref StreamTree stream, TreeSource source, in StreamGroup group, ReadOnlySpan<byte> name,
        in StreamConsumer consumer)
    {
        StreamRoot* root = stream.Own(source);
        long count = StreamPendings.RemoveAllOf(root, source, group.Number, consumer.Number);
        Span<byte> number = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(number, consumer.Number);
        root->Names.Remove(source, group.Number | ByNumber, number);
        root->Names.Remove(source, group.Number, name);
        return count;
    }

    /// <summary>The name of a group's consumer with a number. Good until the stream changes.</summary>
    public static ReadOnlySpan<byte> NameOf(StreamTree stream, in StreamGroup group, ulong consumer)
    {
        Span<byte> number = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(number, consumer);
        if (!stream.Root->Names.TryFind(group.Number | ByNumber, number, out ReadOnlySpan<byte> name))
            throw new InvalidOperationException("a pending entry of no consumer");
        return name;
    }

    /// <summary>A walk through the groups, by name.</summary>
    public static StreamGroupCursor All(StreamTree stream) => new(in stream.Root->Names);

    /// <summary>A walk through a group's consumers, by name.</summary>
    public static StreamConsumerCursor Consumers(StreamTree stream, in StreamGroup group) =>
        new(in stream.Root->Names, group.Number);

    internal static void Clear(ulong* from, ulong* to)
    {
        for (int word = 0; word < DeliveryRecord.Words; word++) from[word] = to[word] = 0;
    }

    private static ReadOnlySpan<byte> Bytes<T>(in T value) where T : unmanaged =>
        MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value));
}
