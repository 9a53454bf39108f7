using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>
/// A sorted set however it is stored, to be read: what commands see. A missing key is an empty set. Valid
/// until the next change to the stripe.
/// </summary>
// SAFETY: made only of live entries of stripes that the execution has locked, or of a builder's own tree.
public readonly unsafe ref struct SortedSetView
{
    private readonly byte* _pack;
    private readonly SortedSetTree _tree;
    private readonly TreeSource? _source;

    internal SortedSetView(byte* pack) => _pack = pack;

    internal SortedSetView(SortedSetTree tree, TreeSource source)
    {
        _tree = tree;
        _source = source;
    }

    /// <summary>Whether it is stored as a tree.</summary>
    public bool IsTree => _source is not null;

    /// <summary>A tree's members, by their hashes.</summary>
    internal HashPages Index => _tree.Index;

    /// <summary>Number of members.</summary>
    public long Count => _pack != null ? Reader.Count / 2 : _source is null ? 0 : _tree.Count;

    private ListpackReader Reader => new(_pack);

    /// <summary>The score of a member.</summary>
    public bool TryGetScore(ReadOnlySpan<byte> member, out double score, MemberHint hint = default)
    {
        score = 0;
        if (_pack == null)
            return _source is not null && _tree.TryGetScore(_source, member, out score, hint);
        int position = SortedSetPack.Find(Reader, member);
        if (position == 0)
            return false;
        score = SortedSetPack.ScoreAt(Reader, Reader.Behind(position));
        return true;
    }

    /// <summary>The rank of a member, lowest first, or −1; and its score.</summary>
    public long RankOf(ReadOnlySpan<byte> member, out double score, ScoreHint hint = default)
    {
        score = 0;
        if (_pack == null)
            return _source is null ? -1 : _tree.RankOf(_source, member, out score, hint);
        int position = SortedSetPack.Find(Reader, member);
        if (position == 0)
            return -1;
        score = SortedSetPack.ScoreAt(Reader, Reader.Behind(position));
        return SortedSetPack.RankAt(Reader, position);
    }

    /// <summary>The members with scores between bounds.</summary>
    public RankRange RangeOf(in ScoreBounds bounds)
    {
        bool isNothing = bounds.Min > bounds.Max
            || (bounds.Min == bounds.Max && (bounds.IsMinExclusive || bounds.IsMaxExclusive));
        if (isNothing || Count == 0)
            return default;
        if (_pack != null)
            return SortedSetPack.RangeOf(Reader, in bounds);
        long first = _tree.CountBelow(bounds.Min, bounds.IsMinExclusive);
        long end = _tree.CountBelow(bounds.Max, !bounds.IsMaxExclusive);
        return new RankRange(first, end - first);
    }

    /// <summary>The members between bounds, in a set whose scores are all equal.</summary>
    public RankRange RangeOf(LexBounds bounds)
    {
        long first = CountBefore(bounds.Min, isUpper: false);
        long end = CountBefore(bounds.Max, isUpper: true);
        return new RankRange(first, Math.Max(end - first, 0));
    }

    /// <summary>Goes through a range, whose members must be there, up or down.</summary>
    public SortedSetWalk Walk(RankRange range, bool isReverse = false) => _pack != null || _source is null
        ? new SortedSetWalk(_pack, range, isReverse)
        : new SortedSetWalk(in _tree, range, isReverse);

    /// <summary>Goes through all members, from the lowest up.</summary>
    public SortedSetWalk Walk() => Walk(new RankRange(0, Count));

    /// <summary>
    /// Shows the members from a cursor on: all of a listpack, else about <paramref name="count"/>. A member
    /// that is in the set from the first call to the last is shown.
    /// </summary>
    /// <returns>The cursor to go on with, below 2^63; 0 at the end.</returns>
    public ulong Scan<TVisitor>(ulong cursor, long count, ref TVisitor visitor)
        where TVisitor : struct, IFieldVisitor
    {
        if (_source is not null)
            return ScanTree(cursor, count, ref visitor);
        SortedSetWalk walk = Walk();
        while (walk.MoveNext())
        {
            double score = walk.Score;
            visitor.Visit(new HashField(walk.Member, new ReadOnlySpan<byte>(&score, sizeof(double))));
        }

        return 0;
    }

    // A cursor is the hash to go on from without its lowest bit, so that clients that read cursors as signed
    // numbers can. Two hashes that differ in that bit only are therefore shown together.
    private ulong ScanTree<TVisitor>(ulong cursor, long count, ref TVisitor visitor)
        where TVisitor : struct, IFieldVisitor
    {
        ulong next = cursor << 1;
        do
        {
            next = _tree.Index.Scan(_source!, next, count, ref visitor);
        }
        while (next != 0 && next >> 1 == (cursor & (ulong.MaxValue >> 1)));
        return next >> 1;
    }

    private long CountBefore(LexBound bound, bool isUpper)
    {
        if (bound.Kind == LexBoundKind.Lowest || Count == 0)
            return 0;
        if (bound.Kind == LexBoundKind.Highest)
            return Count;
        bool isInclusive = isUpper == (bound.Kind == LexBoundKind.Inclusive);
        return _pack != null
            ? SortedSetPack.CountBelow(Reader, bound.Member, isInclusive)
            : _tree.CountBelowMember(bound.Member, isInclusive);
    }
}
