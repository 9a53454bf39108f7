namespace Cinnabar.Structures.Streams;

/// <summary>The numbers, from 1, of a stream's entries among all that were ever added. They are known at its
/// two ends only.</summary>
public static class StreamNumber
{
    /// <summary>The number of the entry with an ID, or of the last one below.</summary>
    /// <returns><see cref="StreamGroup.Unknown"/> where deletions hide it.</returns>
    public static long Of(StreamTree stream, StreamId id)
    {
        if (stream.EntriesAdded == 0) return 0;
        if (stream.Length == 0 && id <= stream.LastId) return stream.EntriesAdded;
        if (id == stream.LastId) return stream.EntriesAdded;
        if (id > stream.LastId) return StreamGroup.Unknown;
        bool isWhole = IsWhole(stream);
        if (isWhole && id < stream.FirstId) return stream.EntriesAdded - stream.Length;
        if (isWhole && id == stream.FirstId) return stream.EntriesAdded - stream.Length + 1;
        return StreamGroup.Unknown;
    }

    /// <summary>Whether nothing was deleted between the first entry and the last.</summary>
    public static bool IsWhole(StreamTree stream) =>
        stream.MaxDeletedId.IsZero || stream.MaxDeletedId < stream.FirstId;
}
