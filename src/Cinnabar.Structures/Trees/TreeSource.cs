// Where the nodes and pages of a server's PageTrees come from, and where they go. Thread-safe, since
// references are dropped by loops, savers and background threads alike. A tree takes its memory from one of
// several arenas, chosen when it is made, each with a lock of its own: a busy tree takes a block once in ten
// insertions or so, and loops that write to different trees rarely compete.
//
// Freeing a set of ten million members means some 150,000 blocks. So only small subtrees are freed when the
// last reference is dropped. A bigger one is put into the queue of the dead, which ReclaimSlice frees in
// bounded portions: a dead node remembers which of its children are done, and a child that dies joins the
// queue; a subtree with other references only loses one. A page that is one huge element gives its memory
// back in portions too, before its block is freed.
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Structures.Trees;

// SAFETY: a node or page whose count has come to 0 belongs to the thread that dropped the last reference; no
// other thread can reach it.
/// <summary>Memory for big collections. Any thread may use it.</summary>
public sealed unsafe class TreeSource : IDisposable
{
    /// <summary>Subtrees and pages up to this size are freed at once with their last reference.</summary>
    public const long FreedAtOnceBytesMax = 64 << 10;

    private const int DiscardUnitBytes = 64 << 10;
    private const int PageRoomMin = 64;

    // Dead pages are in no cache: each is prefetched while this many before it are freed.
    private const int PrefetchCount = 8;
    private const int HomeCountMax = 255;
    private const int HomeBits = 8;

    // Counters of one cache line each.
    private const int VersionStride = CacheLine.Size / sizeof(long);

    private readonly Lock[] _locks;
    private readonly Arena[] _arenas;
    private readonly long[] _versions;
    private readonly Lock _deadLock = new();
    private readonly HashSeed _seed;
    private TreeNode* _deadNodes;
    private TreePage* _deadPages;
    private long _deadCount;
    private long _idempotentRootCount;
    private int _nextHome;
    private bool _isDisposed;

    /// <param name="pages">The server's pages; must outlive this.</param>
    /// <param name="seed">The server's secret, by which sets and hashes order their members.</param>
    /// <param name="arenaCount">1 to 255: about as many as there are threads that write.</param>
    public TreeSource(PageSource pages, in HashSeed seed, int arenaCount)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(arenaCount);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(arenaCount, HomeCountMax);
        _seed = seed;
        _locks = new Lock[arenaCount];
        _arenas = new Arena[arenaCount];
        _versions = new long[arenaCount * VersionStride];
        for (int home = 0; home < arenaCount; home++)
        {
            _locks[home] = new Lock();
            _arenas[home] = new Arena(pages, "trees");
        }
    }

    /// <summary>The server's secret.</summary>
    public ref readonly HashSeed Seed => ref _seed;

    /// <summary>Bytes in nodes and pages.</summary>
    public long UsedBytes => Sum(static arena => arena.UsedBytes);

    /// <summary>Bytes mapped, whether in use or not.</summary>
    public long MappedBytes => Sum(static arena => arena.MappedBytes);

    /// <summary>Nodes and pages; 0 when every tree was released and reclaimed.</summary>
    public long BlockCount => Sum(static arena => arena.BlockCount);

    /// <summary>Streams that use idempotent producers, those included that only a snapshot or a reply still
    /// holds.</summary>
    // ORDER: a caller that holds all stripes sees what was counted under one of them.
    public long IdempotentRootCount => Interlocked.Read(ref _idempotentRootCount);

    /// <summary>Counts such a stream, or one that is gone (-1).</summary>
    internal void CountIdempotentRoot(int change)
    {
        long count = Interlocked.Add(ref _idempotentRootCount, change);
        Debug.Assert(count >= 0, "more streams are gone than there were");
    }

    /// <summary>Whether <see cref="ReclaimSlice"/> has something to do.</summary>
    // ORDER: a hint that needs no lock: a thread sees its own addition at once, other threads soon.
    public bool HasGarbage => Volatile.Read(ref _deadCount) != 0;

    /// <summary>Frees up to about a number of pages of dead trees. On several threads at once.</summary>
    /// <returns>Whether there is more to do.</returns>
    public bool ReclaimSlice(int pageCountMax)
    {
        while (pageCountMax > 0)
        {
            TreeNode* node = TakeDeadNode();
            if (node == null)
            {
                TreePage* page = TakeDeadPage();
                if (page == null) return false;
                pageCountMax -= DiscardSome(page, pageCountMax);
                continue;
            }
            pageCountMax -= 1 + FreeChildren(node, pageCountMax);
            if (node->ReclaimedCount < node->Count)
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
        for (int home = 0; home < _arenas.Length; home++)
        {
            lock (_locks[home]) _arenas[home].Trim();
        }
    }

    /// <summary>Returns to the system what was kept and not needed since the last call.</summary>
    public void GiveBackIdle()
    {
        for (int home = 0; home < _arenas.Length; home++)
        {
            lock (_locks[home]) _arenas[home].GiveBackIdle();
        }
    }

    /// <summary>
    /// Frees what is dead and gives the memory back. All trees must have been released before.
    /// </summary>
    public void Dispose()
    {
        if (_isDisposed) return;
        _isDisposed = true;
        while (ReclaimSlice(int.MaxValue))
        {
        }
        foreach (Arena arena in _arenas) arena.Dispose();
    }

    /// <summary>The arena for a new tree.</summary>
    internal int NextHome() => (int)((uint)Interlocked.Increment(ref _nextHome) % (uint)_arenas.Length);

    /// <summary>An empty node with at least this many places, and as many more as its block has room
    /// for.</summary>
    internal TreeNode* NewNode(int home, int height, int capacity, int keySize)
    {
        Debug.Assert(height is > 0 and <= TreePath.HeightMax && capacity > 0, "no such node");
        nuint size = Arena.BlockSize(TreeNode.SizeFor(capacity, keySize));
        var node = (TreeNode*)Allocate(home, size);
        *node = default;
        node->References = 1;
        node->Height = (byte)height;
        node->KeySize = (byte)keySize;
        node->Home = (byte)home;
        node->Capacity = ((int)size - sizeof(TreeNode)) / (sizeof(void*) + sizeof(long) + keySize);
        node->Bytes = (long)size;
        Renew(node);
        return node;
    }

    /// <summary>Gives a node a version that none has ever had: notes of paths through it become
    /// invalid.</summary>
    // ORDER: several threads may have trees of one arena. A number counts for nothing but being new.
    internal void Renew(TreeNode* node)
    {
        int home = node->Home;
        long count = Interlocked.Increment(ref _versions[home * VersionStride]);
        node->Version = (ulong)count << HomeBits | (uint)home;
    }

    /// <summary>An empty page with room for at least this many bytes; its contents are undefined.</summary>
    internal TreePage* NewPage(int home, int room)
    {
        nuint size = Arena.BlockSize((nuint)Math.Max(room, PageRoomMin) + (nuint)sizeof(TreePage));
        var page = (TreePage*)Allocate(home, size);
        page->References = 1;
        page->Capacity = (int)size - sizeof(TreePage);
        page->Used = 0;
        page->Count = 0;
        page->Home = home;
        page->Kind = 0;
        return page;
    }

    /// <summary>A page with another's contents, in a block of the same size.</summary>
    internal TreePage* CopyPage(TreePage* page)
    {
        TreePage* copy = NewPage(page->Home, page->Capacity);
        copy->Used = page->Used;
        copy->Count = page->Count;
        copy->Kind = page->Kind;
        // SAFETY: a page made for another's capacity has just that.
        Buffer.MemoryCopy(TreePage.Data(page), TreePage.Data(copy), copy->Capacity, page->Capacity);
        return copy;
    }

    /// <summary>Chooses memory that is to be emptied, by <see cref="TreeMoves"/>.</summary>
    /// <returns>How many slabs were chosen.</returns>
    public int BeginMoving()
    {
        int count = 0;
        for (int home = 0; home < _arenas.Length; home++)
        {
            lock (_locks[home]) count += _arenas[home].BeginMoving();
        }
        return count;
    }

    /// <summary>Lets what was chosen serve again.</summary>
    public void EndMoving()
    {
        for (int home = 0; home < _arenas.Length; home++)
        {
            lock (_locks[home]) _arenas[home].EndMoving();
        }
    }

    /// <summary>Whether a node or page lies in memory that is to be emptied. On the thread that has chosen
    /// it.</summary>
    internal bool IsLeaving(int home, void* block, long size) =>
        _arenas[home].IsLeaving((byte*)block, (nuint)size);

    /// <summary>The capacity that a page made for a number of bytes would have.</summary>
    internal static int CapacityFor(int room) =>
        (int)Arena.BlockSize((nuint)Math.Max(room, PageRoomMin) + (nuint)sizeof(TreePage)) - sizeof(TreePage);

    /// <summary>Drops a reference to a page.</summary>
    internal void ReleasePage(TreePage* page)
    {
        Debug.Assert(Volatile.Read(ref page->References) > 0, "a page is released once too often");
        // ORDER: the full fence makes our reads of the page happen before a thread that sees the lower count
        // writes to it.
        if (Interlocked.Decrement(ref page->References) != 0) return;
        if (page->Capacity > FreedAtOnceBytesMax)
        {
            page->Used = page->Capacity;
            AddDead(page);
            return;
        }
        FreePage(page);
    }

    /// <summary>
    /// Drops a reference to a node; with the last one the node dies, and all below it that has no other
    /// reference.
    /// </summary>
    /// <returns>How many references were dropped.</returns>
    internal int ReleaseNode(TreeNode* node, long freedAtOnceBytesMax = FreedAtOnceBytesMax)
    {
        Debug.Assert(Volatile.Read(ref node->References) > 0, "a node is released once too often");
        // ORDER: as in ReleasePage.
        if (Interlocked.Decrement(ref node->References) != 0) return 1;
        if (node->Bytes > freedAtOnceBytesMax)
        {
            AddDead(node);
            return 1;
        }
        int count = FreeChildren(node, int.MaxValue);
        FreeNode(node);
        return count + 1;
    }

    /// <summary>Frees a node alone: its children have moved elsewhere.</summary>
    internal void FreeNode(TreeNode* node)
    {
        nuint size = TreeNode.SizeFor(node->Capacity, node->KeySize);
        int home = node->Home;
        lock (_locks[home]) _arenas[home].Free((byte*)node, size);
    }

    private void FreePage(TreePage* page)
    {
        nuint size = (nuint)TreePage.BytesOf(page);
        int home = page->Home;
        lock (_locks[home]) _arenas[home].Free((byte*)page, size);
    }

    private byte* Allocate(int home, nuint size)
    {
        lock (_locks[home]) return _arenas[home].Allocate(size);
    }

    // Drops a dead node's references to its next children until a number of references were dropped, or a
    // small subtree more; returns how many.
    private int FreeChildren(TreeNode* node, int countMax)
    {
        int count = 0;
        void** children = TreeNode.Children(node);
        while (node->ReclaimedCount < node->Count && count < countMax)
        {
            if (node->ReclaimedCount + PrefetchCount < node->Count)
                CacheLine.Prefetch((byte*)children[node->ReclaimedCount + PrefetchCount]);
            void* child = children[node->ReclaimedCount++];
            if (node->Height == 1)
            {
                ReleasePage((TreePage*)child);
                count++;
            }
            else
            {
                count += ReleaseNode((TreeNode*)child);
            }
        }
        return count;
    }

    // Gives back some of a huge dead page, from its end; Used says how much is left. The pages at both ends
    // of the block stay: the link of the queue and an allocator's marks may lie there.
    private int DiscardSome(TreePage* page, int unitCountMax)
    {
        long wanted = Math.Min((long)unitCountMax * DiscardUnitBytes, page->Used);
        byte* end = TreePage.Data(page) + page->Used;
        page->Used -= (int)wanted;
        byte* begin = TreePage.Data(page) + page->Used + sizeof(void*);
        nuint unit = NativePages.PageSize;
        nuint first = ((nuint)begin + unit - 1) & ~(unit - 1);
        nuint last = (nuint)end & ~(unit - 1);
        // SAFETY: [first, last) lies within the contents of a page without references.
        if (first < last) NativePages.Discard((byte*)first, last - first);
        if (page->Used > 0)
        {
            AddDead(page);
        }
        else
        {
            FreePage(page);
        }
        return 1 + (int)(wanted / DiscardUnitBytes);
    }

    private void AddDead(TreeNode* node)
    {
        lock (_deadLock)
        {
            node->Version = (ulong)_deadNodes;
            _deadNodes = node;
            _deadCount++;
        }
    }

    private void AddDead(TreePage* page)
    {
        lock (_deadLock)
        {
            *(TreePage**)TreePage.Data(page) = _deadPages;
            _deadPages = page;
            _deadCount++;
        }
    }

    private TreeNode* TakeDeadNode()
    {
        lock (_deadLock)
        {
            TreeNode* node = _deadNodes;
            if (node == null) return null;
            _deadNodes = (TreeNode*)node->Version;
            _deadCount--;
            return node;
        }
    }

    private TreePage* TakeDeadPage()
    {
        lock (_deadLock)
        {
            TreePage* page = _deadPages;
            if (page == null) return null;
            _deadPages = *(TreePage**)TreePage.Data(page);
            _deadCount--;
            return page;
        }
    }

    private long Sum(Func<Arena, long> figure)
    {
        long sum = 0;
        foreach (Arena arena in _arenas) sum += figure(arena);
        return sum;
    }
}
