namespace Cinnabar.Structures.Blocks;

/// <summary>
/// Contiguous writable memory for a big argument, to be filled by a transport and then adopted by
/// <see cref="BlockString.Adopt"/>. The code that allocated it owns it until it is adopted or released. A
/// handle of eight bytes, like a pointer.
/// </summary>
public readonly unsafe struct BlockRegion
{
    internal readonly BlockRegionHeader* Header;

    internal BlockRegion(BlockRegionHeader* header) => Header = header;

    /// <summary>Whether this is no region at all.</summary>
    public bool IsNull => Header == null;

    // SAFETY: the header lives until the region's last leaf goes, that is, as long as its owner.
    /// <summary>The first byte, page-aligned. The contents are undefined.</summary>
    public byte* Data => Header->Data;

    /// <summary>How many bytes may be written: the length asked for, rounded up.</summary>
    public long Capacity => (long)Header->Size;

    /// <summary>Maps a region.</summary>
    /// <param name="source">The server's source of blocks; the same for every later call.</param>
    /// <param name="length">Bytes wanted, 1 to <see cref="BlockString.LengthMax"/>.</param>
    /// <exception cref="OutOfMemoryException">The system has no such memory.</exception>
    public static BlockRegion Allocate(BlockSource source, long length)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, BlockString.LengthMax);
        return new BlockRegion(source.MapRegion((nuint)length));
    }

    /// <summary>Gives back a region that was not adopted, a big one in slices by the source.</summary>
    public void Release(BlockSource source)
    {
        BlockString unread = BlockString.Adopt(source, this, Capacity);
        unread.Release(source);
    }
}
