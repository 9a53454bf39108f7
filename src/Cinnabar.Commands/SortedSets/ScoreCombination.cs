using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Unions, intersections and differences of sorted sets and sets.</summary>
/// <remarks>Sums are formed from the smallest set to the largest, as in Redis: their last digits depend on
/// that. A score that is not a number becomes 0.</remarks>
/// <param name="store">Where the sets are.</param>
/// <param name="sources">The sources in the order of the keys; put into another when it is built.</param>
/// <param name="aggregate">What becomes of two scores.</param>
internal readonly ref struct ScoreCombination(
    SortedSetStore store, Span<ScoredSource> sources, Aggregate aggregate)
{
    private const long NsPerResult = 500;
    private const long NsPerLookup = 150;
    private const long NsPerSource = 100;

    private readonly SortedSetStore _store = store;
    private readonly Span<ScoredSource> _sources = sources;
    private readonly Aggregate _aggregate = aggregate;

    /// <summary>An estimate of the work, in nanoseconds.</summary>
    public long CostNs(CombineKind kind)
    {
        Debug.Assert(_sources.Length > 0, "nothing is combined");
        long total = 0;
        long smallest = long.MaxValue;
        foreach (ref readonly ScoredSource source in _sources)
        {
            total += source.Count;
            smallest = Math.Min(smallest, source.Count);
        }

        long memberNs = NsPerResult + (NsPerLookup * _sources.Length);
        return (_sources.Length * NsPerSource) + kind switch
        {
            CombineKind.Union => total * NsPerResult,
            CombineKind.Intersection => smallest * memberNs,
            _ => _sources[0].Count * memberNs,
        };
    }

    public void Build(CombineKind kind, ref SortedSetBuilder result)
    {
        switch (kind)
        {
            case CombineKind.Union:
                Unite(ref result);
                break;
            case CombineKind.Intersection:
                Intersect(ref result);
                break;
            default:
                Subtract(ref result);
                break;
        }
    }

    /// <summary>Counts the members of the intersection, up to a limit; 0: all.</summary>
    public long CountIntersection(long limit)
    {
        Debug.Assert(limit >= 0, "0 stands for all");
        SortBySize();
        _store.BuildTables(_sources[1..], _sources[0].Count);
        long count = 0;
        ScoredEnumerator members = _store.Enumerate(in _sources[0]);
        while (members.MoveNext())
        {
            if (HaveAll(members.Member) && ++count == limit)
                break;
        }

        return count;
    }

    private void SortBySize() => _sources.Sort(ScoredSource.CompareSizes);

    private void Unite(ref SortedSetBuilder result)
    {
        SortBySize();
        foreach (ref readonly ScoredSource source in _sources)
        {
            ScoredEnumerator members = _store.Enumerate(in source);
            while (members.MoveNext())
            {
                result.Add(members.Member, Scores.NumberOr0(source.Weight * members.Score), _aggregate);
            }
        }
    }

    private void Intersect(ref SortedSetBuilder result)
    {
        SortBySize();
        _store.BuildTables(_sources[1..], _sources[0].Count);
        ScoredEnumerator members = _store.Enumerate(in _sources[0]);
        while (members.MoveNext())
        {
            ReadOnlySpan<byte> member = members.Member;
            double score = Scores.NumberOr0(_sources[0].Weight * members.Score);
            int index = 1;
            for (; index < _sources.Length; index++)
            {
                if (!_store.TryGetScore(in _sources[index], member, out double other))
                    break;
                score = Scores.Combine(_aggregate, score, _sources[index].Weight * other);
            }

            if (index == _sources.Length)
                result.Add(member, score);
        }
    }

    private void Subtract(ref SortedSetBuilder result)
    {
        _store.BuildTables(_sources[1..], _sources[0].Count);
        ScoredEnumerator members = _store.Enumerate(in _sources[0]);
        while (members.MoveNext())
        {
            ReadOnlySpan<byte> member = members.Member;
            int index = 1;
            while (index < _sources.Length && !_store.TryGetScore(in _sources[index], member, out _))
                index++;
            if (index == _sources.Length)
                result.Add(member, members.Score);
        }
    }

    private bool HaveAll(ReadOnlySpan<byte> member)
    {
        foreach (ref readonly ScoredSource source in _sources[1..])
        {
            if (!_store.TryGetScore(in source, member, out _))
                return false;
        }

        return true;
    }
}
