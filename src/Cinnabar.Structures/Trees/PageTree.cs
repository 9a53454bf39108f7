// The structure under all big collections: a counted B+ tree whose leaves are pages of packed elements, and
// whose nodes and pages are reference-counted and copied on the path of a writer while they have other
// references. Small collections are one block in their entry; past their thresholds they become one of these.
//
//                       root (TreeNode)      children, their element counts, separators
//                      /      |       \
//                  node     node      node          all pages at the same depth
//                 / | \     / | \     / | \
//              page page  page ...                  packed elements, one block each (TreePage)
//
// The tree knows only the number of elements in a page. Why: there are five formats, two of them Redis's own
// byte for byte (listpacks), one page may be half a gigabyte, and what they have in common is the tree. So a
// format edits the page that it found and owns, tells the tree how many elements were added or removed
// (Counted), and hands it pages that take another's place: one (Replace) or two (ReplaceByTwo: every split,
// every page put before or behind another). What it must keep: no page in a tree is empty, and every
// separator lies above all keys on its left and not above any on its right.
//
// Separators have a size chosen by the tree's maker: none (a list, by position only), 8 bytes (sets and
// hashes, by a hash of the member), 16 (streams), 32 (sorted sets: score and the beginning of the member).
// A seeker compares with them; where equal separators do not decide, it looks at the child's first page.
//
// Snapshots: Retain is one increment of the root's count and freezes everything below. A writer walks its
// path from the root (Own): what has a count of 1, under owned nodes only, is its own and edited in place;
// anything else is copied first, and the copy shares the children. So a node's count is the number of nodes
// and handles that lead to it, and the thread that drops the last one frees it (TreeSource). There is nothing
// else to synchronise: only a holder of a reference takes new ones.
//
// Memory: pages are blocks just as large as their contents (TreeSource.NewPage rounds to a size class, a
// tenth on average), so half-full pages cost nothing but their share of a node: the usual remedies, giving
// elements to a neighbour before splitting and guaranteed fill, would save the third part of two percent.
// Only at the tree's two edges nodes split unevenly, and formats likewise: loads in order leave full nodes.
// Nodes and pages that became small are joined with a neighbour.
//
// Why not a skip list: a pointer chase and 20 to 50 bytes an element, and no sharing between versions. Why
// not a directory of hash buckets for sets: it finds a member one step sooner, but a snapshot of it is not
// one increment. Why not links between pages: a copied page could not be linked from its old neighbours.
//
// Limits: 2^63 elements; one writer at a time (the key's lock); readers need the lock or a reference to the
// root. If memory ends in the middle of a change, the tree is as it was.
// Source: Bayer and Unterauer's B+ tree; counted trees as in Knuth 6.2.3; path copying after Driscoll et al.

namespace Cinnabar.Structures.Trees;

// SAFETY: nodes and pages are reached from a root that the caller's lock or reference keeps alive.
/// <summary>A tree of pages; a handle as large as a pointer.</summary>
internal unsafe struct PageTree
{
    /// <summary>The root, or null: no tree. A tree of a height of 1 may be empty.</summary>
    internal TreeNode* Root;

    private PageTree(TreeNode* root) => Root = root;

    /// <summary>An empty tree with separators of the given size (up to 64 bytes, a multiple of 8).</summary>
    internal static PageTree Create(TreeSource source, int keySize)
    {
        Debug.Assert(keySize is >= 0 and <= 64 && keySize % sizeof(ulong) == 0, "no size of a separator");
        return new PageTree(source.NewNode(source.NextHome(), 1, TreeNode.CapacityMin, keySize));
    }

    /// <summary>A tree from what <see cref="Address"/> gave.</summary>
    internal static PageTree FromAddress(nint address) => new((TreeNode*)address);

    /// <summary>To be stored where a tree is only a word.</summary>
    internal readonly nint Address => (nint)Root;

    /// <summary>Elements.</summary>
    internal readonly long Count => Root->ElementCount;

    /// <summary>Bytes of all nodes and pages, shared ones included.</summary>
    internal readonly long MemoryBytes => Root->Bytes;

    /// <summary>The arena that this tree's blocks come from.</summary>
    internal readonly int Home => Root->Home;

    /// <summary>Another reference to the tree as it is now: a snapshot.</summary>
    internal readonly PageTree Retain()
    {
        Interlocked.Increment(ref Root->References);
        return this;
    }

    /// <summary>Gives this reference up.</summary>
    internal void Release(TreeSource source)
    {
        Debug.Assert(Root != null, "a tree is released twice");
        source.ReleaseNode(Root);
        Root = null;
    }

    /// <summary>Goes to the page where what is sought is or would be. The tree is not empty.</summary>
    internal readonly void Seek<TSeeker>(scoped TSeeker seeker, out TreePath path)
        where TSeeker : struct, ITreeSeeker, allows ref struct
    {
        Debug.Assert(Count > 0, "a place is sought in an empty tree");
        Unsafe.SkipInit(out path);
        TreeNode* node = Root;
        int height = node->Height;
        path.Height = height;
        while (true)
        {
            int place = seeker.PlaceIn(node);
            path.Set(height, node, place);
            void* child = TreeNode.Children(node)[place];
            if (--height == 0)
            {
                path.Page = (TreePage*)child;
                return;
            }
            node = (TreeNode*)child;
        }
    }

    /// <summary>The same page, to be read only. Null in an empty tree.</summary>
    internal readonly TreePage* FindPage<TSeeker>(scoped TSeeker seeker)
        where TSeeker : struct, ITreeSeeker, allows ref struct
    {
        TreeNode* node = Root;
        if (node->Count == 0) return null;
        int height = node->Height;
        while (true)
        {
            void* child = TreeNode.Children(node)[seeker.PlaceIn(node)];
            if (--height == 0) return (TreePage*)child;
            node = (TreeNode*)child;
        }
    }

    /// <summary>Goes to the page with the element of a rank (0 to Count - 1); returns its index
    /// there.</summary>
    internal readonly int SeekRank(long rank, out TreePath path)
    {
        Debug.Assert(rank >= 0 && rank < Count);
        Unsafe.SkipInit(out path);
        TreeNode* node = Root;
        int height = node->Height;
        path.Height = height;
        while (true)
        {
            int place = TreeNode.PlaceOfRank(node, ref rank);
            path.Set(height, node, place);
            void* child = TreeNode.Children(node)[place];
            if (--height == 0)
            {
                path.Page = (TreePage*)child;
                return (int)rank;
            }
            node = (TreeNode*)child;
        }
    }

    /// <summary>Goes to the first (or last) page of a tree that is not empty.</summary>
    internal readonly void SeekEdge(bool isLast, out TreePath path)
    {
        Debug.Assert(Count > 0, "an empty tree has no first page");
        Unsafe.SkipInit(out path);
        path.Height = Root->Height;
        path.Set(path.Height, Root, isLast ? Root->Count - 1 : 0);
        path.Descend(path.Height, isToFirst: !isLast);
    }

    /// <summary>The first (or last) page of a tree that is not empty.</summary>
    internal readonly TreePage* EdgePage(bool isLast)
    {
        Debug.Assert(Count > 0, "an empty tree has no first page");
        TreeNode* node = Root;
        while (true)
        {
            void* child = TreeNode.Children(node)[isLast ? node->Count - 1 : 0];
            if (node->Height == 1) return (TreePage*)child;
            node = (TreeNode*)child;
        }
    }

    /// <summary>The same page, if it may be edited in place, else null. Counts the elements already that will
    /// be added to it or removed: one descent for both. If they are not, <see cref="CountedAtEdge"/> takes
    /// that back.</summary>
    internal readonly TreePage* CountAtOwnEdge(bool isLast, int change)
    {
        TreeNode* node = Root;
        while (TreeEdit.IsOwn(ref node->References))
        {
            int place = isLast ? node->Count - 1 : 0;
            void* child = TreeNode.Children(node)[place];
            bool isLowest = node->Height == 1;
            if (isLowest && !TreeEdit.IsOwn(ref ((TreePage*)child)->References)) break;
            node->ElementCount += change;
            TreeNode.Counts(node)[place] += change;
            if (isLowest) return (TreePage*)child;
            node = (TreeNode*)child;
        }
        Uncount(node, isLast, change);
        return null;
    }

    // Takes back what was counted above a node.
    private readonly void Uncount(TreeNode* end, bool isLast, int change)
    {
        for (TreeNode* node = Root; node != end;)
        {
            int place = isLast ? node->Count - 1 : 0;
            node->ElementCount -= change;
            TreeNode.Counts(node)[place] -= change;
            node = (TreeNode*)TreeNode.Children(node)[place];
        }
    }

    /// <summary>As <see cref="Counted"/>, of what <see cref="CountAtOwnEdge"/> gave.</summary>
    internal readonly void CountedAtEdge(bool isLast, int change)
    {
        TreeNode* node = Root;
        while (true)
        {
            int place = isLast ? node->Count - 1 : 0;
            node->ElementCount += change;
            TreeNode.Counts(node)[place] += change;
            if (node->Height == 1) return;
            node = (TreeNode*)TreeNode.Children(node)[place];
        }
    }

    /// <summary>How many elements lie before a path's page.</summary>
    internal static long RankOf(in TreePath path)
    {
        long rank = 0;
        for (int height = path.Height; height > 0; height--)
        {
            rank += TreeNode.CountBefore(path.Node(height), path.Place(height));
        }
        return rank;
    }

    /// <summary>Makes the nodes of a path the caller's own, copying those that are shared.</summary>
    internal void OwnNodes(TreeSource source, ref TreePath path)
    {
        Debug.Assert(path.Node(path.Height) == Root, "a path that is not valid any more");
        TreeNode* node = TreeEdit.OwnRoot(source, ref this);
        path.Set(path.Height, node, path.Place(path.Height));
        for (int height = path.Height; height > 1; height--)
        {
            node = TreeEdit.OwnChild(source, node, path.Place(height));
            path.Set(height - 1, node, path.Place(height - 1));
        }
    }

    /// <summary>Makes the page of a path the caller's own as well, to be edited in place.</summary>
    internal TreePage* Own(TreeSource source, ref TreePath path)
    {
        OwnNodes(source, ref path);
        ref void* child = ref TreeNode.Children(path.Node(1))[path.Place(1)];
        var page = (TreePage*)child;
        if (TreeEdit.IsOwn(ref page->References)) return page;
        TreePage* copy = source.CopyPage(page);
        child = copy;
        path.Page = copy;
        source.ReleasePage(page);
        return copy;
    }

    /// <summary>Whether the path's page may be edited in place: then <see cref="Own"/> copies
    /// nothing.</summary>
    internal readonly bool IsOwn(in TreePath path)
    {
        for (int height = path.Height; height > 0; height--)
        {
            if (!TreeEdit.IsOwn(ref path.Node(height)->References)) return false;
        }
        return TreeEdit.IsOwn(ref path.Page->References);
    }

    /// <summary>Counts the elements that were added to an owned page (or removed); its header has the new
    /// count already.</summary>
    internal static void Counted(in TreePath path, int change)
    {
        Debug.Assert(TreeNode.Counts(path.Node(1))[path.Place(1)] + change == path.Page->Count,
            "the page has another number of elements");
        for (int height = path.Height; height > 0; height--)
        {
            TreeNode* node = path.Node(height);
            node->ElementCount += change;
            TreeNode.Counts(node)[path.Place(height)] += change;
        }
    }

    /// <summary>Puts a page, whose reference this uses up, in the place of a path's page.</summary>
    internal void Replace(TreeSource source, ref TreePath path, TreePage* page)
    {
        Debug.Assert(page->Count > 0, "an empty page comes into a tree");
        TreePage* old = path.Page;
        try
        {
            OwnNodes(source, ref path);
        }
        catch (OutOfMemoryException)
        {
            source.ReleasePage(page);
            throw;
        }
        TreeNode* node = path.Node(1);
        ref long count = ref TreeNode.Counts(node)[path.Place(1)];
        long change = page->Count - count;
        count = page->Count;
        TreeNode.Children(node)[path.Place(1)] = page;
        TreeEdit.AddTotals(in path, change, TreePage.BytesOf(page) - TreePage.BytesOf(old));
        path.Page = page;
        source.ReleasePage(old);
    }

    /// <summary>
    /// Puts two pages in the place of a path's page, which may be one of them; the others' references are
    /// used up. The path then leads to the left one.
    /// </summary>
    /// <param name="source">Where this tree's memory comes from.</param>
    /// <param name="path">To the page; of this tree, as it is.</param>
    /// <param name="left">Takes the page's separator.</param>
    /// <param name="right">Comes behind it.</param>
    /// <param name="separator">For <paramref name="right"/>.</param>
    internal void ReplaceByTwo(
        TreeSource source, ref TreePath path, TreePage* left, TreePage* right, byte* separator)
    {
        Debug.Assert(left->Count > 0 && right->Count > 0, "an empty page comes into a tree");
        Debug.Assert(left != right, "one page in two places");
        TreePage* old = path.Page;
        try
        {
            OwnNodes(source, ref path);
            TreeEdit.MakeRoom(source, ref this, ref path, height: 1);
            source.Renew(path.Node(1));
        }
        catch (OutOfMemoryException)
        {
            if (left != old) source.ReleasePage(left);
            if (right != old) source.ReleasePage(right);
            throw;
        }
        TreeNode* node = path.Node(1);
        int place = path.Place(1);
        ref long count = ref TreeNode.Counts(node)[place];
        long change = left->Count + (long)right->Count - count;
        long bytes = TreePage.BytesOf(left) + TreePage.BytesOf(right) - TreePage.BytesOf(old);
        count = left->Count;
        TreeNode.Children(node)[place] = left;
        TreeNode.Put(node, place + 1, right, right->Count, separator);
        TreeEdit.AddTotals(in path, change, bytes);
        path.Page = left;
        if (old != left && old != right) source.ReleasePage(old);
    }

    /// <summary>Puts a page, whose reference this uses up, at the end.</summary>
    internal void Append(TreeSource source, TreePage* page, byte* separator)
    {
        Debug.Assert(page->Count > 0, "an empty page comes into a tree");
        if (Root->Count != 0)
        {
            SeekEdge(isLast: true, out TreePath last);
            ReplaceByTwo(source, ref last, last.Page, page, separator);
            return;
        }
        try
        {
            TreeEdit.OwnRoot(source, ref this);
        }
        catch (OutOfMemoryException)
        {
            source.ReleasePage(page);
            throw;
        }
        source.Renew(Root);
        TreeNode.Put(Root, 0, page, page->Count, separator);
        Root->ElementCount += page->Count;
        Root->Bytes += TreePage.BytesOf(page);
    }

    /// <summary>
    /// Removes the pages with the ranks from <paramref name="from"/> on and before <paramref name="to"/>;
    /// both are first ranks of pages, or the tree's count. Whole subtrees are removed at once.
    /// </summary>
    internal void RemovePages(TreeSource source, long from, long to)
    {
        Debug.Assert(from >= 0 && to <= Count, "pages beside the tree are removed");
        if (from < to) TreeCut.Remove(source, ref this, from, to);
    }

    /// <summary>Removes a path's page; the path is no longer valid.</summary>
    internal void RemovePage(TreeSource source, in TreePath path)
    {
        long rank = RankOf(in path);
        RemovePages(source, rank, rank + TreeNode.Counts(path.Node(1))[path.Place(1)]);
    }
}
