using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>XREAD: reads what came after given IDs, and waits for it.</summary>
public static class ReadCommands
{
    /// <summary>XREAD [COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...].</summary>
    public static Outcome XRead(Execution execution)
    {
        var options = new ReadOptions();
        if (!options.TryRead(execution, isGroup: false)) return Outcome.Done;
        bool isSome = false;
        long costNs = 0;
        for (int key = options.KeyIndex; key < options.KeyIndex + options.KeyCount; key++)
        {
            if (!execution.TryFindKept(key, KeyType.Stream, out EntryView entry)) return Outcome.Done;
            int idIndex = options.IdIndexOf(key);
            if (!TryRange(execution, idIndex, entry, out StreamId from, out StreamId to)) return Outcome.Done;
            if (entry.IsMissing) continue;
            StreamTree stream = StreamStore.Of(entry);
            // A command that would find nothing waits, on the loop: the estimate counts whole pages.
            if (from > to || !stream.Range(from, to, isReverse: true).MoveNext()) continue;
            isSome = true;
            costNs += StreamRangeCommands.CostNs(stream, from, to, options.CountMax);
        }
        if (isSome)
        {
            if (execution.MustLeaveKeys(costNs)) return Outcome.OffLoopWithoutKeys;
            Reply(execution, in options);
        }
        else if (options.TimeoutMs >= 0)
            return Wait(execution, in options);
        else
            execution.Reply.NullArray();
        return Outcome.Done;
    }

    private static void Reply(Execution execution, in ReadOptions options)
    {
        var header = execution.Reply.BeginDeferred();
        long count = 0;
        for (int key = options.KeyIndex; key < options.KeyIndex + options.KeyCount; key++)
        {
            EntryView entry = execution.Kept(key);
            if (entry.IsMissing) continue;
            TryRange(execution, options.IdIndexOf(key), entry, out StreamId from, out StreamId to);
            StreamTree stream = StreamStore.Of(entry);
            if (from > to || !stream.Range(from, to, isReverse: true).MoveNext()) continue;
            count++;
            if (execution.Reply.Protocol < 3) execution.Reply.ArrayHeader(2);
            execution.Reply.Bulk(execution.Argument(key));
            StreamCursor cursor = stream.Range(from, to, isReverse: false);
            StreamReply.Entries(execution, ref cursor, options.CountMax);
        }
        if (execution.Reply.Protocol < 3)
            execution.Reply.EndDeferredArray(in header, count);
        else
            execution.Reply.EndDeferredMap(in header, count);
    }

    // What "$" and "+" mean is what they mean now.
    private static Outcome Wait(Execution execution, in ReadOptions options)
    {
        if (execution.CanWait)
        {
            Span<byte> text = stackalloc byte[StreamIdText.BytesMax];
            for (int key = options.KeyIndex; key < options.KeyIndex + options.KeyCount; key++)
            {
                int index = options.IdIndexOf(key);
                if (execution.Argument(index) is not ([(byte)'$'] or [(byte)'+'])) continue;
                EntryView entry = execution.Kept(key);
                StreamId last = entry.IsMissing ? StreamId.Zero : StreamStore.Of(entry).LastId;
                execution.ReplaceWaitingArgument(index, text[..StreamIdText.Format(last, text)]);
            }
        }
        return execution.WaitForKeys(
            new KeyWait(KeyType.Stream, options.KeyIndex, options.KeyCount, options.TimeoutMs));
    }

    // The IDs that are asked for of a stream: those above the given one; of "+" the last entry's.
    private static bool TryRange(
        Execution execution, int index, EntryView entry, out StreamId from, out StreamId to)
    {
        StreamTree stream = entry.IsMissing ? default : StreamStore.Of(entry);
        to = StreamId.Max;
        switch (execution.Argument(index))
        {
            case [(byte)'$']:
                from = StreamId.Max;
                to = StreamId.Zero;
                return true;
            case [(byte)'+']:
                bool isEmpty = stream.IsNull || stream.Length == 0;
                from = isEmpty ? StreamId.Max : stream.LastEntryId;
                to = isEmpty ? StreamId.Zero : from;
                return true;
            case [(byte)'>']:
                from = default;
                execution.Reply.Error("ERR The > ID can be specified only when calling XREADGROUP using "u8
                    + "the GROUP <group> <consumer> option."u8);
                return false;
        }
        if (!StreamIdText.TryStrict(execution, index, out from)) return false;
        if (!from.TryNext(out from)) to = StreamId.Zero;
        return true;
    }
}
