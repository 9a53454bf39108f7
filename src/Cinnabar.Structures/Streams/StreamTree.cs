// A stream: a root block with its figures, and six trees.
//
//                     +-- entries      pages of entries by ID (StreamPage)
//                     +-- names        groups, their consumers, and consumers by number (NameTree)
//   root (figures) ---+-- pending      group, ID -> consumer, delivery time, deliveries (WordTree)
//                     +-- owned        consumer, ID
//                     +-- deliveries   group, delivery time, ID
//                     +-- producers    idempotent IDs of producers (NameTree)
//
// There is no object per group or consumer. They have numbers, never used twice in a stream, which are the
// beginning of the keys of what is theirs: a group's pending entries are a range of one tree, by ID; a
// consumer's history is a range of another, in the order in which it is read; the entries idle for longest
// are the beginning of a range of the third. How many there are in a range is two descents in a counted tree,
// so no figure is kept twice. Destroying a group is a cut; a huge one is freed in slices, like everything in
// trees.
//
// Snapshots: the root is reference-counted like a node. Retain is one increment; a writer that finds the root
// shared takes a copy of it and a reference to each of the trees, which then copy on their paths.
//
// Why not a tree of groups with trees of their own in it: pages are copied byte by byte, and would have to
// count what they lead to. Why three trees for pending entries: an acknowledgement knows the ID, a consumer's
// history its consumer, CLAIM the time; 120 bytes an entry in all is about what Redis needs for two.
//
// Limits: as PageTree's; one writer at a time. If memory ends, an operation is undone.
// Source: Redis's streams as documented (data types, consumer groups), and its dumps.
using Cinnabar.Resp;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: the root and what it leads to are kept alive by the reference that this handle is.
/// <summary>A stream; a handle as large as a pointer.</summary>
public unsafe struct StreamTree
{
    private TreePage* _page;

    private StreamTree(TreePage* page) => _page = page;

    /// <summary>An empty stream.</summary>
    public static StreamTree Create(TreeSource source)
    {
        PageTree entries = PageTree.Create(source, StreamKey.Size);
        TreePage* page;
        try
        {
            page = source.NewPage(entries.Home, sizeof(StreamRoot));
        }
        catch (OutOfMemoryException)
        {
            entries.Release(source);
            throw;
        }
        *(StreamRoot*)TreePage.Data(page) = new StreamRoot { Entries = entries };
        return new StreamTree(page);
    }

    /// <summary>The stream with this <see cref="Address"/>.</summary>
    public static StreamTree FromAddress(nint address) => new((TreePage*)address);

    /// <summary>The handle as a word, to be stored. Changes where a shared stream is modified.</summary>
    public readonly nint Address => (nint)_page;

    /// <summary>Whether this is no stream at all.</summary>
    public readonly bool IsNull => _page == null;

    /// <summary>Entries.</summary>
    public readonly long Length => Root->Entries.Count;

    /// <summary>The lowest ID; 0-0 in an empty stream.</summary>
    public readonly StreamId FirstId => Root->First;

    /// <summary>The highest ID that an entry ever had.</summary>
    public readonly StreamId LastId => Root->Last;

    /// <summary>The highest ID among deleted entries.</summary>
    public readonly StreamId MaxDeletedId => Root->MaxDeleted;

    /// <summary>Entries added since the stream was made.</summary>
    public readonly long EntriesAdded => Root->EntriesAdded;

    /// <summary>How many consumer groups there are.</summary>
    public readonly long GroupCount => Root->GroupCount;

    /// <summary>How many pages the entries lie in. Visits the nodes above them.</summary>
    public readonly long PageCount => Length == 0 ? 0 : TreeShape.Of(in Root->Entries).PageCount;

    /// <summary>A walk through the pages.</summary>
    public readonly StreamPageCursor Pages() => new(in Root->Entries);

    /// <summary>Bytes of all blocks, shared ones included.</summary>
    public readonly long MemoryBytes =>
        TreePage.BytesOf(_page) + Root->Entries.MemoryBytes + Root->Names.MemoryBytes
        + Root->Pending.MemoryBytes + Root->Owned.MemoryBytes + Root->Deliveries.MemoryBytes
        + Root->Producers.MemoryBytes;

    /// <summary>Moves some of its entries out of memory that is to be emptied.</summary>
    /// <returns>Whether all of them were looked at.</returns>
    public readonly bool Move(TreeSource source, ref TreeMoves moves) =>
        !TreeEdit.IsOwn(ref _page->References) || moves.Run(source, 0, ref Root->Entries);

    internal readonly StreamRoot* Root => (StreamRoot*)TreePage.Data(_page);

    /// <summary>A snapshot: another reference to the stream as it is now. Constant time.</summary>
    public readonly StreamTree Retain()
    {
        Interlocked.Increment(ref _page->References);
        return this;
    }

    /// <summary>Gives this reference up; a big stream is then freed in slices.</summary>
    public void Release(TreeSource source)
    {
        TreePage* page = _page;
        _page = null;
        // ORDER: the full fence makes our reads happen before a thread that sees the lower count writes.
        if (Interlocked.Decrement(ref page->References) != 0) return;
        var root = (StreamRoot*)TreePage.Data(page);
        root->Entries.Release(source);
        root->Names.Release(source);
        root->Pending.Release(source);
        root->Owned.Release(source);
        root->Deliveries.Release(source);
        root->Producers.Release(source);
        if (root->UsesIdempotency) source.CountIdempotentRoot(-1);
        // The page has no other user: the source drops its one reference itself.
        page->References = 1;
        source.ReleasePage(page);
    }

    /// <summary>Whether an entry of these texts is larger than Redis allows.</summary>
    public static bool IsTooLarge(ArgumentList fields) =>
        StreamEntries.TextBytes(fields) > StreamNodeLimits.ListpackBytesMax;

    /// <summary>Adds an entry.</summary>
    /// <param name="source">The server's source of trees; the same for every call.</param>
    /// <param name="id">Above <see cref="LastId"/>.</param>
    /// <param name="fields">Fields and values by turns; must not lie in this stream.</param>
    /// <param name="limits">When a new page begins.</param>
    public void Append(TreeSource source, StreamId id, ArgumentList fields, StreamNodeLimits limits)
    {
        if (id <= LastId) throw new ArgumentException("the ID is not above all others", nameof(id));
        StreamRoot* root = Own(source);
        StreamEntries.Append(source, ref root->Entries, id, fields, limits);
        if (root->Entries.Count == 1) root->First = id;
        root->Last = id;
        root->EntriesAdded++;
    }

    /// <summary>Deletes an entry; returns whether there was one.</summary>
    public bool Delete(TreeSource source, StreamId id)
    {
        if (!Cut(source, id)) return false;
        if (id > Root->MaxDeleted) Root->MaxDeleted = id;
        return true;
    }

    /// <summary>As <see cref="Delete"/>, where it counts as trimming: <see cref="MaxDeletedId"/>
    /// stays.</summary>
    public bool Cut(TreeSource source, StreamId id)
    {
        StreamRoot* root = Own(source);
        if (!StreamEntries.Delete(source, ref root->Entries, id)) return false;
        if (id == root->First) FindFirst(root);
        return true;
    }

    /// <summary>Deletes entries from the beginning on; returns how many.</summary>
    public long Trim(TreeSource source, in StreamTrim trim)
    {
        StreamRoot* root = Own(source);
        long count = StreamEntries.Trim(source, ref root->Entries, in trim);
        if (count != 0) FindFirst(root);
        return count;
    }

    /// <summary>Sets what XSETID sets.</summary>
    /// <param name="source">The server's source of trees.</param>
    /// <param name="lastId">The highest ID that an entry ever had.</param>
    /// <param name="entriesAdded">Entries added; negative: stays.</param>
    /// <param name="maxDeletedId">The highest ID among deleted entries; 0-0: stays.</param>
    public void SetLastId(TreeSource source, StreamId lastId, long entriesAdded, StreamId maxDeletedId)
    {
        StreamRoot* root = Own(source);
        root->Last = lastId;
        if (entriesAdded >= 0) root->EntriesAdded = entriesAdded;
        if (!maxDeletedId.IsZero) root->MaxDeleted = maxDeletedId;
    }

    /// <summary>A walk through the entries of a range of IDs, both included.</summary>
    public readonly StreamCursor Range(StreamId from, StreamId to, bool isReverse) =>
        new(Root->Entries, from, to, isReverse);

    /// <summary>The highest ID of an entry that is there; 0-0 in an empty stream.</summary>
    public readonly StreamId LastEntryId
    {
        get
        {
            StreamCursor cursor = Range(StreamId.Zero, StreamId.Max, isReverse: true);
            return cursor.MoveNext() ? cursor.Id : StreamId.Zero;
        }
    }

    /// <summary>About how many entries lie in a range of IDs: a page too many at either end.</summary>
    public readonly long CountAbout(StreamId from, StreamId to)
    {
        if (Length == 0 || from > to) return 0;
        Root->Entries.Seek(new StreamKey(from), out TreePath first);
        Root->Entries.Seek(new StreamKey(to), out TreePath last);
        return PageTree.RankOf(in last) + last.Page->Count - PageTree.RankOf(in first);
    }

    /// <summary>The highest ID in the page with the entry of a rank (0 to Length - 1), deleted or
    /// not.</summary>
    /// <param name="rank">The rank.</param>
    /// <param name="count">How many entries the page has.</param>
    public readonly StreamId LastIdOfPage(long rank, out int count)
    {
        Root->Entries.SeekRank(rank, out TreePath path);
        count = path.Page->Count;
        return StreamPage.LastId(path.Page);
    }

    /// <summary>Whether there is an entry with this ID.</summary>
    public readonly bool Contains(StreamId id)
    {
        if (id < Root->First || id > Root->Last || Length == 0) return false;
        TreePage* page = Root->Entries.FindPage(new StreamKey(id));
        return StreamPage.TryFind(page, id, out _);
    }

    /// <summary>The root, to be written to: a copy where others hold it too.</summary>
    internal StreamRoot* Own(TreeSource source)
    {
        if (TreeEdit.IsOwn(ref _page->References)) return Root;
        TreePage* copy = source.NewPage(_page->Home, sizeof(StreamRoot));
        StreamRoot* root = Root;
        *(StreamRoot*)TreePage.Data(copy) = *root;
        root->Entries.Retain();
        root->Names.Retain();
        root->Pending.Retain();
        root->Owned.Retain();
        root->Deliveries.Retain();
        root->Producers.Retain();
        if (root->UsesIdempotency) source.CountIdempotentRoot(1);
        Release(source);
        _page = copy;
        return Root;
    }

    /// <summary>Finds the lowest ID anew.</summary>
    internal static void FindFirst(StreamRoot* root)
    {
        var cursor = new StreamCursor(root->Entries, StreamId.Zero, StreamId.Max, isReverse: false);
        root->First = cursor.MoveNext() ? cursor.Id : StreamId.Zero;
    }
}
