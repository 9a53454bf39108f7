using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Persistence.Journal;

/// <summary>What stands before the bytes of a record in the ring.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct RecordHeader
{
    /// <summary>Bytes of a header.</summary>
    internal const int Size = 24;

    /// <summary>When the record was claimed, Unix time in seconds.</summary>
    internal long Seconds;

    /// <summary>Bytes behind the header that count.</summary>
    internal int ByteCount;

    /// <summary>The database that the first command is for.</summary>
    internal int FirstDatabase;

    /// <summary>The database that is selected behind the last.</summary>
    internal int LastDatabase;

    /// <summary>What the record is.</summary>
    internal RecordKind Kind;

    /// <summary>Whether all its commands are executed or none.</summary>
    internal bool IsTransaction;

    /// <summary>Who gets it.</summary>
    internal JournalAudience Audience;
}
