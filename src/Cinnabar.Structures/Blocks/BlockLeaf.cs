// Describes one leaf of a BlockString. It lies apart from the bytes, because those may be a page-aligned
// slice of a region. References comes first here and in BlockNode: code that counts references need not know
// which of them a child is.

namespace Cinnabar.Structures.Blocks;

[StructLayout(LayoutKind.Sequential)]
internal unsafe struct BlockLeaf
{
    internal int References;
    internal int Capacity;
    internal byte* Data;
    internal BlockRegionHeader* Region;
}
