// A contiguous mapping and, behind this header, the descriptors of the leaves it is cut into:
//
//   | Leaves | LeafCount | Size | Data | BlockLeaf 0 | BlockLeaf 1 | ... |
//
// Leaves counts those still in use by some tree; the mapping and this block go with the last of them.

namespace Cinnabar.Structures.Blocks;

[StructLayout(LayoutKind.Sequential)]
internal unsafe struct BlockRegionHeader
{
    internal int LeavesInUse;
    internal int LeafCount;
    internal nuint Size;
    internal byte* Data;

    internal static nuint SizeFor(int leafCount) =>
        (nuint)(sizeof(BlockRegionHeader) + leafCount * sizeof(BlockLeaf));

    // SAFETY: the header's block was allocated with room for LeafCount descriptors.
    internal static BlockLeaf* Leaves(BlockRegionHeader* region) => (BlockLeaf*)(region + 1);
}
