using System.Buffers;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Commands that give pending entries to another consumer: XCLAIM, XAUTOCLAIM.</summary>
public static class ClaimCommands
{
    private const long AttemptsPerCount = 10;
    private const long NsPerAttempt = 400;

    /// <summary>XCLAIM key group consumer min-idle-time id [id ...] [IDLE ms] [TIME unix-time-ms]
    /// [RETRYCOUNT count] [FORCE] [JUSTID] [LASTID last-id].</summary>
    public static void XClaim(Execution execution)
    {
        bool isStream = execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot);
        execution.Keys.NoteLookup(execution.Key(1), !slot.IsMissing);
        if (!isStream) return;
        ReadOnlySpan<byte> name = execution.Argument(2);
        if (slot.IsMissing || !StreamGroups.TryFind(StreamStore.Of(slot.View), name, out StreamGroup group))
        {
            StreamErrors.ReplyNoGroup(execution, 1, 2);
            return;
        }
        var options = new ClaimOptions();
        if (!options.TryRead(execution)) return;
        StreamEditor editor = StreamStore.Edit(slot);
        bool isAdvanced = options.LastId > group.LastId;
        if (isAdvanced)
        {
            group = group with { LastId = options.LastId };
            StreamGroups.Save(ref editor.Stream, editor.Trees, name, in group);
            execution.Keys.CountChanges(1);
        }
        var session = new GroupSession(execution, editor, keyIndex: 1, in group, groupIndex: 2);
        var header = execution.Reply.BeginDeferred();
        int count = 0;
        for (int index = ClaimOptions.FirstId; index < options.IdEnd; index++)
        {
            bool isId = StreamIdText.TryStrict(execution.Argument(index), 0, out StreamId id);
            Debug.Assert(isId, "the IDs were read before");
            if (TryClaim(ref session, in options, id)) count++;
        }
        execution.Reply.EndDeferredArray(in header, count);
        session.SaveConsumer();
        if (execution.Effects.IsRecording)
            execution.Effects.Replace();
        // Claims tell how far the group has got.
        if (isAdvanced && count == 0)
            session.RecordGroup();
        // A client that waits for entries to become old enough may have to wait less now.
        if (count != 0 && (options.IsForce || options.DeliveredMs < execution.NowMs))
            execution.Keys.MarkChanged(execution.Key(1), KeyEvent.PendingAged);
    }

    /// <summary>XAUTOCLAIM key group consumer min-idle-time start [COUNT count] [JUSTID].</summary>
    public static Outcome XAutoClaim(Execution execution)
    {
        Key key = execution.Key(1);
        execution.Keys.NoteLookup(in key, !execution.Keys.Peek(in key).IsMissing);
        var claim = new AutoClaim();
        if (!claim.TryRead(execution)) return Outcome.Done;
        if (!execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot)) return Outcome.Done;
        ReadOnlySpan<byte> name = execution.Argument(2);
        if (slot.IsMissing || !StreamGroups.TryFind(StreamStore.Of(slot.View), name, out StreamGroup group))
        {
            StreamErrors.ReplyNoGroup(execution, 1, 2);
            return Outcome.Done;
        }
        long pendingCount = StreamPendings.CountOf(StreamStore.Of(slot.View), in group);
        claim.CountMax = Math.Min(claim.CountMax, pendingCount + 1);
        long attempts = Math.Min(claim.CountMax * AttemptsPerCount, pendingCount);
        if (execution.MustLeaveLoop(attempts * NsPerAttempt)) return Outcome.OffLoop;
        StreamEditor editor = StreamStore.Edit(slot);
        var session = new GroupSession(execution, editor, keyIndex: 1, in group, groupIndex: 2);
        StreamPending[] found = ArrayPool<StreamPending>.Shared.Rent(checked((int)claim.CountMax));
        try
        {
            int count = Collect(ref session, in claim, found, out StreamId next);
            execution.Reply.ArrayHeader(3);
            StreamIdText.Reply(execution, next);
            Take(ref session, found.AsSpan(0, count), claim.IsJustId);
        }
        finally
        {
            ArrayPool<StreamPending>.Shared.Return(found);
        }
        session.SaveConsumer();
        return Outcome.Done;
    }

    /// <summary>Reads the fourth argument, or replies an error; what is negative counts as 0.</summary>
    internal static bool TryReadIdle(Execution execution, ReadOnlySpan<byte> error, out long idleMs)
    {
        bool isInteger = RedisNumber.TryParseInt64(execution.Argument(4), out idleMs);
        if (!isInteger) execution.Reply.Error(error);
        idleMs = Math.Max(idleMs, 0);
        return isInteger;
    }

    private static bool TryClaim(ref GroupSession session, in ClaimOptions options, StreamId id)
    {
        Execution execution = session.Execution;
        bool isPending = session.TryFind(id, out StreamPending old);
        if (!session.Stream.Contains(id))
        {
            // The entry is deleted: no consumer will acknowledge it.
            if (!isPending) return false;
            session.Forget(in old);
            execution.Keys.CountChanges(1);
            return false;
        }
        bool isTooYoung = options.IdleMs != 0 && execution.NowMs - old.DeliveredMs < options.IdleMs;
        if (isPending ? isTooYoung : !options.IsForce) return false;
        ulong count = isPending ? old.DeliveryCount : 1;
        if (options.RetryCount >= 0)
            count = (ulong)options.RetryCount;
        else if (!options.IsJustId)
            count++;
        session.Deliver(id, options.DeliveredMs, count);
        session.NoteActive();
        execution.Keys.CountChanges(1);
        if (options.IsJustId)
            StreamIdText.Reply(execution, id);
        else
            StreamReply.TryEntry(execution, session.Stream, id);
        return true;
    }

    // What is to be claimed, or, where its entry is deleted, to be forgotten; next: where to go on.
    private static int Collect(
        ref GroupSession session, in AutoClaim claim, Span<StreamPending> found, out StreamId next)
    {
        Debug.Assert(claim.CountMax > 0 && found.Length >= claim.CountMax, "too little room");
        int count = 0;
        long attempts = claim.CountMax * AttemptsPerCount;
        StreamPendingCursor cursor = StreamPendings.Of(session.Stream, in session.Group, claim.From);
        while (attempts-- > 0 && count < claim.CountMax && cursor.MoveNext())
        {
            StreamPending pending = cursor.Pending;
            bool isTooYoung = claim.IdleMs != 0
                && session.Execution.NowMs - pending.DeliveredMs < claim.IdleMs;
            if (!isTooYoung || !session.Stream.Contains(pending.Id))
                found[count++] = pending;
        }
        next = cursor.MoveNext() ? cursor.Pending.Id : StreamId.Zero;
        return count;
    }

    private static void Take(ref GroupSession session, Span<StreamPending> found, bool isJustId)
    {
        Execution execution = session.Execution;
        int goneCount = 0;
        var header = execution.Reply.BeginDeferred();
        foreach (ref readonly StreamPending pending in found)
        {
            bool isThere = isJustId
                ? session.Stream.Contains(pending.Id)
                : StreamReply.TryEntry(execution, session.Stream, pending.Id);
            if (!isThere)
            {
                found[goneCount++] = pending;
                continue;
            }
            if (isJustId) StreamIdText.Reply(execution, pending.Id);
            session.Deliver(pending.Id, execution.NowMs, pending.DeliveryCount + (isJustId ? 0u : 1));
            session.NoteActive();
        }
        execution.Reply.EndDeferredArray(in header, found.Length - goneCount);
        execution.Reply.ArrayHeader(goneCount);
        foreach (ref readonly StreamPending pending in found[..goneCount])
        {
            session.Forget(in pending);
            StreamIdText.Reply(execution, pending.Id);
        }
        execution.Keys.CountChanges(found.Length);
    }
}
