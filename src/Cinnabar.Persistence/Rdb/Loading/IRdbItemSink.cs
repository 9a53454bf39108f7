using Cinnabar.Persistence.Rdb.Reading;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>Gets the items of a file, in order, on the thread that scans it.</summary>
internal interface IRdbItemSink
{
    /// <summary>Takes an item.</summary>
    /// <param name="cursor">Behind the item; of a key, at its name, and the sink moves it behind the value.
    /// Where the value is cut off, the sink throws <see cref="RdbEndException"/> and gets the item once
    /// more.</param>
    /// <param name="item">The item.</param>
    /// <param name="prelude">Of a key: what belongs to it.</param>
    /// <param name="block">The block that it lies in.</param>
    /// <returns>Whether the block is to end here.</returns>
    bool Take(ref RdbCursor cursor, scoped in RdbItem item, scoped in RdbPrelude prelude, RdbBlock block);

    /// <summary>The checksum was read.</summary>
    /// <param name="stored">As it stands in the file; 0: none was written.</param>
    /// <param name="computed">That of the bytes.</param>
    void ChecksumRead(ulong stored, ulong computed);
}
