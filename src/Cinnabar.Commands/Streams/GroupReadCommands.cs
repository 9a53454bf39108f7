using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>XREADGROUP: reads as a consumer of a group, and waits for new entries.</summary>
public static class GroupReadCommands
{
    private const int DeletedCountMax = 1000;

    /// <summary>XREADGROUP GROUP group consumer [COUNT count] [BLOCK milliseconds] [NOACK]
    /// [CLAIM min-idle-time] STREAMS key [key ...] id [id ...].</summary>
    public static Outcome XReadGroup(Execution execution)
    {
        var options = new ReadOptions();
        if (!options.TryRead(execution, isGroup: true)) return Outcome.Done;
        for (int key = options.KeyIndex; key < options.KeyIndex + options.KeyCount; key++)
        {
            if (!TryCheck(execution, in options, key, out long costNs)) return Outcome.Done;
            if (costNs != 0 && execution.MustLeaveLoop(costNs)) return Outcome.OffLoop;
        }
        var header = default(DeferredHeader);
        long count = 0;
        for (int key = options.KeyIndex; key < options.KeyIndex + options.KeyCount; key++)
            Read(execution, in options, key, ref header, ref count);
        if (count != 0)
        {
            if (execution.Reply.Protocol < 3)
                execution.Reply.EndDeferredArray(in header, count);
            else
                execution.Reply.EndDeferredMap(in header, count);
        }
        else if (options.TimeoutMs < 0)
        {
            execution.Reply.NullArray();
        }
        else
        {
            // A group that is destroyed, or goes with its key, ends the waiting with an error.
            return execution.WaitForKeys(
                new KeyWait(KeyType.Stream, options.KeyIndex, options.KeyCount, options.TimeoutMs)
                {
                    EndsWithKey = true,
                    RetryMs = options.ClaimIdleMs < 0 ? 0 : NextIdleMs(execution, in options),
                });
        }
        return Outcome.Done;
    }

    // When the first of the entries that are pending has been for long enough; 0: never. None has yet.
    private static long NextIdleMs(Execution execution, in ReadOptions options)
    {
        long nextMs = long.MaxValue;
        for (int key = options.KeyIndex; key < options.KeyIndex + options.KeyCount; key++)
        {
            StreamTree stream = StreamStore.Of(execution.Keys.Peek(execution.Key(key)));
            bool isGroup =
                StreamGroups.TryFind(stream, execution.Argument(options.GroupIndex), out StreamGroup group);
            Debug.Assert(isGroup, "it was found before");
            long deliveredMs = OldestDeliveryMs(stream, in group);
            if (deliveredMs <= long.MaxValue - options.ClaimIdleMs)
                nextMs = Math.Min(nextMs, deliveredMs + options.ClaimIdleMs);
        }
        return nextMs == long.MaxValue ? 0 : Math.Max(nextMs, execution.NowMs + 1);
    }

    // It skips a bounded number of deleted entries: a command that retries too early retries again.
    private static long OldestDeliveryMs(StreamTree stream, in StreamGroup group)
    {
        long fromMs = 0;
        StreamId from = StreamId.Zero;
        for (int left = DeletedCountMax; left > 0; left--)
        {
            if (!StreamPendings.TryOldest(stream, in group, fromMs, from, out StreamPending pending))
                return long.MaxValue;
            fromMs = pending.DeliveredMs;
            if (stream.Contains(pending.Id)) return fromMs;
            MoveBehind(in pending, out fromMs, out from);
        }
        return fromMs;
    }

    // Behind the highest ID the next one is zero, delivered later.
    private static void MoveBehind(in StreamPending pending, out long fromMs, out StreamId from) =>
        fromMs = pending.DeliveredMs + (pending.Id.TryNext(out from) ? 0 : 1);

    private static bool TryCheck(Execution execution, in ReadOptions options, int key, out long costNs)
    {
        costNs = 0;
        if (!execution.TryFind(key, KeyType.Stream, out EntryView entry)) return false;
        StreamTree stream = entry.IsMissing ? default : StreamStore.Of(entry);
        ReadOnlySpan<byte> name = execution.Argument(options.GroupIndex);
        if (entry.IsMissing || !StreamGroups.TryFind(stream, name, out StreamGroup group))
        {
            StreamErrors.ReplyNoGroup(
                execution, key, options.GroupIndex, " in XREADGROUP with GROUP option"u8);
            return false;
        }
        int index = options.IdIndexOf(key);
        switch (execution.Argument(index))
        {
            case [(byte)'$']:
                return FailMeaningless(execution, "$"u8);
            case [(byte)'+']:
                return FailMeaningless(execution, "+"u8);
            case [(byte)'>']:
                // A command that would find nothing waits, on the loop: the estimate counts whole
                // pages.
                if (HasNew(stream, in group))
                    costNs = StreamRangeCommands.CostNs(
                        stream, group.LastId, StreamId.Max, options.CountMax);
                return true;
            default:
                return StreamIdText.TryStrict(execution, index, out _);
        }
    }

    private static bool FailMeaningless(Execution execution, ReadOnlySpan<byte> id)
    {
        execution.Reply.BeginError();
        execution.Reply.ErrorText("ERR The "u8);
        execution.Reply.ErrorText(id);
        execution.Reply.ErrorText(" ID is meaningless in the context of XREADGROUP: you want "u8);
        execution.Reply.ErrorText("to read the history of this consumer by specifying a proper ID, or "u8);
        execution.Reply.ErrorText("use the > ID to get new messages. The "u8);
        execution.Reply.ErrorText(id);
        execution.Reply.ErrorText(" ID would just return an empty result set."u8);
        execution.Reply.EndError();
        return false;
    }

    private static void Read(Execution execution, in ReadOptions options, int keyIndex,
        ref DeferredHeader header, ref long count)
    {
        Key key = execution.Key(keyIndex);
        StreamEditor editor = StreamStore.Edit(execution.Keys.FindSlot(in key));
        ReadOnlySpan<byte> name = execution.Argument(options.GroupIndex);
        bool isGroup = StreamGroups.TryFind(editor.Stream, name, out StreamGroup group);
        Debug.Assert(isGroup, "it was found before");
        var session = new GroupSession(execution, editor, keyIndex, in group, options.GroupIndex);
        ReadOnlySpan<byte> id = execution.Argument(options.IdIndexOf(keyIndex));
        // Redis takes the highest ID for ">", too.
        StreamId behind = StreamId.Max;
        bool isNew = id is [(byte)'>'];
        if (!isNew) isNew = StreamIdText.TryStrict(id, 0, out behind) && behind == StreamId.Max;
        ReadOnlySpan<StreamPending> idle = isNew ? FindIdle(ref session, in options) : default;
        if (!isNew || !idle.IsEmpty || HasNew(editor.Stream, in group))
        {
            if (count++ == 0) header = execution.Reply.BeginDeferred();
            if (execution.Reply.Protocol < 3) execution.Reply.ArrayHeader(2);
            execution.Reply.Bulk(key.Span);
            if (isNew)
            {
                ReadNew(ref session, in options, idle);
                session.SaveGroup(name);
                if (session.Group != group) session.RecordGroup();
            }
            else
            {
                ReadHistory(ref session, behind, options.CountMax);
            }
            // Reading again what is pending is no change, though it counts as a delivery.
            if (isNew) execution.Keys.CountChanges(1);
        }
        if (execution.Effects.IsRecording) execution.Effects.Replace();
        session.SaveConsumer();
    }

    private static bool HasNew(StreamTree stream, in StreamGroup group) =>
        stream.Length != 0 && stream.LastId > group.LastId && stream.LastEntryId > group.LastId;

    // What is to be claimed: pending for long enough, the oldest first. What was deleted is left alone.
    private static ReadOnlySpan<StreamPending> FindIdle(ref GroupSession session, in ReadOptions options)
    {
        if (options.ClaimIdleMs < 0) return default;
        var found = new List<StreamPending>();
        long fromMs = 0;
        StreamId from = StreamId.Zero;
        while ((options.CountMax == 0 || found.Count < options.CountMax)
            && StreamPendings.TryOldest(session.Stream, in session.Group, fromMs, from, out var pending)
            && session.Execution.NowMs - pending.DeliveredMs >= options.ClaimIdleMs)
        {
            if (session.Stream.Contains(pending.Id)) found.Add(pending);
            MoveBehind(in pending, out fromMs, out from);
        }
        return CollectionsMarshal.AsSpan(found);
    }

    // With CLAIM the reply has for every entry how long it was idle and how often it was delivered before.
    private static void ReplyEntry(
        Execution execution, ref StreamCursor cursor, in ReadOptions options, long idleMs, ulong count)
    {
        bool isClaim = options.ClaimIdleMs >= 0;
        execution.Reply.ArrayHeader(isClaim ? 4 : 2);
        StreamReply.Body(execution, ref cursor);
        if (!isClaim) return;
        execution.Reply.Integer(idleMs);
        execution.Reply.Integer((long)count);
    }

    private static void ReadNew(
        ref GroupSession session, in ReadOptions options, ReadOnlySpan<StreamPending> idle)
    {
        Execution execution = session.Execution;
        var header = execution.Reply.BeginDeferred();
        long count = idle.Length;
        foreach (ref readonly StreamPending pending in idle)
        {
            StreamCursor claimed = session.Stream.Range(pending.Id, pending.Id, isReverse: false);
            bool isThere = claimed.MoveNext();
            Debug.Assert(isThere, "what is claimed was not deleted");
            long idleMs = execution.NowMs - pending.DeliveredMs;
            ReplyEntry(execution, ref claimed, in options, idleMs, pending.DeliveryCount);
            session.Deliver(pending.Id, execution.NowMs, pending.DeliveryCount + 1);
            session.NoteActive();
        }
        bool hasNext = session.Group.LastId.TryNext(out StreamId from);
        StreamCursor cursor = session.Stream.Range(from, StreamId.Max, isReverse: false);
        while (hasNext && (options.CountMax == 0 || count < options.CountMax) && cursor.MoveNext())
        {
            ReplyEntry(execution, ref cursor, in options, 0, 0);
            count++;
            session.Group = StreamLag.Advance(session.Stream, in session.Group, cursor.Id);
            if (options.IsNoAck) continue;
            session.NoteActive();
            session.Deliver(cursor.Id, execution.NowMs, 1);
        }
        execution.Reply.EndDeferredArray(in header, count);
    }

    // What is pending with the consumer behind an ID; of what was deleted meanwhile, only the ID.
    private static void ReadHistory(ref GroupSession session, StreamId behind, long countMax)
    {
        Execution execution = session.Execution;
        // Makes the stream's root this key's own: a delivery below would leave the walk in one that it had in
        // common with a copy, whose key is not locked and may go meanwhile.
        session.SaveConsumer();
        var header = execution.Reply.BeginDeferred();
        long count = 0;
        if (behind.TryNext(out StreamId from))
        {
            StreamOwnedCursor cursor =
                StreamPendings.Of(session.Stream, in session.Group, in session.Consumer, from);
            for (; (countMax == 0 || count < countMax) && cursor.MoveNext(); count++)
            {
                StreamPending pending = cursor.Pending;
                if (StreamReply.TryEntry(execution, session.Stream, pending.Id))
                {
                    session.Repeat(pending.Id, pending.DeliveryCount + 1);
                    continue;
                }
                execution.Reply.ArrayHeader(2);
                StreamIdText.Reply(execution, pending.Id);
                execution.Reply.NullArray();
            }
        }
        execution.Reply.EndDeferredArray(in header, count);
    }
}
