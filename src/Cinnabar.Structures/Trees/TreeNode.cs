// An inner node of a PageTree; the root is one too. Behind the header lie three arrays with Capacity places:
//
//   | header, 48 bytes | children, 8 each | their element counts, 8 each | separators, KeySize each |
//
// Child i holds what lies at or behind separator i and before separator i + 1. The separator at place 0 is
// never compared: what lies before separator 1 is in child 0. Arrays of one kind each, since a descent reads
// either all counts or some separators, and then one child.
using System.Runtime.Intrinsics;
using Cinnabar.Memory;

namespace Cinnabar.Structures.Trees;

// SAFETY: places are below Capacity, as PageTree and TreeEdit see to; the block was allocated for as many.
/// <summary>The header of an inner node.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct TreeNode
{
    /// <summary>Nodes grow until they have at least this many places; then they split.</summary>
    internal const int FanOut = 64;

    /// <summary>Places of the smallest node.</summary>
    internal const int CapacityMin = 4;

    /// <summary>How many nodes, trees and snapshots lead here.</summary>
    internal int References;

    /// <summary>1: the children are pages.</summary>
    internal byte Height;

    /// <summary>Bytes of a separator.</summary>
    internal byte KeySize;

    /// <summary>The arena it came from.</summary>
    internal byte Home;

    /// <summary>Places.</summary>
    internal int Capacity;

    /// <summary>Children.</summary>
    internal int Count;

    /// <summary>Dead nodes only: the children already seen to.</summary>
    internal int ReclaimedCount;

    /// <summary>Elements in all pages below.</summary>
    internal long ElementCount;

    /// <summary>Bytes of this node and all below.</summary>
    internal long Bytes;

    /// <summary>Given anew by <see cref="TreeSource.Renew"/> where children change their places or a child
    /// that is a node is replaced; no two are equal. In a dead node: the next in the source's
    /// queue.</summary>
    internal ulong Version;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void** Children(TreeNode* node) => (void**)(node + 1);

    /// <summary>The children's element counts.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long* Counts(TreeNode* node) => (long*)(node + 1) + node->Capacity;

    /// <summary>The children's separators.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* Separators(TreeNode* node) => (byte*)((long*)(node + 1) + 2 * (nint)node->Capacity);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* Separator(TreeNode* node, int place) =>
        Separators(node) + place * (nint)node->KeySize;

    /// <summary>The leftmost page below a child.</summary>
    internal static TreePage* FirstPage(TreeNode* node, int place)
    {
        void* child = Children(node)[place];
        for (int height = node->Height; height > 1; height--) child = Children((TreeNode*)child)[0];
        return (TreePage*)child;
    }

    /// <summary>The last child that a seeker reaches, found by halving.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int HalveTo<TSeeker>(TreeNode* node, in TSeeker seeker)
        where TSeeker : struct, ITreeKey, allows ref struct
    {
        int place = 0;
        int count = node->Count;
        while (count > 1)
        {
            int half = count >> 1;
            place = seeker.Reaches(node, place + half) ? place + half : place;
            count -= half;
        }
        return place;
    }

    /// <summary>Bytes to allocate for a node with a number of places.</summary>
    internal static nuint SizeFor(int capacity, int keySize) =>
        (nuint)(sizeof(TreeNode) + capacity * (sizeof(void*) + sizeof(long) + keySize));

    /// <summary>What the node alone costs.</summary>
    internal static long BytesOf(TreeNode* node) =>
        (long)Arena.BlockSize(SizeFor(node->Capacity, node->KeySize));

    /// <summary>The bytes counted for a child: of it and all below.</summary>
    internal static long BytesOfChild(TreeNode* node, int place)
    {
        void* child = Children(node)[place];
        return node->Height == 1 ? TreePage.BytesOf((TreePage*)child) : ((TreeNode*)child)->Bytes;
    }

    /// <summary>Puts a child at a place, moving those from there on. The node's totals stay.</summary>
    internal static void Put(TreeNode* node, int place, void* child, long count, byte* separator)
    {
        Debug.Assert(node->Count < node->Capacity && (uint)place <= (uint)node->Count);
        Move(node, place, node, place + 1, node->Count - place);
        node->Count++;
        Children(node)[place] = child;
        Counts(node)[place] = count;
        if (node->KeySize != 0) Unsafe.CopyBlockUnaligned(Separator(node, place), separator, node->KeySize);
    }

    /// <summary>Takes places out, moving those behind them. The node's totals stay.</summary>
    internal static void Take(TreeNode* node, int place, int count)
    {
        Debug.Assert(place >= 0 && count >= 0 && place + count <= node->Count, "no such places");
        Move(node, place + count, node, place, node->Count - place - count);
        node->Count -= count;
    }

    /// <summary>Copies the places of some children, in the same node or to another of its kind.</summary>
    internal static void Move(TreeNode* from, int fromPlace, TreeNode* to, int toPlace, int count)
    {
        Debug.Assert(from->Height == to->Height && from->KeySize == to->KeySize, "nodes of two kinds");
        Debug.Assert(count >= 0 && fromPlace + count <= from->Capacity && toPlace + count <= to->Capacity,
            "more children than there are places");
        long bytes = count * (long)sizeof(void*);
        Copy(Children(from) + fromPlace, Children(to) + toPlace, bytes);
        Copy(Counts(from) + fromPlace, Counts(to) + toPlace, bytes);
        Copy(Separator(from, fromPlace), Separator(to, toPlace), count * (long)from->KeySize);
    }

    /// <summary>The child with the element of a rank, which is made the rank within it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int PlaceOfRank(TreeNode* node, ref long rank)
    {
        Debug.Assert(rank >= 0 && rank < node->ElementCount, "no such rank below this node");
        const int step = 2 * 4;
        long* counts = Counts(node);
        int place = 0;
        for (int end = node->Count - step; place <= end; place += step)
        {
            long* some = counts + place;
            long sum = Vector256.Sum(Vector256.Load(some) + Vector256.Load(some + step / 2));
            if (rank < sum) break;
            rank -= sum;
        }
        for (; rank >= counts[place]; place++) rank -= counts[place];
        return place;
    }

    /// <summary>The elements of the first children.</summary>
    internal static long CountBefore(TreeNode* node, int place)
    {
        Debug.Assert((uint)place <= (uint)node->Count, "no such place");
        long* counts = Counts(node);
        long sum = 0;
        Vector<long> sums = Vector<long>.Zero;
        int index = 0;
        for (; index + Vector<long>.Count <= place; index += Vector<long>.Count)
        {
            sums += Vector.Load(counts + index);
        }
        for (; index < place; index++) sum += counts[index];
        return sum + Vector.Sum(sums);
    }

    private static void Copy(void* from, void* to, long bytes) =>
        System.Buffer.MemoryCopy(from, to, bytes, bytes);
}
