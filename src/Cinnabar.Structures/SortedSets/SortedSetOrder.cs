// The ordered half of SortedSetTree: insertion into and removal from its tree.
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: pages are edited only when owned; separators written here have OrderKey.Size bytes.
/// <summary>Changes of the order of a sorted set.</summary>
internal static unsafe class SortedSetOrder
{
    private const int StackCountMax = 512;

    internal delegate bool IndexCheck(ReadOnlySpan<byte> member, double score);

    /// <summary>Adds a member that is not there with this score.</summary>
    internal static void Insert(TreeSource source, ref PageTree tree, ScoredMember added)
    {
        double score = added.Score;
        ReadOnlySpan<byte> member = added.Member;
        int recordBytes = OrderRecord.SizeFor(member);
        var key = new OrderKey(ScoreBits.Of(score), member);
        if (tree.Count == 0)
        {
            byte* separator = stackalloc byte[OrderKey.Size];
            key.WriteTo(separator);
            tree.Append(source, NewPage(source, tree.Home, score, member), separator);
            return;
        }
        int index = SeekPlace(in tree, in key, added.Note, out TreePath path);
        if (RecordPage<OrderRecord>.HasRoom(path.Page, recordBytes, 0))
        {
            Write(tree.Own(source, ref path), index, score, member);
            PageTree.Counted(in path, 1);
            return;
        }
        long used = path.Page->Used + RecordPage<OrderRecord>.RoomFor(1, recordBytes);
        if (used <= RecordPage<OrderRecord>.UsedMax)
        {
            TreePage* larger = RecordPage<OrderRecord>.Copy(source, path.Page, 1, recordBytes);
            Write(larger, index, score, member);
            tree.Replace(source, ref path, larger);
        }
        else
        {
            InsertAndSplit(source, ref tree, ref path, index, added);
        }
    }

    /// <summary>Gives a member another score and the place that it has with that.</summary>
    /// <param name="source">Where this tree's memory comes from.</param>
    /// <param name="tree">The order.</param>
    /// <param name="path">To the member's page, owned; invalid afterwards.</param>
    /// <param name="index">Of the member in it.</param>
    /// <param name="moved">The member with the new score.</param>
    internal static void Move(
        TreeSource source, ref PageTree tree, ref TreePath path, int index, ScoredMember moved)
    {
        TreePage* page = path.Page;
        var key = new OrderKey(ScoreBits.Of(moved.Score), moved.Member);
        int place = SeekPlace(in tree, in key, moved.Note, out TreePath target);
        if (target.Page == page)
        {
            RecordPage<OrderRecord>.Remove(page, index);
            Write(page, place > index ? place - 1 : place, moved.Score, moved.Member);
            return;
        }
        if (RecordPage<OrderRecord>.HasRoom(target.Page, OrderRecord.SizeFor(moved.Member), 0))
        {
            // The nodes of the old path are owned already, so that they stay where they are.
            Write(tree.Own(source, ref target), place, moved.Score, moved.Member);
            PageTree.Counted(in target, 1);
            PageShrink<OrderRecord>.Remove(source, ref tree, ref path, index);
            return;
        }
        double oldScore = OrderRecord.Score(page, index);
        Insert(source, ref tree, moved);
        Remove(source, ref tree, oldScore, moved.Member);
    }

    /// <summary>Removes a member that is there with this score.</summary>
    internal static void Remove(TreeSource source, ref PageTree tree, double score, ReadOnlySpan<byte> member)
    {
        int index = Find(in tree, new ScoredMember(score, member), out TreePath path);
        PageShrink<OrderRecord>.Remove(source, ref tree, ref path, index);
    }

    /// <summary>Goes to a member that is there with this score; returns its index in the page.</summary>
    internal static int Find(in PageTree tree, ScoredMember sought, out TreePath path)
    {
        var key = new OrderKey(ScoreBits.Of(sought.Score), sought.Member);
        OrderNote* note = sought.Note;
        int index;
        if (note != null && note->Path.TryFollow(in tree, out path))
        {
            index = key.CountBefore(path.Page, note->Index);
            if (index >= 0 && index < path.Page->Count && key.Compare(path.Page, index) == 0) return index;
        }
        tree.Seek(new OrderSeeker(in key), out path);
        index = key.CountBefore(path.Page);
        if (index == path.Page->Count || key.Compare(path.Page, index) != 0) ThrowUnknown();
        return index;
    }

    // Goes to the page where a member that is not there belongs; returns its index there. A note may lead to
    // another page by now; but what lies between two records of a page belongs there.
    private static int SeekPlace(in PageTree tree, in OrderKey key, OrderNote* note, out TreePath path)
    {
        if (note != null && note->Path.TryFollow(in tree, out path))
        {
            int index = key.CountBefore(path.Page, note->Index);
            if (index > 0 && index < path.Page->Count) return index;
        }
        tree.Seek(new OrderSeeker(in key), out path);
        return key.CountBefore(path.Page);
    }

    /// <summary>Gives a member another score if that leaves it between its neighbours in its page.</summary>
    /// <param name="path">To the member's page, owned.</param>
    /// <param name="index">Of the member in it.</param>
    /// <param name="score">The new score.</param>
    internal static bool TryRescore(in TreePath path, int index, double score)
    {
        TreePage* page = path.Page;
        if (index == 0 || index + 1 == page->Count) return false;
        var key = new OrderKey(ScoreBits.Of(score), OrderRecord.Member(page, index));
        if (key.Compare(page, index - 1) >= 0 || key.Compare(page, index + 1) <= 0) return false;
        OrderRecord.Scores(page)[index] = ScoreBits.Of(score);
        OrderRecord.SetZero(RecordPage<OrderRecord>.Record(page, index), ScoreBits.IsNegativeZero(score));
        return true;
    }

    // At the two ends of the tree a full page is left full and the newcomer gets one of its own, so that
    // loads in order leave full pages behind.
    [SkipLocalsInit]
    private static void InsertAndSplit(
        TreeSource source, ref PageTree tree, ref TreePath path, int index, ScoredMember added)
    {
        TreePage* page = path.Page;
        byte* separator = stackalloc byte[OrderKey.Size];
        if (index == page->Count && path.IsAtEdge(1, isLast: true))
        {
            new OrderKey(ScoreBits.Of(added.Score), added.Member).WriteTo(separator);
            TreePage* last = NewPage(source, page->Home, added.Score, added.Member);
            tree.ReplaceByTwo(source, ref path, page, last, separator);
            return;
        }
        if (index == 0 && path.IsAtEdge(1, isLast: false))
        {
            KeyOf(page, 0).WriteTo(separator);
            TreePage* first = NewPage(source, page->Home, added.Score, added.Member);
            tree.ReplaceByTwo(source, ref path, first, page, separator);
            return;
        }
        int recordBytes = OrderRecord.SizeFor(added.Member);
        TreePage* whole = RecordPage<OrderRecord>.Copy(source, page, 1, recordBytes);
        Write(whole, index, added.Score, added.Member);
        Span<int> order = whole->Count <= StackCountMax
            ? stackalloc int[StackCountMax]
            : new int[whole->Count];
        order = RecordPage<OrderRecord>.AllBut(order, whole->Count, -1);
        int cut = RecordPage<OrderRecord>.Middle(whole, order);
        Debug.Assert(cut > 0 && cut < whole->Count);
        KeyOf(whole, cut).WriteTo(separator);
        PagePair pair = PageSplit<OrderRecord>.Cut(source, whole, order, cut);
        tree.ReplaceByTwo(source, ref path, pair.Left, pair.Right, separator);
    }

    /// <summary>The position of a record.</summary>
    internal static OrderKey KeyOf(TreePage* page, int index) =>
        new(OrderRecord.Scores(page)[index], OrderRecord.Member(page, index));

    /// <summary>Whatever breaks an invariant, in words, or null. For tests.</summary>
    internal static string? FindFault(in PageTree tree, IndexCheck check) =>
        TreeVerifier.FindFault(in tree, (page, separator, nextSeparator) =>
        {
            for (int at = 0; at < page->Count; at++)
            {
                bool isKnown = check(OrderRecord.Member(page, at), OrderRecord.Score(page, at));
                if (!isKnown) return "the index is out of step";
                if (at > 0 && KeyOf(page, at).Compare(page, at - 1) >= 0) return "records are out of order";
            }
            if (separator != null && KeyOf(page, 0).CompareBeginning(separator) < 0)
            {
                return "a record before its page's separator";
            }
            if (nextSeparator == null) return null;
            OrderKey last = KeyOf(page, page->Count - 1);
            return last.CompareBeginning(nextSeparator) <= 0 ? null : "a record behind the next separator";
        });

    private static TreePage* NewPage(TreeSource source, int home, double score, ReadOnlySpan<byte> member)
    {
        int room = RecordPage<OrderRecord>.RoomFor(1, OrderRecord.SizeFor(member));
        TreePage* page = source.NewPage(home, room);
        Write(page, 0, score, member);
        return page;
    }

    /// <summary>Puts a record before the one with an index in a page that has room.</summary>
    internal static void Write(TreePage* page, int index, double score, ReadOnlySpan<byte> member)
    {
        byte* record = RecordPage<OrderRecord>.Insert(page, index, OrderRecord.SizeFor(member));
        OrderRecord.Write(record, member, ScoreBits.IsNegativeZero(score));
        OrderRecord.Scores(page)[index] = ScoreBits.Of(score);
    }

    private static void ThrowUnknown() =>
        throw new InvalidOperationException("the order has no such member, which the index has");
}
