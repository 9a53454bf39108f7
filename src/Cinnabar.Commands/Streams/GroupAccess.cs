using System;
using Cinnabar.Keyspace;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>What commands do to groups and consumers, with the events that they declare.</summary>
internal static class GroupAccess
{
    /// <summary>Finds the group that an argument names in the stream of another, for who reads; replies
    /// WRONGTYPE or NOGROUP.</summary>
    internal static bool TryFind(
        Execution execution, int keyIndex, int groupIndex, out StreamTree stream, out StreamGroup group)
    {
        stream = default;
        group = default;
        if (!execution.TryFind(keyIndex, KeyType.Stream, out EntryView entry)) return false;
        if (!entry.IsMissing)
        {
            stream = StreamStore.Of(entry);
            if (StreamGroups.TryFind(stream, execution.Argument(groupIndex), out group)) return true;
        }
        StreamErrors.ReplyNoGroup(execution, keyIndex, groupIndex);
        return false;
    }

    /// <summary>Finds a consumer or makes it; it was seen now.</summary>
    internal static StreamConsumer FindOrCreateConsumer(
        Execution execution, StreamEditor editor, in Key key, in StreamGroup group, ReadOnlySpan<byte> name)
    {
        if (StreamGroups.TryFindConsumer(editor.Stream, in group, name, out StreamConsumer consumer))
            return consumer with { SeenMs = execution.NowMs };
        execution.Keys.Changed(in key, KeyEvent.ConsumerCreated);
        return StreamGroups.CreateConsumer(
            ref editor.Stream, editor.Trees, in group, name, execution.NowMs);
    }

    /// <summary>Gives a pending entry to a consumer, whether it was pending or not.</summary>
    internal static void Deliver(
        StreamEditor editor, in StreamGroup group, in StreamPending delivered)
    {
        if (StreamPendings.TryFind(editor.Stream, in group, delivered.Id, out StreamPending old))
            StreamPendings.Update(ref editor.Stream, editor.Trees, in group, in old, in delivered);
        else
            StreamPendings.Add(ref editor.Stream, editor.Trees, in group, in delivered);
    }
}
