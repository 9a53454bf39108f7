// How far a group has read, counted in entries. A stream counts the entries ever added; so the number of the
// last one is known, and that of the first one, if nothing was deleted behind it. The number of an
// entry in between is known only to the group, which counts while it reads, and only as long as no deletion
// lies ahead of it. A group behind the first entry has all of them before it.
// Source: the documentation of XINFO GROUPS and XGROUP.

using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>Counts what groups have read.</summary>
internal static class StreamLag
{
    /// <summary>The group after it has read the next entry.</summary>
    internal static StreamGroup Advance(StreamTree stream, in StreamGroup group, StreamId id)
    {
        Debug.Assert(id > group.LastId, "a group reads in the order of IDs");
        long read = group.EntriesRead;
        bool isCounted = read != StreamGroup.Unknown && group.LastId >= stream.FirstId
            && !HasDeletionFrom(stream, group.LastId);
        if (isCounted)
            read++;
        else if (stream.EntriesAdded != 0)
            read = StreamNumber.Of(stream, id);
        return group with { LastId = id, EntriesRead = read };
    }

    /// <summary>How many entries a group has yet to read; false: that is not known.</summary>
    internal static bool TryLagOf(StreamTree stream, in StreamGroup group, out long lag)
    {
        lag = 0;
        if (stream.Length == 0) return true;
        if (group.LastId < stream.FirstId && StreamNumber.IsWhole(stream))
        {
            lag = stream.Length;
            return true;
        }
        long read = group.EntriesRead;
        if (read == StreamGroup.Unknown || HasDeletionFrom(stream, group.LastId))
            read = StreamNumber.Of(stream, group.LastId);
        lag = stream.EntriesAdded - read;
        return read != StreamGroup.Unknown;
    }

    private static bool HasDeletionFrom(StreamTree stream, StreamId id) =>
        stream.Length != 0 && !stream.MaxDeletedId.IsZero && id <= stream.MaxDeletedId;
}
