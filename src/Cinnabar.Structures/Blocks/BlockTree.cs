// The structural half of BlockString, whose file explains it: finding leaves, making a path writable, growing
// and cutting. All "writable" pointers that these methods answer belong to the caller alone.

namespace Cinnabar.Structures.Blocks;

internal static unsafe class BlockTree
{
    internal const int LeafSize = 64 * 1024;
    private const int FanOutBits = 8;
    internal const int FanOut = 1 << FanOutBits;

    internal static int LeafCount(long length) => (int)((length + LeafSize - 1) / LeafSize);

    /// <summary>How many bytes of the string lie in its leaf with this index.</summary>
    internal static int UsedOf(long length, int leafIndex) =>
        (int)Math.Clamp(length - (long)leafIndex * LeafSize, 0, LeafSize);

    internal static BlockNode* NewRoot(BlockSource source, int leafCount) => leafCount > FanOut
        ? source.NewNode(2, FanOut)
        : source.NewNode(1, CapacityFor(leafCount));

    internal static BlockLeaf* FindLeaf(BlockNode* root, int leafIndex)
    {
        Debug.Assert(leafIndex >= 0 && (root->Height == 2 || leafIndex < root->Capacity), "no such leaf");
        // SAFETY: an index below LeafCount(Length) has a place: roots are made, and grown, before Length is.
        if (root->Height == 1) return (BlockLeaf*)BlockNode.Children(root)[leafIndex];
        var node = (BlockNode*)BlockNode.Children(root)[leafIndex >> FanOutBits];
        return node == null ? null : (BlockLeaf*)BlockNode.Children(node)[leafIndex & (FanOut - 1)];
    }

    /// <summary>
    /// Uses up a reference to a root; returns a root of the caller's own with places for the leaves.
    /// </summary>
    internal static BlockNode* MakeWritable(BlockSource source, BlockNode* root, int leafCount)
    {
        bool hasPlaces = root->Height == 2 || leafCount <= root->Capacity;
        if (hasPlaces) return IsOwn(ref root->References) ? root : Copy(source, root, root->Capacity);
        if (leafCount <= FanOut) return Copy(source, root, CapacityFor(leafCount));
        long length = root->Length;
        BlockNode* raised = source.NewNode(2, FanOut);
        BlockNode* node = Copy(source, root, FanOut);
        BlockNode.Children(raised)[0] = node;
        raised->Length = length;
        raised->Bytes += node->Bytes;
        return raised;
    }

    /// <summary>
    /// Readies one leaf under a writable root for an edit, in place if it has no other reference.
    /// </summary>
    internal static BlockLeaf* EnsureLeaf(BlockSource source, BlockNode* root, int leafIndex, LeafEdit edit)
    {
        Debug.Assert(IsOwn(ref root->References), "a shared string is edited");
        BlockNode* parent = WritableParent(source, root, leafIndex);
        ref void* place = ref BlockNode.Children(parent)[leafIndex & (parent->Capacity - 1)];
        var old = (BlockLeaf*)place;
        if (old != null && old->Capacity >= edit.Used && IsOwn(ref old->References))
        {
            ClearOutside(old->Data, edit.Valid, edit.Used, edit);
            return old;
        }
        int capacity = edit.Used;
        if (old != null && capacity > old->Capacity)
        {
            capacity = Math.Min(Math.Max(capacity, 2 * old->Capacity), LeafSize);
        }
        BlockLeaf* leaf = source.NewLeaf(capacity);
        if (old == null)
        {
            ClearOutside(leaf->Data, 0, edit.Used, edit);
        }
        else
        {
            CopyOutside(leaf->Data, old->Data, edit);
            ClearOutside(leaf->Data, edit.Valid, edit.Used, edit);
        }
        long grownBytes = BlockSource.BytesOf(leaf) - (old == null ? 0 : BlockSource.BytesOf(old));
        place = leaf;
        parent->Bytes += grownBytes;
        if (parent != root) root->Bytes += grownBytes;
        if (old != null) source.ReleaseLeaf(old);
        return leaf;
    }

    /// <summary>
    /// Puts a leaf, with the caller's reference to it, into an empty place under a writable root.
    /// </summary>
    internal static void PutLeaf(BlockSource source, BlockNode* root, int leafIndex, BlockLeaf* leaf)
    {
        Debug.Assert(IsOwn(ref root->References), "a shared string is edited");
        BlockNode* parent = WritableParent(source, root, leafIndex);
        Debug.Assert(BlockNode.Children(parent)[leafIndex & (parent->Capacity - 1)] == null,
            "the place of the leaf is taken");
        BlockNode.Children(parent)[leafIndex & (parent->Capacity - 1)] = leaf;
        parent->Bytes += BlockSource.BytesOf(leaf);
        if (parent != root) root->Bytes += BlockSource.BytesOf(leaf);
    }

    /// <summary>Drops all leaves from an index on from a writable root.</summary>
    internal static void Cut(BlockSource source, BlockNode* root, int leafIndex)
    {
        Debug.Assert(IsOwn(ref root->References), "a shared string is cut");
        if (root->Height == 1)
        {
            if (leafIndex < root->Capacity) MoveOut(source, root, leafIndex);
            return;
        }
        int nodeIndex = leafIndex >> FanOutBits;
        int keptCount = leafIndex & (FanOut - 1);
        if (keptCount != 0)
        {
            if (BlockNode.Children(root)[nodeIndex] != null)
            {
                root->Bytes -= MoveOut(source, WritableParent(source, root, leafIndex), keptCount);
            }
            nodeIndex++;
        }
        for (; nodeIndex < FanOut; nodeIndex++)
        {
            ref void* place = ref BlockNode.Children(root)[nodeIndex];
            if (place == null) continue;
            var node = (BlockNode*)place;
            root->Bytes -= node->Bytes;
            place = null;
            source.ReleaseNode(node);
        }
    }

    // ORDER: acquire, so that our writes to what is ours alone come after the reads of the thread that
    // released it last (its decrement is a full fence). No thread can take a new reference in between: only a
    // holder of one can.
    private static bool IsOwn(ref int references) => Volatile.Read(ref references) == 1;

    // Powers of two, so that a leaf's index can be masked.
    private static int CapacityFor(int leafCount) =>
        (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(leafCount, 2));

    // The node that holds a leaf's place, ours alone, put in where there was none.
    private static BlockNode* WritableParent(BlockSource source, BlockNode* root, int leafIndex)
    {
        if (root->Height == 1) return root;
        ref void* place = ref BlockNode.Children(root)[leafIndex >> FanOutBits];
        var node = (BlockNode*)place;
        if (node == null)
        {
            node = source.NewNode(1, FanOut);
            root->Bytes += node->Bytes;
        }
        else if (!IsOwn(ref node->References))
        {
            node = Copy(source, node, FanOut);
        }
        place = node;
        return node;
    }

    // Uses up a reference to a node; returns a node of the caller's own with the same children. If the node
    // was the caller's alone, the children move, else they are shared from now on.
    private static BlockNode* Copy(BlockSource source, BlockNode* node, int capacity)
    {
        bool isMove = IsOwn(ref node->References);
        BlockNode* copy = source.NewNode(node->Height, capacity);
        copy->Length = node->Length;
        copy->Bytes += node->Bytes - BlockSource.BytesOfNode(node->Capacity);
        void** from = BlockNode.Children(node);
        void** to = BlockNode.Children(copy);
        for (int index = 0; index < node->Capacity; index++)
        {
            to[index] = from[index];
            // SAFETY: nodes and leaves both begin with their reference count.
            if (!isMove && from[index] != null) Interlocked.Increment(ref *(int*)from[index]);
        }
        if (isMove)
        {
            source.FreeNode(node);
        }
        else
        {
            source.ReleaseNode(node);
        }
        return copy;
    }

    // Moves the leaves from an index on to a node which is released at once: many leaves are then freed in
    // slices. Returns the bytes that the parent lost.
    private static long MoveOut(BlockSource source, BlockNode* parent, int leafIndex)
    {
        BlockNode* cut = source.NewNode(1, parent->Capacity);
        long lostBytes = 0;
        for (int index = leafIndex; index < parent->Capacity; index++)
        {
            ref void* place = ref BlockNode.Children(parent)[index];
            if (place == null) continue;
            lostBytes += BlockSource.BytesOf((BlockLeaf*)place);
            BlockNode.Children(cut)[index] = place;
            place = null;
        }
        parent->Bytes -= lostBytes;
        cut->Bytes += lostBytes;
        source.ReleaseNode(cut);
        return lostBytes;
    }

    // SAFETY, both: the ranges lie below edit.Used, which both blocks have room for (Valid in the old one).
    private static void CopyOutside(byte* to, byte* from, LeafEdit edit)
    {
        int before = Math.Min(edit.Valid, edit.Start);
        new ReadOnlySpan<byte>(from, before).CopyTo(new Span<byte>(to, before));
        int end = edit.Start + edit.Count;
        if (end >= edit.Valid) return;
        int after = edit.Valid - end;
        new ReadOnlySpan<byte>(from + end, after).CopyTo(new Span<byte>(to + end, after));
    }

    private static void ClearOutside(byte* data, int begin, int end, LeafEdit edit)
    {
        int beforeEnd = Math.Min(end, edit.Start);
        if (begin < beforeEnd) new Span<byte>(data + begin, beforeEnd - begin).Clear();
        int afterBegin = Math.Max(begin, edit.Start + edit.Count);
        if (afterBegin < end) new Span<byte>(data + afterBegin, end - afterBegin).Clear();
    }
}
