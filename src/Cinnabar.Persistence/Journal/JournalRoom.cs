namespace Cinnabar.Persistence.Journal;

/// <summary>Room that has been claimed for a record, until it is published.</summary>
public readonly unsafe struct JournalRoom
{
    internal JournalRoom(byte* data, long byteCount, long start, long end)
    {
        Data = data;
        ByteCount = byteCount;
        Start = start;
        End = end;
    }

    /// <summary>Where its commands go: <see cref="ByteCount"/> bytes, all of which the caller
    /// writes.</summary>
    public byte* Data { get; }

    /// <summary>How many bytes there are.</summary>
    public long ByteCount { get; }

    /// <summary>The position behind the record: what has been drained up to here includes it.</summary>
    public long End { get; }

    /// <summary>The position of the record, by which it is published.</summary>
    public long Start { get; }
}
