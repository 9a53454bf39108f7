// Pending entries of a stream's groups: in three trees, which change together. What may need memory comes
// first; what was done when it ends is undone.
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: records and keys on the stack have as many words as their trees' records.
/// <summary>What a stream's consumers have not acknowledged.</summary>
public static unsafe class StreamPendings
{
    private const int WordsMax = 6;
    private const int OwnedWords = 3;

    /// <summary>How many entries are pending with a group.</summary>
    public static long CountOf(StreamTree stream, in StreamGroup group)
    {
        ulong* key = stackalloc ulong[WordsMax] { group.Number, 0, 0, 0, 0, 0 };
        ref readonly WordTree<PendingRecord> pending = ref stream.Root->Pending;
        long from = pending.CountBelow(key);
        key[0]++;
        return pending.CountBelow(key) - from;
    }

    /// <summary>How many entries are pending with a consumer.</summary>
    public static long CountOf(StreamTree stream, in StreamConsumer consumer)
    {
        ulong* key = stackalloc ulong[WordsMax] { consumer.Number, 0, 0, 0, 0, 0 };
        ref readonly WordTree<OwnedRecord> owned = ref stream.Root->Owned;
        long from = owned.CountBelow(key);
        key[0]++;
        return owned.CountBelow(key) - from;
    }

    /// <summary>The lowest and the highest ID pending with a group; false: there is none.</summary>
    public static bool TryBounds(
        StreamTree stream, in StreamGroup group, out StreamId first, out StreamId last)
    {
        ulong* key = stackalloc ulong[WordsMax] { group.Number, 0, 0, 0, 0, 0 };
        ref readonly WordTree<PendingRecord> pending = ref stream.Root->Pending;
        long from = pending.CountBelow(key);
        key[0]++;
        long to = pending.CountBelow(key);
        first = last = default;
        if (from == to) return false;
        first = Read(pending.At(from)).Id;
        last = Read(pending.At(to - 1)).Id;
        return true;
    }

    /// <summary>Finds a pending entry of a group.</summary>
    public static bool TryFind(
        StreamTree stream, in StreamGroup group, StreamId id, out StreamPending pending)
    {
        ulong* key = stackalloc ulong[WordsMax] { group.Number, id.Ms, id.Sequence, 0, 0, 0 };
        ulong* record = stream.Root->Pending.Find(key);
        pending = record == null ? default : Read(record);
        return record != null;
    }

    /// <summary>Adds a pending entry that the group does not have.</summary>
    public static void Add(
        ref StreamTree stream, TreeSource source, in StreamGroup group, in StreamPending added)
    {
        StreamRoot* root = stream.Own(source);
        StreamId id = added.Id;
        ulong* record = stackalloc ulong[WordsMax]
        {
            group.Number, id.Ms, id.Sequence,
            added.Consumer, (ulong)added.DeliveredMs, added.DeliveryCount,
        };
        ulong* owned = stackalloc ulong[OwnedWords] { added.Consumer, id.Ms, id.Sequence };
        root->Pending.Insert(source, record);
        try
        {
            root->Owned.Insert(source, owned);
            InsertDelivery(root, source, group.Number, in added);
        }
        catch (OutOfMemoryException)
        {
            root->Pending.Remove(source, record);
            root->Owned.Remove(source, owned);
            throw;
        }
    }

    /// <summary>Gives a pending entry another consumer, time and count.</summary>
    public static void Update(
        ref StreamTree stream, TreeSource source, in StreamGroup group, in StreamPending old,
        in StreamPending updated)
    {
        StreamRoot* root = stream.Own(source);
        StreamId id = old.Id;
        ulong* key = stackalloc ulong[WordsMax] { group.Number, id.Ms, id.Sequence, 0, 0, 0 };
        ulong* oldOwned = stackalloc ulong[OwnedWords] { old.Consumer, id.Ms, id.Sequence };
        ulong* owned = stackalloc ulong[OwnedWords] { updated.Consumer, id.Ms, id.Sequence };
        root->Pending.Own(source, key);
        if (old.Consumer != updated.Consumer) root->Owned.Insert(source, owned);
        try
        {
            // A walk through a consumer's entries may update them: so their tree keeps its shape if it can.
            if (old.Consumer != updated.Consumer) root->Owned.Own(source, oldOwned);
            if (old.DeliveredMs != updated.DeliveredMs)
            {
                OwnDelivery(root, source, group.Number, in old);
                InsertDelivery(root, source, group.Number, in updated);
                RemoveDelivery(root, source, group.Number, in old);
            }
        }
        catch (OutOfMemoryException)
        {
            if (old.Consumer != updated.Consumer) root->Owned.Remove(source, owned);
            throw;
        }
        if (old.Consumer != updated.Consumer) root->Owned.Remove(source, oldOwned);
        ulong* record = root->Pending.Edit(source, key);
        record[PendingRecord.KeyWords] = updated.Consumer;
        record[PendingRecord.KeyWords + 1] = (ulong)updated.DeliveredMs;
        record[PendingRecord.KeyWords + 2] = updated.DeliveryCount;
    }

    /// <summary>Removes a pending entry of a group; returns whether there was one.</summary>
    public static bool Remove(ref StreamTree stream, TreeSource source, in StreamGroup group, StreamId id)
    {
        if (!TryFind(stream, in group, id, out StreamPending pending)) return false;
        Remove(stream.Own(source), source, group.Number, in pending);
        return true;
    }

    /// <summary>Whether an entry is pending with a group, or one has yet to read it.</summary>
    public static bool IsWanted(StreamTree stream, StreamId id)
    {
        StreamGroupCursor groups = StreamGroups.All(stream);
        while (groups.MoveNext())
        {
            StreamGroup group = groups.Group;
            if (group.LastId < id || TryFind(stream, in group, id, out _)) return true;
        }
        return false;
    }

    /// <summary>Whether an entry is pending with a group.</summary>
    public static bool IsPending(StreamTree stream, StreamId id)
    {
        StreamGroupCursor groups = StreamGroups.All(stream);
        while (groups.MoveNext())
        {
            if (TryFind(stream, groups.Group, id, out _)) return true;
        }
        return false;
    }

    /// <summary>Removes an entry from what is pending with any group.</summary>
    /// <returns>Whether it was pending with one.</returns>
    public static bool RemoveEverywhere(ref StreamTree stream, TreeSource source, StreamId id)
    {
        if (stream.Root->Pending.Count == 0) return false;
        bool isFound = false;
        StreamRoot* root = stream.Own(source);
        // The walk is through names, which do not change here.
        StreamGroupCursor groups = StreamGroups.All(stream);
        while (groups.MoveNext())
        {
            StreamGroup group = groups.Group;
            if (!TryFind(stream, in group, id, out StreamPending pending)) continue;
            Remove(root, source, group.Number, in pending);
            isFound = true;
        }
        return isFound;
    }

    /// <summary>A walk through what is pending with a group, by ID, from one on.</summary>
    public static StreamPendingCursor Of(StreamTree stream, in StreamGroup group, StreamId from) =>
        new(stream, group.Number, from);

    /// <summary>A walk through what is pending with a consumer, by ID, from one on.</summary>
    public static StreamOwnedCursor Of(
        StreamTree stream, in StreamGroup group, in StreamConsumer consumer, StreamId from) =>
        new(stream, group.Number, consumer.Number, from);

    /// <summary>What was delivered longest ago and is pending with a group: the first of all from one
    /// delivery on.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="group">The group.</param>
    /// <param name="fromMs">The delivery's time; with <paramref name="fromId"/>: where to begin.</param>
    /// <param name="fromId">The lowest ID among those of that time.</param>
    /// <param name="pending">The entry.</param>
    public static bool TryOldest(
        StreamTree stream, in StreamGroup group, long fromMs, StreamId fromId, out StreamPending pending)
    {
        ulong* key = stackalloc ulong[WordsMax]
        {
            group.Number, (ulong)fromMs, fromId.Ms, fromId.Sequence, 0, 0,
        };
        pending = default;
        var cursor = new WordCursor<DeliveryRecord>(in stream.Root->Deliveries, key);
        if (!cursor.MoveNext() || cursor.Record[0] != group.Number) return false;
        return TryFind(stream, in group, new StreamId(cursor.Record[2], cursor.Record[3]), out pending);
    }

    internal static StreamPending Read(ulong* record) =>
        new(new StreamId(record[1], record[2]), record[3], (long)record[4], record[5]);

    internal static long RemoveAllOf(StreamRoot* root, TreeSource source, ulong group, ulong consumer)
    {
        ulong* from = stackalloc ulong[WordsMax] { consumer, 0, 0, 0, 0, 0 };
        ulong* to = stackalloc ulong[WordsMax] { consumer + 1, 0, 0, 0, 0, 0 };
        ulong* key = stackalloc ulong[WordsMax] { group, 0, 0, 0, 0, 0 };
        long count = root->Owned.CountBelow(to) - root->Owned.CountBelow(from);
        var cursor = new WordCursor<OwnedRecord>(in root->Owned, from);
        for (long left = count; left > 0 && cursor.MoveNext(); left--)
        {
            key[1] = cursor.Record[1];
            key[2] = cursor.Record[2];
            StreamPending pending = Read(root->Pending.Find(key));
            RemoveDelivery(root, source, group, in pending);
            root->Pending.Remove(source, key);
        }
        root->Owned.RemoveRange(source, from, to);
        return count;
    }

    private static void Remove(StreamRoot* root, TreeSource source, ulong group, in StreamPending pending)
    {
        StreamId id = pending.Id;
        ulong* key = stackalloc ulong[WordsMax] { group, id.Ms, id.Sequence, 0, 0, 0 };
        ulong* owned = stackalloc ulong[OwnedWords] { pending.Consumer, id.Ms, id.Sequence };
        root->Pending.Own(source, key);
        root->Owned.Own(source, owned);
        RemoveDelivery(root, source, group, in pending);
        root->Owned.Remove(source, owned);
        root->Pending.Remove(source, key);
    }

    private static void InsertDelivery(
        StreamRoot* root, TreeSource source, ulong group, in StreamPending pending)
    {
        ulong* key = stackalloc ulong[WordsMax];
        WriteDelivery(key, group, in pending);
        root->Deliveries.Insert(source, key);
    }

    private static void RemoveDelivery(
        StreamRoot* root, TreeSource source, ulong group, in StreamPending pending)
    {
        ulong* key = stackalloc ulong[WordsMax];
        WriteDelivery(key, group, in pending);
        root->Deliveries.Remove(source, key);
    }

    private static void OwnDelivery(
        StreamRoot* root, TreeSource source, ulong group, in StreamPending pending)
    {
        ulong* key = stackalloc ulong[WordsMax];
        WriteDelivery(key, group, in pending);
        root->Deliveries.Own(source, key);
    }

    private static void WriteDelivery(ulong* key, ulong group, in StreamPending pending)
    {
        key[0] = group;
        key[1] = (ulong)pending.DeliveredMs;
        key[2] = pending.Id.Ms;
        key[3] = pending.Id.Sequence;
    }
}
