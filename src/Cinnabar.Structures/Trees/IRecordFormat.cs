namespace Cinnabar.Structures.Trees;

/// <summary>
/// What a <see cref="RecordPage{TFormat}"/> must know of its records. Implemented by an empty struct, so that
/// every call is bound and inlined at compile time.
/// </summary>
internal unsafe interface IRecordFormat
{
    /// <summary>Bytes of a record's key in the column of keys: 1 or 8.</summary>
    static abstract int KeySize { get; }

    /// <summary>Bytes of a record in the heap.</summary>
    static abstract int SizeOf(byte* record);
}
