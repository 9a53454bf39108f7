using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Commands that delete entries with regard to consumer groups: XDELEX, XACKDEL.</summary>
public static class DeleteCommands
{
    private const int NotFound = -1;
    private const int Deleted = 1;
    private const int StillReferenced = 2;

    /// <summary>XDELEX key [KEEPREF | DELREF | ACKED] IDS count id [id ...].</summary>
    public static void XDelEx(Execution execution)
    {
        var options = new DeleteOptions();
        if (!options.TryRead(execution, 2)) return;
        if (!execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot)) return;
        if (slot.IsMissing)
        {
            ReplyNotFound(execution, options.IdCount);
            return;
        }
        StreamEditor editor = StreamStore.Edit(slot);
        StreamRemovals? removals = RemovalsOf(execution);
        long count = 0;
        execution.Reply.ArrayHeader(options.IdCount);
        for (int index = options.IdIndex; index < options.IdIndex + options.IdCount; index++)
        {
            bool isId = StreamIdText.TryStrict(execution.Argument(index), 0, out StreamId id);
            Debug.Assert(isId, "the IDs were read before");
            int outcome = Delete(execution, editor, id, options.Policy, removals);
            count += outcome == Deleted ? 1 : 0;
            execution.Reply.Integer(outcome);
        }
        Declare(execution, count);
        removals?.Record(execution, editor.Stream);
    }

    /// <summary>XACKDEL key group [KEEPREF | DELREF | ACKED] IDS count id [id ...].</summary>
    public static void XAckDel(Execution execution)
    {
        var options = new DeleteOptions();
        if (!options.TryRead(execution, 3)) return;
        if (!execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot)) return;
        ReadOnlySpan<byte> name = execution.Argument(2);
        if (slot.IsMissing || !StreamGroups.TryFind(StreamStore.Of(slot.View), name, out StreamGroup group))
        {
            ReplyNotFound(execution, options.IdCount);
            return;
        }
        StreamEditor editor = StreamStore.Edit(slot);
        StreamRemovals? removals = RemovalsOf(execution);
        long count = 0;
        execution.Reply.ArrayHeader(options.IdCount);
        for (int index = options.IdIndex; index < options.IdIndex + options.IdCount; index++)
        {
            bool isId = StreamIdText.TryStrict(execution.Argument(index), 0, out StreamId id);
            Debug.Assert(isId, "the IDs were read before");
            if (!StreamPendings.Remove(ref editor.Stream, editor.Trees, in group, id))
            {
                execution.Reply.Integer(NotFound);
                continue;
            }
            execution.Keys.CountChanges(1);
            if (removals is not null) RecordAcknowledged(execution, id);
            // What was acknowledged and had gone already counts as deleted.
            int outcome = Delete(execution, editor, id, options.Policy, removals);
            count += outcome == Deleted ? 1 : 0;
            execution.Reply.Integer(outcome == NotFound ? Deleted : outcome);
        }
        Declare(execution, count);
        removals?.Record(execution, editor.Stream);
    }

    private static StreamRemovals? RemovalsOf(Execution execution) =>
        execution.Effects is { IsRecording: true, Level: < CommandLevel.Newest }
            ? new StreamRemovals()
            : null;

    private static void RecordAcknowledged(Execution execution, StreamId id) =>
        execution.Effects.Begin("XACK"u8).With(execution.Arguments, 1, 2).With(id).End();

    private static int Delete(Execution execution, StreamEditor editor, StreamId id, ReferencePolicy policy,
        StreamRemovals? removals)
    {
        bool isThere = editor.Stream.Contains(id);
        // A stream without groups has no entry that a group still wants.
        if (isThere && policy == ReferencePolicy.Acknowledged && StreamPendings.IsWanted(editor.Stream, id))
            return StillReferenced;
        if (policy == ReferencePolicy.Delete)
        {
            bool wasPending = StreamPendings.RemoveEverywhere(ref editor.Stream, editor.Trees, id);
            removals?.Forget(id);
            // An entry that had gone before is a change only where it was still pending.
            if (wasPending && !isThere) execution.Keys.CountChanges(1);
        }
        if (!isThere) return NotFound;
        bool isDeleted = editor.Stream.Delete(editor.Trees, id);
        Debug.Assert(isDeleted, "the entry was there");
        removals?.Delete(id);
        return Deleted;
    }

    private static void Declare(Execution execution, long count)
    {
        if (count == 0) return;
        execution.Keys.Changed(execution.Key(1), KeyEvent.StreamDeleted);
        execution.Keys.CountChanges(count - 1);
    }

    private static void ReplyNotFound(Execution execution, int count)
    {
        execution.Reply.ArrayHeader(count);
        for (; count > 0; count--) execution.Reply.Integer(NotFound);
    }
}
