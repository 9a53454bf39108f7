using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: reads a stream that its caller keeps from changing.
/// <summary>Checks the invariants that the essay of <see cref="StreamTree"/> states. For tests.</summary>
internal static unsafe class StreamVerifier
{
    /// <summary>The first invariant found broken, in words, or null.</summary>
    internal static string? FindFault(StreamTree stream)
    {
        StreamRoot* root = stream.Root;
        return TreeVerifier.FindFault(in root->Entries, FaultInPage)
            ?? root->Names.FindFault()
            ?? root->Pending.FindFault()
            ?? root->Owned.FindFault()
            ?? root->Deliveries.FindFault()
            ?? root->Producers.FindFault()
            ?? FaultInPending(stream, root);
    }

    private static string? FaultInPage(TreePage* page, byte* separator, byte* nextSeparator)
    {
        byte* pack = StreamPage.Pack(page);
        if (page->Used != StreamPage.HeadSize + Listpack.SizeOf(pack)) return "bytes that are not used";
        StreamId baseId = StreamPage.BaseId(page);
        if (!StreamPageValidator.IsSound(new ListpackReader(pack).Bytes, baseId)) return "an unsound page";
        if (ListpackFormat.ReadInteger(StreamPage.Head(page)) != page->Count) return "a wrong count";
        if (separator != null && baseId < At(separator)) return "a page before its separator";
        if (nextSeparator == null) return null;
        return StreamPage.LastId(page) < At(nextSeparator) ? null : "an entry behind the next separator";
    }

    private static StreamId At(byte* separator) =>
        new(((ulong*)separator)[0], ((ulong*)separator)[1]);

    private static string? FaultInPending(StreamTree stream, StreamRoot* root)
    {
        if (root->Owned.Count != root->Pending.Count) return "pending entries and their owners differ";
        if (root->Deliveries.Count != root->Pending.Count) return "pending entries and their times differ";
        long count = 0;
        ulong* key = stackalloc ulong[4];
        StreamGroupCursor groups = StreamGroups.All(stream);
        while (groups.MoveNext())
        {
            StreamGroup group = groups.Group;
            StreamPendingCursor cursor = StreamPendings.Of(stream, in group, StreamId.Zero);
            for (; cursor.MoveNext(); count++)
            {
                StreamPending pending = cursor.Pending;
                ReadOnlySpan<byte> name = StreamGroups.NameOf(stream, in group, pending.Consumer);
                bool isKnown = StreamGroups.TryFindConsumer(stream, in group, name, out var consumer);
                if (!isKnown || consumer.Number != pending.Consumer) return "an entry of an unknown consumer";
                (key[0], key[1], key[2]) = (pending.Consumer, pending.Id.Ms, pending.Id.Sequence);
                if (root->Owned.Find(key) == null) return "an entry that its consumer does not have";
                (key[0], key[1]) = (group.Number, (ulong)pending.DeliveredMs);
                (key[2], key[3]) = (pending.Id.Ms, pending.Id.Sequence);
                if (root->Deliveries.Find(key) == null) return "an entry without a time";
            }
        }
        return count == root->Pending.Count ? null : "pending entries of no group";
    }
}
