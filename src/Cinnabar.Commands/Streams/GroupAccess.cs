using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Finds groups.</summary>
internal static class GroupAccess
{
    /// <summary>Finds the group that an argument names in the stream of another, for a command that reads;
    /// replies WRONGTYPE or NOGROUP.</summary>
    internal static bool TryFind(
        Execution execution, int keyIndex, int groupIndex, out StreamTree stream, out StreamGroup group)
    {
        stream = default;
        group = default;
        if (!execution.TryFindKept(keyIndex, KeyType.Stream, out EntryView entry)) return false;
        if (!entry.IsMissing)
        {
            stream = StreamStore.Of(entry);
            if (StreamGroups.TryFind(stream, execution.Argument(groupIndex), out group)) return true;
        }
        StreamErrors.ReplyNoGroup(execution, keyIndex, groupIndex);
        return false;
    }
}
