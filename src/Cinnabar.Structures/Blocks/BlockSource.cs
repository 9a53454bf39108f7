// Where the nodes, leaves and regions of a server's BlockStrings come from, and where they go. Thread-safe,
// since references are dropped by loops, savers and background threads alike: one lock around one arena is
// enough, because each call stands for up to 64 KiB that are copied or sent. Regions are runs of pages of the
// server's page source.
//
// Freeing a 512 MB string means 8,192 leaves, tens of milliseconds of system calls if they are slices of a
// region. So only small trees are freed with their last reference. A bigger one is put into the queue of the
// dead, which ReclaimSlice works off in bounded portions: a dead node remembers how far its children were
// seen to, and a child that dies on the way joins the queue.
using Cinnabar.Memory;
using Cinnabar.Platform;

namespace Cinnabar.Structures.Blocks;

/// <summary>
/// Memory for <see cref="BlockString"/>s and <see cref="BlockRegion"/>s. Any thread may use it.
/// </summary>
public sealed unsafe class BlockSource : IDisposable
{
    /// <summary>Trees up to this many bytes are freed at once with their last reference.</summary>
    public const long FreedAtOnceBytesMax = 256 << 10;

    private readonly Lock _lock = new();
    private readonly PageSource _pages;
    private readonly Arena _arena;
    private readonly RegionReserve _reserve = new();
    private readonly byte* _zeroes;
    private BlockNode* _dead;
    private long _regionTakenBytes;
    private long _regionUsedBytes;
    private bool _isDisposed;

    /// <param name="pages">The server's pages; must outlive this.</param>
    public BlockSource(PageSource pages)
    {
        _pages = pages;
        _arena = new Arena(pages, "blocks");
        // Never written, so the system backs it with its page of zeroes.
        _zeroes = NativePages.Map(BlockTree.LeafSize, NativePages.PageSize);
    }

    /// <summary>Bytes in nodes, leaves and the parts of regions that are in use.</summary>
    public long UsedBytes
    {
        get
        {
            lock (_lock) return _arena.UsedBytes + _regionUsedBytes;
        }
    }

    /// <summary>Bytes of address space that this source holds, whether in use or not.</summary>
    public long MappedBytes
    {
        get
        {
            lock (_lock) return _arena.MappedBytes + _regionTakenBytes + _reserve.KeptBytes;
        }
    }

    /// <summary>The part of <see cref="UsedBytes"/> that the server's pages do not count as used.</summary>
    public long RegionUsedBytes => Volatile.Read(ref _regionUsedBytes);

    /// <summary>Bytes of pages that are taken and free, kept for new regions.</summary>
    public long KeptBytes
    {
        get
        {
            lock (_lock) return _reserve.KeptBytes;
        }
    }

    /// <summary>How many blocks are allocated; 0 when every string was released and reclaimed.</summary>
    public long BlockCount
    {
        get
        {
            lock (_lock) return _arena.BlockCount;
        }
    }

    /// <summary>Whether <see cref="ReclaimSlice"/> has something to do.</summary>
    public bool HasGarbage
    {
        get
        {
            lock (_lock) return _dead != null;
        }
    }

    /// <summary>
    /// Frees up to <paramref name="leafCountMax"/> leaves of dead strings. Several threads may do so.
    /// </summary>
    /// <returns>Whether there is more to do.</returns>
    public bool ReclaimSlice(int leafCountMax)
    {
        while (leafCountMax > 0)
        {
            BlockNode* node = TakeDead();
            if (node == null) return false;
            leafCountMax -= FreeChildren(node, leafCountMax);
            if (node->ReclaimedCount < node->Capacity)
            {
                AddDead(node);
            }
            else
            {
                FreeNode(node);
            }
        }
        return HasGarbage;
    }

    /// <summary>Gives back to the system what is only kept for speed.</summary>
    public void Trim()
    {
        lock (_lock)
        {
            _reserve.Trim(_pages);
            _arena.Trim();
        }
    }

    /// <summary>Returns to the system what was kept and not needed since the last call.</summary>
    public void GiveBackIdle()
    {
        lock (_lock)
        {
            _reserve.GiveBackIdle(_pages);
            _arena.GiveBackIdle();
        }
    }

    /// <summary>
    /// Frees what is dead and gives the memory back. All strings must have been released before.
    /// </summary>
    public void Dispose()
    {
        if (_isDisposed) return;
        _isDisposed = true;
        while (ReclaimSlice(int.MaxValue))
        {
        }
        Debug.Assert(_regionTakenBytes == 0, "a region or a string made from one was never released");
        _reserve.Trim(_pages);
        _arena.Dispose();
        NativePages.Unmap(_zeroes, BlockTree.LeafSize);
    }

    internal BlockNode* NewNode(int height, int capacity)
    {
        nuint size = BlockNode.SizeFor(capacity);
        var node = (BlockNode*)Allocate(size);
        new Span<byte>(node, (int)size).Clear();
        node->References = 1;
        node->Height = height;
        node->Capacity = capacity;
        node->Bytes = BytesOfNode(capacity);
        node->Zeroes = _zeroes;
        return node;
    }

    // A leaf with room for at least this many bytes, at most LeafSize; its bytes are undefined.
    internal BlockLeaf* NewLeaf(int capacity)
    {
        capacity = Math.Min((int)Arena.BlockSize((nuint)capacity), BlockTree.LeafSize);
        lock (_lock)
        {
            var leaf = (BlockLeaf*)_arena.Allocate((nuint)sizeof(BlockLeaf));
            leaf->References = 1;
            leaf->Capacity = capacity;
            leaf->Data = _arena.Allocate((nuint)capacity);
            leaf->Region = null;
            return leaf;
        }
    }

    internal static long BytesOf(BlockLeaf* leaf) => leaf->Capacity + sizeof(BlockLeaf);

    internal static long BytesOfNode(int capacity) => (long)Arena.BlockSize(BlockNode.SizeFor(capacity));

    internal BlockRegionHeader* MapRegion(nuint length)
    {
        int leafCount = BlockTree.LeafCount((long)length);
        bool isSmall = leafCount <= RegionReserve.LeafCountMax;
        nuint unit = isSmall ? BlockTree.LeafSize : NativePages.PageSize;
        nuint size = (length + unit - 1) & ~(unit - 1);
        byte* data = null;
        if (isSmall)
        {
            lock (_lock) data = _reserve.TryTake(leafCount);
        }
        if (data == null) data = _pages.TakePages(size);
        BlockRegionHeader* region = NewHeader(leafCount, data, size);
        BlockLeaf* leaves = BlockRegionHeader.Leaves(region);
        for (int index = 0; index < leafCount; index++)
        {
            long offset = (long)index * BlockTree.LeafSize;
            leaves[index].References = 1;
            leaves[index].Capacity = (int)Math.Min((long)size - offset, BlockTree.LeafSize);
            leaves[index].Data = region->Data + offset;
            leaves[index].Region = region;
        }
        lock (_lock)
        {
            _regionTakenBytes += (long)size;
            _regionUsedBytes += (long)size;
        }
        return region;
    }

    private BlockRegionHeader* NewHeader(int leafCount, byte* data, nuint size)
    {
        BlockRegionHeader* region;
        try
        {
            region = (BlockRegionHeader*)Allocate(BlockRegionHeader.SizeFor(leafCount));
        }
        catch (OutOfMemoryException)
        {
            _pages.GivePagesBack(data, size);
            throw;
        }

        // SAFETY: the block is new, and no other code has its address.
        region->LeavesInUse = leafCount;
        region->LeafCount = leafCount;
        region->Size = size;
        region->Data = data;
        return region;
    }

    internal void ReleaseLeaf(BlockLeaf* leaf)
    {
        Debug.Assert(leaf->References > 0, "a leaf is released more often than retained");
        // ORDER: the full fence makes our reads of the leaf happen before a thread that sees the lower count
        // writes to it.
        if (Interlocked.Decrement(ref leaf->References) != 0) return;
        if (leaf->Region != null)
        {
            FreeSlice(leaf);
            return;
        }
        lock (_lock)
        {
            _arena.Free(leaf->Data, (nuint)leaf->Capacity);
            _arena.Free((byte*)leaf, (nuint)sizeof(BlockLeaf));
        }
    }

    // Drops a reference to a node; with the last one the node dies, and all below it that has no other
    // reference.
    internal void ReleaseNode(BlockNode* node)
    {
        Debug.Assert(node->References > 0, "a node is released more often than retained");
        // ORDER: as in ReleaseLeaf.
        if (Interlocked.Decrement(ref node->References) != 0) return;
        if (node->Bytes > FreedAtOnceBytesMax)
        {
            AddDead(node);
            return;
        }
        FreeChildren(node, int.MaxValue);
        FreeNode(node);
    }

    // Frees the node alone: its children have moved elsewhere.
    internal void FreeNode(BlockNode* node)
    {
        lock (_lock) _arena.Free((byte*)node, BlockNode.SizeFor(node->Capacity));
    }

    private byte* Allocate(nuint size)
    {
        lock (_lock) return _arena.Allocate(size);
    }

    // Drops a dead node's references to its next children; returns how many it dropped.
    private int FreeChildren(BlockNode* node, int countMax)
    {
        int count = 0;
        void** children = BlockNode.Children(node);
        while (node->ReclaimedCount < node->Capacity && count < countMax)
        {
            void* child = children[node->ReclaimedCount++];
            if (child == null) continue;
            count++;
            if (node->Height == 1)
            {
                ReleaseLeaf((BlockLeaf*)child);
            }
            else
            {
                ReleaseNode((BlockNode*)child);
            }
        }
        return count;
    }

    // Gives a slice's pages back, and the header with the last slice. Small regions keep their pages until
    // then, so that they can be used again without a page fault.
    private void FreeSlice(BlockLeaf* leaf)
    {
        BlockRegionHeader* region = leaf->Region;
        bool isSmall = region->LeafCount <= RegionReserve.LeafCountMax;
        int size = leaf->Capacity;
        // SAFETY: this slice still counts as in use, so the header and the pages are there.
        if (!isSmall) _pages.GivePagesBack(leaf->Data, (nuint)size);
        Debug.Assert(region->LeavesInUse > 0, "a slice of a region is freed twice");
        lock (_lock)
        {
            _regionUsedBytes -= size;
            if (!isSmall) _regionTakenBytes -= size;
        }
        // ORDER: the full fence puts all our accesses before the count that lets another thread free the
        // header.
        if (Interlocked.Decrement(ref region->LeavesInUse) != 0) return;
        byte* data = region->Data;
        nuint regionSize = region->Size;
        bool isGivenBack;
        lock (_lock)
        {
            isGivenBack = isSmall && !_reserve.TryKeep(data, region->LeafCount);
            if (isSmall) _regionTakenBytes -= (long)regionSize;
            _arena.Free((byte*)region, BlockRegionHeader.SizeFor(region->LeafCount));
        }
        if (isGivenBack) _pages.GivePagesBack(data, regionSize);
    }

    private void AddDead(BlockNode* node)
    {
        lock (_lock)
        {
            node->NextDead = _dead;
            _dead = node;
        }
    }

    private BlockNode* TakeDead()
    {
        lock (_lock)
        {
            BlockNode* node = _dead;
            if (node != null) _dead = node->NextDead;
            return node;
        }
    }
}
