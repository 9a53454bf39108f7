// The header of one slab: 64 KiB that hold blocks, mostly of one size. It lies in the first page of the
// slab's region (see PageSource), so that
//   * blocks of a power of two fill a slab without a gap,
//   * the headers are dense: 4 KiB for 4 MiB of blocks, and do not fight for the cache lines of one set, as
//     headers at 64 KiB distance would.
// A header fills a cache line of its own: slabs of one region belong to different stripes.
//
// A block is not written to before it is allocated, so the pages of a fresh slab become resident one after
// the other as Fresh advances; its limit is the end of the page in use (SlabClass). Freed blocks are linked
// through their first eight bytes and reused first, last in first out, while they are in the cache.
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>The header of a slab, 64 bytes, in native memory.</summary>
[StructLayout(LayoutKind.Sequential, Size = SizeBytes)]
internal unsafe struct Slab
{
    internal const int SizeBytes = 64;
    internal const int Shift = 16;
    internal const int Bytes = 1 << Shift;
    internal const int RegionShift = 22;
    internal const int RegionBytes = 1 << RegionShift;
    internal const int PerRegion = RegionBytes / Bytes;
    internal const int HeadersBytes = SizeBytes * PerRegion;
    internal const int FirstRoomBytes = Bytes - HeadersBytes;

    internal byte* Freed;      // the freed block to serve next
    internal byte* Fresh;      // the never used block to serve next
    internal byte* FreshLast;  // the last address at which a block still fits into the pages in use
    internal Slab* Next;
    internal Slab* Previous;
    internal int UsedCount;
    internal int TouchedBytes; // how far pages were ever in use, since they came from the system
    internal int Index;        // where its owner keeps a mixed slab
    internal bool IsFull;      // in its class's list of full slabs; or mixed
    internal bool IsMixed;     // its blocks are of different sizes (MixedSlabs)
    internal bool IsLeaving;   // serves no block: those in it are being moved to other slabs

    /// <summary>The header of the slab that holds this address.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Slab* Of(byte* block)
    {
        nuint region = (nuint)block & ~(nuint)(RegionBytes - 1);
        nuint index = ((nuint)block >> Shift) & (PerRegion - 1);
        return (Slab*)(region + index * SizeBytes);
    }

    /// <summary>The slab's number in its region.</summary>
    internal static int IndexOf(Slab* slab) => (int)((nuint)slab & (HeadersBytes - 1)) / SizeBytes;

    /// <summary>The address of the slab's region.</summary>
    internal static byte* RegionOf(Slab* slab) => (byte*)((nuint)slab & ~(nuint)(RegionBytes - 1));

    /// <summary>The first byte for blocks: the region's first slab begins behind the headers.</summary>
    internal static byte* StartOf(Slab* slab)
    {
        int index = IndexOf(slab);
        return RegionOf(slab) + (index == 0 ? HeadersBytes : (nuint)index * Bytes);
    }

    /// <summary>The first byte behind the slab.</summary>
    internal static byte* EndOf(Slab* slab) => RegionOf(slab) + ((nuint)IndexOf(slab) + 1) * Bytes;

    /// <summary>The bytes that blocks may use: 4 KiB fewer in a region's first slab.</summary>
    internal static int RoomOf(Slab* slab) => (int)(EndOf(slab) - StartOf(slab));

    // SAFETY: headers stay mapped with their region, and the caller holds the slab.

    /// <summary>Gives the whole pages of an empty slab to the system.</summary>
    internal static void Discard(Slab* slab)
    {
        byte* start = (byte*)PageSource.RoundToPages((nuint)StartOf(slab));
        NativePages.Discard(start, (nuint)(EndOf(slab) - start) & ~(NativePages.PageSize - 1));
    }

    /// <summary>Bytes of whole pages that its blocks have reached in its present use.</summary>
    internal static int TouchedNow(Slab* slab)
    {
        // A slab that was just taken may still have the mark of an earlier use, or none.
        long reach = slab->Fresh - StartOf(slab);
        return (int)PageSource.RoundToPages((nuint)Math.Clamp(reach, 0, RoomOf(slab)));
    }
}
