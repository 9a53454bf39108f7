namespace Cinnabar.Persistence.Journal;

/// <summary>What stands before the bytes of a record in the ring.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct RecordHeader
{
    /// <summary>Bytes of a header.</summary>
    internal const int Size = 16;

    private const int KindBits = 2;

    /// <summary>Bytes behind the header that count.</summary>
    internal int ByteCount;

    /// <summary>The database that the first command is for.</summary>
    internal int FirstDatabase;

    /// <summary>The database that is selected behind the last.</summary>
    internal int LastDatabase;

    private uint _commands;

    /// <summary>What the record is.</summary>
    internal readonly RecordKind Kind => (RecordKind)(_commands & ((1 << KindBits) - 1));

    /// <summary>How many commands it has.</summary>
    internal readonly int CommandCount => (int)(_commands >> KindBits);

    internal void Set(RecordKind kind, int commandCount)
    {
        Debug.Assert(commandCount >= 0 && commandCount < 1 << (32 - KindBits - 1), "too many commands");
        _commands = ((uint)commandCount << KindBits) | (uint)kind;
    }
}
