using Cinnabar.Structures.Hashing;

namespace Cinnabar.Structures.Tables;

/// <summary>
/// What a <see cref="SegmentTable{TEntry}"/> must know of its entries. Implemented by an empty struct, so
/// that every call is bound and inlined at compile time.
/// </summary>
public interface ITableEntry
{
    /// <summary>The hash of the entry's key: the very number the entry was inserted with.</summary>
    static abstract unsafe ulong Hash(byte* entry, in HashSeed seed);

    /// <summary>Whether the entry's key is <paramref name="key"/>.</summary>
    static abstract unsafe bool Matches(byte* entry, ReadOnlySpan<byte> key);
}
