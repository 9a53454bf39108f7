using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Persistence.Journal;

/// <summary>A published record, until the ring releases it.</summary>
internal readonly unsafe struct JournalRecord
{
    private readonly RecordHeader* _header;

    internal JournalRecord(RecordHeader* header, long end)
    {
        _header = header;
        End = end;
    }

    /// <summary>The position behind it.</summary>
    internal long End { get; }

    internal RecordKind Kind => _header->Kind;

    internal bool IsTransaction => _header->IsTransaction;

    internal JournalAudience Audience => _header->Audience;

    /// <summary>When its execution committed, Unix time in seconds.</summary>
    internal long Seconds => _header->Seconds;

    internal int FirstDatabase => _header->FirstDatabase;

    internal int LastDatabase => _header->LastDatabase;

    /// <summary>The bytes of its commands.</summary>
    // SAFETY: the record is published and not yet released: its producer has written it, and no other may.
    internal byte* Data => Kind == RecordKind.LargeCommands ? (byte*)Large[0] : (byte*)(_header + 1);

    /// <summary>How many bytes there are.</summary>
    internal long ByteCount => Kind == RecordKind.LargeCommands ? Large[1] : _header->ByteCount;

    /// <summary>Of a large record: address and number of its bytes.</summary>
    private long* Large => (long*)(_header + 1);

    /// <summary>Frees the memory of a large record.</summary>
    internal void Free()
    {
        if (Kind == RecordKind.LargeCommands)
            NativeMemory.Free((void*)Large[0]);
    }
}
