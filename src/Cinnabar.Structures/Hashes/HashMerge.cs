// The members that two collections have in common, found without the hash of a single one. Both trees are
// ordered by the same hash (HashPages), so the members of a page can only lie in those few pages of the other
// tree whose range it overlaps, and its column of tags has the part of their hashes that is compared there:
//
//   walked:   |    page    |      page      |  page  |
//   asked:    |  page |   page    |  page  |   page    |
//                         `-- all of these for the walked tree's second page
//
// So a member costs a look at the tags of two pages or so, in the nearest cache, instead of a hash and a
// descent. Where a page overlaps many (large records there, small ones here), its members are looked up by
// their hashes.
//
// Limits: neither collection may change meanwhile. Where one collection has far more members than the other,
// lookups in it are better: a merge passes all of its pages.
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: pages are reached through trees that the caller's lock or reference keeps alive; separators are
// hashes of 8 bytes.
/// <summary>Goes through the members of a <see cref="HashPages"/> that another one has, too.</summary>
public unsafe ref struct HashMerge
{
    private const int PagesMax = 8;

    // Most pages are that long.
    private const int LinesAhead = 24;

    private readonly TreeSource _source;
    private readonly HashPages _other;
    private TreePath _walked;
    private TreePath _asked;
    private fixed ulong _pages[PagesMax];
    private int _pageCount;
    private int _index;
    private bool _hasPage;

    internal HashMerge(TreeSource source, HashPages walked, HashPages asked)
    {
        _source = source;
        _other = asked;
        _index = -1;
        _hasPage = walked.Count != 0 && asked.Count != 0;
        if (!_hasPage) return;
        walked.Tree.SeekEdge(isLast: false, out _walked);
        asked.Tree.SeekEdge(isLast: false, out _asked);
        FindOverlap();
    }

    /// <summary>The field; its spans are valid until the collection changes.</summary>
    public readonly HashField Current =>
        HashRecord.Read(RecordPage<HashRecord>.Record(_walked.Page, _index));

    /// <summary>Goes to the next member that both have.</summary>
    public bool MoveNext()
    {
        while (_hasPage)
        {
            int count = _walked.Page->Count;
            while (++_index < count)
            {
                if (IsCommon()) return true;
            }
            _hasPage = _walked.MoveNext();
            _index = -1;
            if (_hasPage) FindOverlap();
        }
        return false;
    }

    private readonly bool IsCommon()
    {
        TreePage* page = _walked.Page;
        ReadOnlySpan<byte> member = HashRecord.Member(RecordPage<HashRecord>.Record(page, _index));
        if (_pageCount == 0) return _other.Contains(_source, member);
        byte tag = RecordPage<HashRecord>.Keys(page)[_index];
        for (int at = 0; at < _pageCount; at++)
        {
            if (HashSearch.IndexOf((TreePage*)_pages[at], member, tag) >= 0) return true;
        }
        return false;
    }

    // Finds the other tree's pages that overlap the page which has been reached; none: too many.
    private void FindOverlap()
    {
        var low = (ulong*)_walked.Separator();
        var high = (ulong*)_walked.NextSeparator();
        ulong* next;
        while (low != null && (next = (ulong*)_asked.NextSeparator()) != null && *next <= *low)
        {
            _asked.MoveNext();
        }
        TreePath path = _asked;
        _pages[0] = (ulong)path.Page;
        _pageCount = 1;
        while ((next = (ulong*)path.NextSeparator()) != null && (high == null || *next < *high))
        {
            path.MoveNext();
            if (_pageCount == PagesMax)
            {
                _pageCount = 0;
                return;
            }
            _pages[_pageCount++] = (ulong)path.Page;
        }
        LoadNext(in _walked);
        LoadNext(in path);
    }

    private static void LoadNext(in TreePath path)
    {
        TreeNode* node = path.Node(1);
        int place = path.Place(1) + 1;
        if (place == node->Count) return;
        var page = (byte*)TreeNode.Children(node)[place];
        for (int line = 0; line < LinesAhead; line++) CacheLine.Prefetch(page + line * CacheLine.Size);
    }
}
