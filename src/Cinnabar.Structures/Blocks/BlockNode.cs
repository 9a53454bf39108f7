// An inner node of a BlockString; the root is one too. Behind the header lie Capacity places for children:
// leaves at height 1, nodes of height 1 at height 2. An empty place stands for zero bytes.

namespace Cinnabar.Structures.Blocks;

[StructLayout(LayoutKind.Sequential)]
internal unsafe struct BlockNode
{
    internal int References;
    internal int Height;
    internal int Capacity;
    internal int ReclaimedCount;    // dead nodes only: the places already seen to
    internal long Length;           // roots only: the string's length
    internal long Bytes;            // of this node and everything below it
    internal byte* Zeroes;          // a leaf's worth of zero bytes, the source's
    internal BlockNode* NextDead;   // dead nodes only: the next in the source's queue

    internal static nuint SizeFor(int capacity) => (nuint)(sizeof(BlockNode) + capacity * sizeof(void*));

    // SAFETY: the node's block was allocated with room for Capacity places.
    internal static void** Children(BlockNode* node) => (void**)(node + 1);
}
