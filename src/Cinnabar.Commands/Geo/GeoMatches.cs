using System.Buffers;
using Cinnabar.Commands.Sorting;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>The members that a search has found, in rented memory.</summary>
/// <param name="access">Its key space has the memory for them.</param>
internal struct GeoMatches(KeyspaceAccess access) : IDisposable
{
    private const int FirstCapacity = 64;

    private readonly KeyspaceAccess _access = access;
    private ByteStrings _members = new ByteStrings(access.Keyspace.Scratch);
    private Match[] _matches = ArrayPool<Match>.Shared.Rent(FirstCapacity);
    private SortedOrder _order;
    private bool _isSorted;

    /// <summary>How many there are.</summary>
    public readonly int Count => _members.Count;

    /// <summary>The ranges of a set that have to be looked at for a shape.</summary>
    /// <param name="set">The set.</param>
    /// <param name="shape">The shape.</param>
    /// <param name="ranges">Receives them: <see cref="GeoCover.CellCountMax"/>.</param>
    /// <returns>How many there are.</returns>
    internal static int FindRanges(in SortedSetView set, in GeoShape shape, Span<RankRange> ranges)
    {
        Debug.Assert(ranges.Length >= GeoCover.CellCountMax, "too little room for the ranges");
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        int count = GeoCover.Find(in shape, cells);
        for (int cell = 0; cell < count; cell++)
        {
            var bounds = new ScoreBounds(cells[cell].First, false, cells[cell].End, true);
            ranges[cell] = set.RangeOf(in bounds);
        }

        return count;
    }

    /// <summary>Adds the members of ranges that lie inside of a shape.</summary>
    /// <param name="set">The set.</param>
    /// <param name="shape">The shape.</param>
    /// <param name="ranges">The ranges.</param>
    /// <param name="countMax">How many matches are enough; 0: all.</param>
    internal void Collect(
        in SortedSetView set, in GeoShape shape, scoped ReadOnlySpan<RankRange> ranges, long countMax)
    {
        Debug.Assert(!_isSorted && countMax >= 0, "collected before they are sorted");
        foreach (RankRange range in ranges)
        {
            SortedSetWalk walk = set.Walk(range);
            while (walk.MoveNext())
            {
                double score = walk.Score;
                GeoPoint point = GeoScore.ToPoint(score);
                if (!shape.Contains(point, out double distance))
                    continue;
                Add(walk.Member, new Match(score, distance, point));
                if (countMax != 0 && Count >= countMax)
                    return;
            }
        }
    }

    /// <summary>Sorts by distance.</summary>
    /// <param name="isDescending">Whether the farthest come first.</param>
    internal void Sort(bool isDescending)
    {
        Debug.Assert(!_isSorted, "sorted once");
        _order = new SortedOrder(Count, _access);
        _isSorted = true;
        Span<ulong> keys = _order.Keys;
        for (int index = 0; index < keys.Length; index++)
        {
            double distance = _matches[index].Distance;
            keys[index] = SortKeys.Of(isDescending ? -distance : distance);
        }

        _order.Sort();
    }

    internal readonly ReadOnlySpan<byte> MemberAt(int rank) => _members[IndexOf(rank)];

    /// <summary>What is known of the member of a rank.</summary>
    internal readonly Match this[int rank] => _matches[IndexOf(rank)];

    /// <summary>Gives the memory back.</summary>
    public void Dispose()
    {
        _members.Dispose();
        ArrayPool<Match>.Shared.Return(_matches);
        if (_isSorted)
            _order.Dispose();
    }

    private readonly int IndexOf(int rank)
    {
        Debug.Assert((uint)rank < (uint)Count, "no such place");
        return _isSorted ? _order.Indexes[rank] : rank;
    }

    private void Add(scoped ReadOnlySpan<byte> member, Match match)
    {
        if (Count == _matches.Length)
        {
            Match[] matches = ArrayPool<Match>.Shared.Rent(Count * 2);
            _matches.AsSpan(0, Count).CopyTo(matches);
            ArrayPool<Match>.Shared.Return(_matches);
            _matches = matches;
        }

        _matches[Count] = match;
        _members.Add(member);
    }

    /// <summary>What is known of a member that was found.</summary>
    /// <param name="Score">Its score.</param>
    /// <param name="Distance">Meters from the center.</param>
    /// <param name="Point">Its place.</param>
    internal readonly record struct Match(double Score, double Distance, GeoPoint Point);
}
