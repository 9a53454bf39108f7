namespace Cinnabar.Structures.Streams;

// SAFETY: reads a stream that its user keeps from changing.
/// <summary>A walk through what is pending with a group, by ID.</summary>
public unsafe ref struct StreamPendingCursor
{
    private readonly ulong _group;
    private WordCursor<PendingRecord> _records;

    internal StreamPendingCursor(StreamTree stream, ulong group, StreamId from)
    {
        _group = group;
        ulong* key = stackalloc ulong[3] { group, from.Ms, from.Sequence };
        _records = new WordCursor<PendingRecord>(in stream.Root->Pending, key);
    }

    /// <summary>The pending entry.</summary>
    public readonly StreamPending Pending => StreamPendings.Read(_records.Record);

    /// <summary>Goes to the next one, at first to the first one; false at the end.</summary>
    public bool MoveNext() => _records.MoveNext() && _records.Record[0] == _group;
}
