using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Commands that add to a stream and cut it off: XADD, XTRIM, XSETID.</summary>
public static class StreamAddCommands
{
    /// <summary>XADD key [NOMKSTREAM] [KEEPREF | DELREF | ACKED] [IDMPAUTO producer | IDMP producer
    /// producer's-id] [MAXLEN | MINID [= | ~] threshold [LIMIT count]] * | id field value
    /// [field value ...].</summary>
    public static void XAdd(Execution execution)
    {
        int index = 2;
        var options = new TrimOptions();
        if (!options.TryRead(execution, isAdd: true, ref index)) return;
        int fieldCount = execution.ArgumentCount - index - 1;
        if (fieldCount < 2 || (fieldCount & 1) != 0)
        {
            Errors.ReplyWrongArity(execution, "xadd"u8);
            return;
        }
        if (options.IsIdGiven && options.IsIdComplete && options.Id.IsZero)
        {
            execution.Reply.Error(StreamErrors.IdIsZero);
            return;
        }
        if (!execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot)) return;
        if (slot.IsMissing && options.IsNoMakeStream)
        {
            execution.Reply.Null();
            return;
        }
        var idempotent = new IdempotentEntry(execution, in options, index + 1);
        if (!slot.IsMissing && idempotent.TryReplyKnown(StreamStore.Edit(slot))) return;
        StreamId last = slot.IsMissing ? StreamId.Zero : StreamStore.Of(slot.View).LastId;
        if (!TryChooseId(execution, last, in options, out StreamId id)) return;
        if (StreamTree.IsTooLarge(execution.Arguments.Skip(index + 1)))
        {
            execution.Reply.Error(StreamErrors.TooLarge);
            return;
        }
        Debug.Assert(id > last, "IDs only grow");
        Key key = execution.Key(1);
        StreamEditor editor = slot.IsMissing
            ? StreamStore.Create(execution.Keys, in key)
            : StreamStore.Edit(slot);
        CollectionLimits limits = execution.Keys.Keyspace.Limits;
        editor.Stream.Append(editor.Trees, id, execution.Arguments.Skip(index + 1),
            new StreamNodeLimits(limits.StreamNodeBytesMax, limits.StreamNodeEntriesMax));
        idempotent.Remember(editor, id);
        execution.Keys.Changed(in key, KeyEvent.StreamAdded);
        StreamIdText.Reply(execution, id);
        StreamRemovals? removals = null;
        if (options.IsTrim && StreamTrimmer.Trim(execution, editor, in options, out removals) != 0)
            execution.Keys.MarkChanged(in key, KeyEvent.StreamTrimmed);
        if (!execution.Effects.IsRecording) return;
        StreamEffects.Added(execution, in options, index, id, editor.Stream);
        removals?.Record(execution, editor.Stream);
    }

    /// <summary>XTRIM key MAXLEN | MINID [= | ~] threshold [LIMIT count] [KEEPREF | DELREF |
    /// ACKED].</summary>
    public static Outcome XTrim(Execution execution)
    {
        int index = 2;
        var options = new TrimOptions();
        if (!options.TryRead(execution, isAdd: false, ref index)) return Outcome.Done;
        if (!execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot)) return Outcome.Done;
        if (slot.IsMissing)
        {
            execution.Reply.Integer(0);
            return Outcome.Done;
        }
        long cost = (long)(StreamStore.Of(slot.View).Length * StreamTrimmer.NsPerEntry(options.Policy));
        if (execution.MustLeaveLoop(cost)) return Outcome.OffLoop;
        StreamEditor editor = StreamStore.Edit(slot);
        long count = StreamTrimmer.Trim(execution, editor, in options, out StreamRemovals? removals);
        if (count != 0)
        {
            execution.Keys.Changed(execution.Key(1), KeyEvent.StreamTrimmed);
            execution.Keys.CountChanges(count - 1);
            if (removals is not null)
                removals.Record(execution, editor.Stream);
            else if (execution.Effects.IsRecording)
                StreamEffects.Trimmed(execution, in options, editor.Stream);
        }
        execution.Reply.Integer(count);
        return Outcome.Done;
    }

    /// <summary>XSETID key last-id [ENTRIESADDED entries-added] [MAXDELETEDID max-deleted-id].</summary>
    public static void XSetId(Execution execution)
    {
        if (!StreamIdText.TryStrict(execution, 2, out StreamId id)) return;
        if (!TryReadSetIdOptions(execution, id, out long entriesAdded, out StreamId maxDeleted)) return;
        if (!execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot)) return;
        if (slot.IsMissing)
        {
            execution.Reply.Error(Errors.NoSuchKey);
            return;
        }
        StreamTree stream = StreamStore.Of(slot.View);
        if (id < stream.MaxDeletedId)
        {
            execution.Reply.Error(
                "ERR The ID specified in XSETID is smaller than current max_deleted_entry_id"u8);
            return;
        }
        if (stream.Length != 0 && id < stream.LastEntryId)
        {
            execution.Reply.Error(
                "ERR The ID specified in XSETID is smaller than the target stream top item"u8);
            return;
        }
        if (entriesAdded >= 0 && stream.Length > entriesAdded)
        {
            execution.Reply.Error(
                "ERR The entries_added specified in XSETID is smaller than the target stream length"u8);
            return;
        }
        StreamEditor editor = StreamStore.Edit(slot);
        editor.Stream.SetLastId(editor.Trees, id, entriesAdded, maxDeleted);
        execution.Keys.Changed(execution.Key(1), KeyEvent.StreamIdSet);
        if (execution.Effects is { IsRecording: true, Level: CommandLevel.Redis62 })
            StreamEffects.Shortened(execution, argumentCount: 3);
        execution.Reply.Ok();
    }

    private static bool TryReadSetIdOptions(
        Execution execution, StreamId id, out long entriesAdded, out StreamId maxDeleted)
    {
        entriesAdded = -1;
        maxDeleted = StreamId.Zero;
        for (int index = 3; index < execution.ArgumentCount; index += 2)
        {
            bool hasMore = index + 1 < execution.ArgumentCount;
            if (hasMore && execution.Is(index, "entriesadded"u8))
            {
                if (!execution.TryInteger(index + 1, out entriesAdded)) return false;
                if (entriesAdded >= 0) continue;
                execution.Reply.Error("ERR entries_added must be positive"u8);
                return false;
            }
            if (!hasMore || !execution.Is(index, "maxdeletedid"u8))
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }
            if (!StreamIdText.TryStrict(execution, index + 1, out maxDeleted)) return false;
            if (id >= maxDeleted) continue;
            execution.Reply.Error(
                "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id"u8);
            return false;
        }
        return true;
    }

    private static bool TryChooseId(
        Execution execution, StreamId last, in TrimOptions options, out StreamId id)
    {
        id = options.Id;
        if (last == StreamId.Max)
        {
            execution.Reply.Error(StreamErrors.Exhausted);
            return false;
        }
        if (!options.IsIdGiven)
        {
            id = new StreamId((ulong)execution.NowMs, 0);
            if (id.Ms <= last.Ms) last.TryNext(out id);
            return true;
        }
        // A sequence that would go on in the next millisecond is none.
        if (!options.IsIdComplete && id.Ms == last.Ms && last.Sequence != ulong.MaxValue)
            id = new StreamId(id.Ms, last.Sequence + 1);
        if (id > last) return true;
        execution.Reply.Error(StreamErrors.IdTooSmall);
        return false;
    }
}
