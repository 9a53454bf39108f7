namespace Cinnabar.Structures.Streams;

// SAFETY: reads a stream that its user keeps from changing.
/// <summary>A walk through what is pending with a consumer, by ID.</summary>
public unsafe ref struct StreamOwnedCursor
{
    private readonly StreamTree _stream;
    private readonly ulong _group;
    private readonly ulong _consumer;
    private WordCursor<OwnedRecord> _records;

    internal StreamOwnedCursor(StreamTree stream, ulong group, ulong consumer, StreamId from)
    {
        _stream = stream;
        _group = group;
        _consumer = consumer;
        ulong* key = stackalloc ulong[3] { consumer, from.Ms, from.Sequence };
        _records = new WordCursor<OwnedRecord>(in stream.Root->Owned, key);
    }

    /// <summary>The ID.</summary>
    public readonly StreamId Id => new(_records.Record[1], _records.Record[2]);

    /// <summary>The pending entry.</summary>
    public readonly StreamPending Pending
    {
        get
        {
            StreamPendings.TryFind(_stream, new StreamGroup(_group, default, 0), Id, out StreamPending found);
            return found;
        }
    }

    /// <summary>Goes to the next one, at first to the first one; false at the end.</summary>
    public bool MoveNext() => _records.MoveNext() && _records.Record[0] == _consumer;
}
