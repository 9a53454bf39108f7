using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>XGROUP: makes, changes and removes consumer groups.</summary>
public static class GroupCommands
{
    private const int CreateArgumentsMax = 8;
    private const long NsPerPending = 400;

    /// <summary>XGROUP CREATE key group id | $ [MKSTREAM] [ENTRIESREAD entries-read].</summary>
    public static void Create(Execution execution)
    {
        if (!TryReadOptions(execution, isCreate: true, out bool isMake, out long entriesRead)) return;
        if (!execution.TryFindSlot(2, KeyType.Stream, out ValueSlot slot)) return;
        if (slot.IsMissing && !isMake)
        {
            execution.Reply.Error(StreamErrors.KeyRequired);
            return;
        }
        if (execution.ArgumentCount > CreateArgumentsMax)
        {
            StreamErrors.ReplySubcommand(execution, "XGROUP"u8);
            return;
        }
        StreamId id = slot.IsMissing ? StreamId.Zero : StreamStore.Of(slot.View).LastId;
        bool isLast = execution.Argument(4) is [(byte)'$'];
        if (!isLast && !StreamIdText.TryStrict(execution, 4, out id)) return;
        ReadOnlySpan<byte> name = execution.Argument(3);
        if (!slot.IsMissing && StreamGroups.TryFind(StreamStore.Of(slot.View), name, out _))
        {
            execution.Reply.Error("BUSYGROUP Consumer Group name already exists"u8);
            return;
        }
        Key key = execution.Key(2);
        bool isNew = slot.IsMissing;
        StreamEditor editor = isNew
            ? StreamStore.Create(execution.Keys, in key)
            : StreamStore.Edit(slot);
        StreamGroups.Create(ref editor.Stream, editor.Trees, name, id, entriesRead);
        execution.Keys.Changed(in key, isNew ? KeyEvent.StreamCreated : KeyEvent.GroupCreated);
        if (execution.Effects is { IsRecording: true, Level: CommandLevel.Redis62 })
            Record(execution, isMake);
        execution.Reply.Ok();
    }

    /// <summary>XGROUP SETID key group id | $ [ENTRIESREAD entries-read].</summary>
    public static void SetId(Execution execution)
    {
        if (!TryReadOptions(execution, isCreate: false, out _, out long entriesRead)) return;
        if (!TryFindStream(execution, out ValueSlot slot)) return;
        if (!TryFindGroup(execution, slot, out StreamGroup group)) return;
        if (execution.ArgumentCount is not (5 or 7))
        {
            StreamErrors.ReplySubcommand(execution, "XGROUP"u8);
            return;
        }
        StreamId id = StreamStore.Of(slot.View).LastId;
        bool isLast = execution.Argument(4) is [(byte)'$'];
        if (!isLast && !StreamIdText.TryAny(execution, 4, out id)) return;
        StreamEditor editor = StreamStore.Edit(slot);
        // More than there ever were cannot have been read.
        group = group with { LastId = id, EntriesRead = entriesRead };
        StreamGroups.Save(ref editor.Stream, editor.Trees, execution.Argument(3), in group);
        execution.Keys.Changed(execution.Key(2), KeyEvent.GroupIdSet);
        if (execution.Effects is { IsRecording: true, Level: CommandLevel.Redis62 })
            StreamEffects.Shortened(execution, argumentCount: 5);
        execution.Reply.Ok();
    }

    /// <summary>XGROUP DESTROY key group.</summary>
    public static void Destroy(Execution execution)
    {
        if (!TryFindStream(execution, out ValueSlot slot)) return;
        ReadOnlySpan<byte> name = execution.Argument(3);
        if (!StreamGroups.TryFind(StreamStore.Of(slot.View), name, out StreamGroup group))
        {
            execution.Reply.Integer(0);
            return;
        }
        StreamEditor editor = StreamStore.Edit(slot);
        StreamGroups.Destroy(ref editor.Stream, editor.Trees, name, in group);
        execution.Keys.Changed(execution.Key(2), KeyEvent.GroupDestroyed);
        execution.Reply.Integer(1);
    }

    /// <summary>XGROUP CREATECONSUMER key group consumer.</summary>
    public static void CreateConsumer(Execution execution)
    {
        if (!TryFindStream(execution, out ValueSlot slot)) return;
        if (!TryFindGroup(execution, slot, out StreamGroup group)) return;
        ReadOnlySpan<byte> name = execution.Argument(4);
        bool isNew = !StreamGroups.TryFindConsumer(StreamStore.Of(slot.View), in group, name, out _);
        if (isNew)
        {
            StreamEditor editor = StreamStore.Edit(slot);
            StreamGroups.CreateConsumer(ref editor.Stream, editor.Trees, in group, name, execution.NowMs);
            execution.Keys.Changed(execution.Key(2), KeyEvent.ConsumerCreated);
        }
        execution.Reply.Integer(isNew ? 1 : 0);
    }

    /// <summary>XGROUP DELCONSUMER key group consumer.</summary>
    public static Outcome DeleteConsumer(Execution execution)
    {
        if (!TryFindStream(execution, out ValueSlot slot)) return Outcome.Done;
        if (!TryFindGroup(execution, slot, out StreamGroup group)) return Outcome.Done;
        ReadOnlySpan<byte> name = execution.Argument(4);
        StreamTree stream = StreamStore.Of(slot.View);
        if (!StreamGroups.TryFindConsumer(stream, in group, name, out StreamConsumer consumer))
        {
            execution.Reply.Integer(0);
            return Outcome.Done;
        }
        long cost = StreamPendings.CountOf(stream, in consumer) * NsPerPending;
        if (execution.MustLeaveLoop(cost)) return Outcome.OffLoop;
        StreamEditor editor = StreamStore.Edit(slot);
        long count = StreamGroups.DeleteConsumer(
            ref editor.Stream, editor.Trees, in group, name, in consumer);
        execution.Keys.Changed(execution.Key(2), KeyEvent.ConsumerDeleted);
        execution.Reply.Integer(count);
        return Outcome.Done;
    }

    // Redis 6.2 does not know ENTRIESREAD.
    private static void Record(Execution execution, bool isMake)
    {
        Effects effects = execution.Effects.Begin(execution.Argument(0)).With(execution.Arguments, 1, 4);
        if (isMake)
            effects.With("MKSTREAM"u8);
        effects.End();
    }

    private static bool TryReadOptions(
        Execution execution, bool isCreate, out bool isMake, out long entriesRead)
    {
        isMake = false;
        entriesRead = StreamGroup.Unknown;
        for (int index = 5; index < execution.ArgumentCount; index++)
        {
            if (isCreate && execution.Is(index, "mkstream"u8))
            {
                isMake = true;
                continue;
            }
            if (index + 1 == execution.ArgumentCount || !execution.Is(index, "entriesread"u8))
            {
                StreamErrors.ReplySubcommand(execution, "XGROUP"u8);
                return false;
            }
            if (!execution.TryInteger(++index, out entriesRead)) return false;
            if (entriesRead >= StreamGroup.Unknown) continue;
            execution.Reply.Error("ERR value for ENTRIESREAD must be positive or -1"u8);
            return false;
        }
        return true;
    }

    private static bool TryFindStream(Execution execution, out ValueSlot slot)
    {
        if (!execution.TryFindSlot(2, KeyType.Stream, out slot)) return false;
        if (slot.IsMissing) execution.Reply.Error(StreamErrors.KeyRequired);
        return !slot.IsMissing;
    }

    private static bool TryFindGroup(Execution execution, ValueSlot slot, out StreamGroup group)
    {
        Debug.Assert(!slot.IsMissing && slot.Type == KeyType.Stream, "the stream is found first");
        StreamTree stream = StreamStore.Of(slot.View);
        if (StreamGroups.TryFind(stream, execution.Argument(3), out group)) return true;
        StreamErrors.ReplyNoGroupForKey(execution, 2, 3);
        return false;
    }
}
