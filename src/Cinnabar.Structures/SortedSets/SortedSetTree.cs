// A big sorted set: two trees of pages.
//
//   order:  score, member, score, member ...   by score, then by the member's bytes; counted, so ranks are
//                                              sums on the way down (OrderKey, OrderRecord)
//   index:  member -> score                    by the member's hash (HashPages): score by member in about one
//                                              page's miss
//
// Every range, by score, by lex or by rank, in either direction, is a range of ranks: CountBelow and
// CountBelowMember answer where it begins and ends, CursorAt goes there, and the cursor walks both ways.
// So counting a range costs two descents, however large it is.
//
// Members lie in both trees. Sharing them would save about 17 bytes a member, but then one tree would hold
// pointers into pages of the other, which move at every change and would have to be copied with them.
//
// A member whose new score leaves it between its neighbours is changed in place; else it is put into its new
// place before it leaves the old one, so that nothing is lost where memory runs out: all that may need memory
// comes first, and what was done is undone.
//
// A result that is made of many sets is gathered first: members with their scores go into the index alone,
// where a score is overwritten in place, and the order is made once, at the end (GatheredOrder). So a score
// that changes twenty times costs twenty lookups, and not twenty moves.
//
// Why not a skip list: half as much memory again and a cache miss each step, where a page has some 60 members
// for one miss or two (docs/adr/0007 has figures; and see PageTree's essay). Limits: members of 512 MiB;
// scores are any double but NaN.
using Cinnabar.Memory;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: pages are reached through trees that the caller's lock or reference keeps alive.
/// <summary>Members with scores, in order. A handle as large as two pointers.</summary>
public unsafe struct SortedSetTree
{
    /// <summary>The most places that are loaded together.</summary>
    public const int AheadCountMax = 2 * HashAhead.CountMax;

    private PageTree _order;
    private HashPages _index;

    private SortedSetTree(PageTree order, HashPages index)
    {
        _order = order;
        _index = index;
    }

    /// <summary>An empty sorted set.</summary>
    public static SortedSetTree Create(TreeSource source)
    {
        PageTree order = PageTree.Create(source, OrderKey.Size);
        try
        {
            return new SortedSetTree(order, HashPages.Create(source));
        }
        catch (OutOfMemoryException)
        {
            order.Release(source);
            throw;
        }
    }

    /// <summary>The set with these addresses.</summary>
    public static SortedSetTree FromAddresses(nint orderAddress, nint indexAddress) =>
        new(PageTree.FromAddress(orderAddress), HashPages.FromAddress(indexAddress));

    /// <summary>The handle as two words, to be stored. Changes with every modification.</summary>
    public readonly nint OrderAddress => _order.Address;

    /// <summary>The other word.</summary>
    public readonly nint IndexAddress => _index.Address;

    /// <summary>Whether the order has all members: not while they are gathered.</summary>
    public readonly bool IsOrdered => _order.Count == _index.Count;

    /// <summary>Whether this is no set at all.</summary>
    public readonly bool IsNull => _order.Root == null;

    /// <summary>Members.</summary>
    public readonly long Count => _order.Count;

    /// <summary>Bytes of all blocks, shared ones included.</summary>
    public readonly long MemoryBytes => _order.MemoryBytes + _index.MemoryBytes;

    /// <summary>The tree of the order, for tests.</summary>
    internal readonly PageTree Order => _order;

    /// <summary>The index by member: for scans and random members, whose values are scores
    /// (<see cref="ScoreOf"/>).</summary>
    public readonly HashPages Index => _index;

    /// <summary>The score in a field of <see cref="Index"/>.</summary>
    public static double ScoreOf(in HashField field) => BitConverter.ToDouble(field.Value);

    /// <summary>A snapshot: other references to the set as it is now. Constant time.</summary>
    public readonly SortedSetTree Retain() => new(_order.Retain(), _index.Retain());

    /// <summary>Gives this reference up; a big set is then freed in slices.</summary>
    public void Release(TreeSource source)
    {
        _order.Release(source);
        _index.Release(source);
    }

    /// <summary>Moves some of it out of memory that is to be emptied.</summary>
    /// <returns>Whether all of it was looked at.</returns>
    public bool Move(TreeSource source, ref TreeMoves moves) =>
        moves.Run(source, 0, ref _order) && _index.Move(source, 1, ref moves);

    /// <summary>Begins to load what a removal of the lowest (or highest) members will read, of as many as
    /// there are notes, up to 32; notes where they are.</summary>
    public readonly void LoadEdgeAhead(TreeSource source, bool isHighest, Span<MemberNote> notes) =>
        SortedSetAhead.LoadEdge(source, in _order, _index.Tree, isHighest, notes);

    /// <summary>Begins to load what finding or adding members with these hashes will read in the index, up
    /// to 32 of them; notes where that is.</summary>
    public readonly void LoadAhead(ReadOnlySpan<ulong> hashes, Span<MemberNote> notes) =>
        HashAhead.Load(_index.Tree, hashes, notes, isChange: true);

    /// <summary>Reads the score in what <see cref="LoadAhead"/> has found, with no change since, if it is
    /// this member's.</summary>
    public readonly bool TryReadScore(in MemberNote note, ReadOnlySpan<byte> member, out double score)
    {
        bool isThere = HashAhead.TryRead(_index.Tree, in note, member, out HashField field);
        score = isThere ? ScoreOf(in field) : 0;
        return isThere;
    }

    /// <summary>Begins to load where members with their scores have or would have their place in the order,
    /// up to <see cref="AheadCountMax"/>; notes where that is.</summary>
    public readonly void LoadPlacesAhead(ReadOnlySpan<OrderPlace> places) =>
        SortedSetAhead.LoadPlaces(in _order, places);

    /// <summary>The score of a member.</summary>
    public readonly bool TryGetScore(
        TreeSource source, ReadOnlySpan<byte> member, out double score, MemberHint hint = default)
    {
        bool isThere = _index.TryGet(source, member, out HashField field, hint);
        score = isThere ? ScoreOf(in field) : 0;
        return isThere;
    }

    /// <summary>Adds a member to a set whose order is made at the end (<see cref="MakeOrder"/>), and that
    /// cannot be used otherwise until then.</summary>
    /// <returns>Where the score of a member is that is there already, to be overwritten; null: the member is
    /// new.</returns>
    public byte* Gather(TreeSource source, ReadOnlySpan<byte> member, double score)
    {
        Debug.Assert(_order.Count == 0, "a set that has its order is not gathered");
        Debug.Assert(!double.IsNaN(score), "a score is a number");
        // SAFETY: the bytes of a local.
        var field = new HashField(member, new ReadOnlySpan<byte>(&score, sizeof(double)));
        return _index.TryAddOrOwn(source, in field, default);
    }

    /// <summary>As <see cref="Gather(TreeSource, ReadOnlySpan{byte}, double)"/>, of members that are all
    /// different, into an empty set.</summary>
    /// <param name="source">The server's source of trees.</param>
    /// <param name="members">The members.</param>
    /// <param name="texts">Their bytes.</param>
    public void Gather(TreeSource source, ReadOnlySpan<PlacedMember> members, ReadOnlySpan<byte> texts)
    {
        Debug.Assert(_order.Count == 0, "a set that has its order is not gathered");
        _index.Fill(source, new PlacedMembers(members, texts));
    }

    /// <summary>Makes the order of the members that have been gathered.</summary>
    /// <param name="source">The server's source of trees.</param>
    /// <param name="scratch">Memory to sort them in.</param>
    /// <param name="runCountMax">The most that are sorted together.</param>
    /// <exception cref="OutOfMemoryException">The set can only be released.</exception>
    public void MakeOrder(
        TreeSource source, ScratchPool scratch, int runCountMax = GatheredOrder.RunCountMax)
    {
        Debug.Assert(_order.Count == 0, "the order is made once");
        int runCount = (int)Math.Min(_index.Count, runCountMax);
        using (var memory = new Scratch<GatheredOrder.Entry>(scratch, runCount))
        {
            GatheredOrder.Make(source, memory.Span, ref _order, in _index);
        }

        Debug.Assert(IsOrdered, "each member has its place");
    }

    /// <summary>
    /// Adds a member, or gives it another score. The span must not lie in this set. An equal score (both
    /// zeroes are equal) changes nothing.
    /// </summary>
    /// <returns>Whether the member is new.</returns>
    public bool Set(TreeSource source, ReadOnlySpan<byte> member, double score) =>
        Set(source, member, score, out _);

    /// <summary>As <see cref="Set(TreeSource, ReadOnlySpan{byte}, double)"/>; also returns the score that the
    /// member had, if it was there.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool Set(TreeSource source, ReadOnlySpan<byte> member, double score, out double oldScore,
        ScoreHint hint = default)
    {
        Debug.Assert(IsOrdered, "the set is being gathered");
        oldScore = 0;
        if (double.IsNaN(score)) throw new ArgumentException("a score is a number", nameof(score));
        // SAFETY: the bytes of a local.
        var field = new HashField(member, new ReadOnlySpan<byte>(&score, sizeof(double)));
        byte* noted = _index.TryAddOrOwn(source, in field, hint.Member);
        var placed = new ScoredMember(score, member, hint.New);
        if (noted == null)
        {
            InsertNew(source, placed);
            return true;
        }
        oldScore = Unsafe.ReadUnaligned<double>(noted);
        if (score == oldScore) return false;
        var old = new ScoredMember(oldScore, member, hint.Old);
        int index = SortedSetOrder.Find(in _order, old, out TreePath path);
        _order.Own(source, ref path);
        // What may need memory comes before the change of the index, which needs none.
        if (!SortedSetOrder.TryRescore(in path, index, score))
        {
            SortedSetOrder.Move(source, ref _order, ref path, index, placed);
        }
        Unsafe.WriteUnaligned(noted, score);
        return false;
    }

    /// <summary>Removes a member.</summary>
    /// <returns>Whether it was there.</returns>
    public bool Remove(TreeSource source, ReadOnlySpan<byte> member, ScoreHint hint = default)
    {
        Debug.Assert(IsOrdered, "the set is being gathered");
        MemberHint memberHint = hint.Member.WithHash(source, member);
        if (!TryGetScore(source, member, out double score, memberHint)) return false;
        var removed = new ScoredMember(score, member, hint.Old);
        int index = SortedSetOrder.Find(in _order, removed, out TreePath path);
        _order.Own(source, ref path);
        _index.Remove(source, member, memberHint);
        PageShrink<OrderRecord>.Remove(source, ref _order, ref path, index);
        return true;
    }

    /// <summary>Goes to the lowest member, or the highest; there must be one.</summary>
    public readonly void SeekEdge(bool isHighest, out SortedSetCursor cursor) =>
        cursor = new SortedSetCursor(_order, isHighest);

    /// <summary>Removes the member that a cursor is at, the lowest or highest, which becomes
    /// invalid.</summary>
    /// <param name="source">The server's source of trees.</param>
    /// <param name="cursor">The cursor.</param>
    /// <param name="hint">What is known of the member.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void RemoveEdge(TreeSource source, ref SortedSetCursor cursor, MemberHint hint = default)
    {
        Debug.Assert(IsOrdered && Count > 0, "there is no first member");
        TreePage* page = _order.Own(source, ref cursor.Path);
        _index.Remove(source, OrderRecord.Member(page, cursor.Index), hint);
        PageShrink<OrderRecord>.RemoveAtEdge(source, ref _order, ref cursor.Path, cursor.Index);
    }

    /// <summary>Removes the members of some ranks.</summary>
    /// <param name="source">The server's source of trees; the same for every call.</param>
    /// <param name="from">The first rank, 0 to Count.</param>
    /// <param name="count">How many, up to Count - <paramref name="from"/>.</param>
    public void RemoveRange(TreeSource source, long from, long count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(from);
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, Count - from);
        if (count == 0) return;
        long done = 0;
        try
        {
            SortedSetCursor cursor = CursorAt(from);
            do
            {
                _index.Remove(source, cursor.Member);
                done++;
            }
            while (done < count && cursor.MoveNext());
        }
        finally
        {
            PageShrink<OrderRecord>.RemoveRange(source, ref _order, from, from + done);
        }
    }

    /// <summary>The rank of a member, lowest first, or -1.</summary>
    public readonly long RankOf(TreeSource source, ReadOnlySpan<byte> member) =>
        RankOf(source, member, out _);

    /// <summary>As <see cref="RankOf(TreeSource, ReadOnlySpan{byte})"/>; also returns the member's
    /// score.</summary>
    public readonly long RankOf(
        TreeSource source, ReadOnlySpan<byte> member, out double score, ScoreHint hint = default)
    {
        Debug.Assert(IsOrdered, "the set is being gathered");
        if (!TryGetScore(source, member, out score, hint.Member)) return -1;
        var sought = new ScoredMember(score, member, hint.Old);
        int index = SortedSetOrder.Find(in _order, sought, out TreePath path);
        return PageTree.RankOf(in path) + index;
    }

    /// <summary>How many members have a lower score, or a lower or equal one.</summary>
    public readonly long CountBelow(double score, bool isInclusive)
    {
        // The next number up is the place behind all of this score; the highest score leaves room for it.
        ulong bits = ScoreBits.Of(score) + (isInclusive ? 1UL : 0);
        return CountBefore(new OrderKey(bits, default));
    }

    /// <summary>
    /// In a set whose members all have the same score: how many come before this one, or up to it.
    /// </summary>
    public readonly long CountBelowMember(ReadOnlySpan<byte> member, bool isInclusive)
    {
        if (Count == 0) return 0;
        _order.SeekEdge(isLast: false, out TreePath first);
        var key = new OrderKey(OrderRecord.Scores(first.Page)[0], member);
        long count = CountBefore(in key);
        if (!isInclusive || count == Count) return count;
        int index = _order.SeekRank(count, out TreePath path);
        return key.Compare(path.Page, index) == 0 ? count + 1 : count;
    }

    /// <summary>The member of a rank, 0 to Count - 1, and a way on from there.</summary>
    public readonly SortedSetCursor CursorAt(long rank)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(rank);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(rank, Count);
        return new SortedSetCursor(_order, rank);
    }

    /// <summary>Whatever breaks an invariant, in words, or null. For tests.</summary>
    internal readonly string? FindFault(TreeSource source)
    {
        HashPages index = _index;
        if (index.Count != Count) return $"{index.Count} members in the index of {Count}";
        return index.FindFault(source) ?? SortedSetOrder.FindFault(in _order, (member, score) =>
            index.TryGet(source, member, out HashField field) && ScoreOf(in field) == score);
    }

    private readonly long CountBefore(in OrderKey key)
    {
        if (Count == 0) return 0;
        _order.Seek(new OrderSeeker(in key), out TreePath path);
        return PageTree.RankOf(in path) + key.CountBefore(path.Page);
    }

    private void InsertNew(TreeSource source, ScoredMember added)
    {
        try
        {
            SortedSetOrder.Insert(source, ref _order, added);
        }
        catch (OutOfMemoryException)
        {
            _index.Remove(source, added.Member);
            throw;
        }
    }
}
