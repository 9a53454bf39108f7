using System;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Platform;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Unions, intersections and differences of sorted sets and sets.</summary>
/// <remarks>Sums are formed from the smallest set to the largest, as in Redis: their last digits depend on
/// that. A score that is not a number becomes 0.</remarks>
internal readonly ref struct ScoreCombination
{
    private const long NsPerResult = 500;
    private const long NsPerLookup = 150;

    private readonly SortedSetStore _store;
    private readonly Span<ScoredSource> _sources;
    private readonly Aggregate _aggregate;
    private readonly LongWork? _work;

    /// <summary>Takes the sources in the order of the keys; puts them into another.</summary>
    /// <param name="store">Where the sets are.</param>
    /// <param name="kind">What will be built.</param>
    /// <param name="sources">The sources.</param>
    /// <param name="aggregate">What becomes of two scores.</param>
    /// <param name="work">What gives way meanwhile; null: nobody has to.</param>
    public ScoreCombination(SortedSetStore store, CombineKind kind, Span<ScoredSource> sources,
        Aggregate aggregate, LongWork? work)
    {
        _store = store;
        _work = work;
        _sources = sources;
        _aggregate = aggregate;
        if (kind != CombineKind.Difference)
            SortBySize(sources);
    }

    /// <summary>An estimate of the work, in nanoseconds.</summary>
    public long CostNs(CombineKind kind)
    {
        long count = _sources[0].Count;
        if (kind == CombineKind.Union)
        {
            foreach (ref readonly ScoredSource source in _sources[1..])
                count += source.Count;
            return count * NsPerResult;
        }

        return count * (NsPerResult + (NsPerLookup * _sources.Length));
    }

    /// <summary>Builds the result.</summary>
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
        long count = 0;
        ScoredEnumerator members = _store.Enumerate(in _sources[0]);
        int step = 0;
        while (members.MoveNext())
        {
            _work?.Breathe(step++);
            if (HaveAll(members.Member) && ++count == limit)
                break;
        }

        return count;
    }

    private static void SortBySize(Span<ScoredSource> sources)
    {
        // By insertion: few sources mostly, and equal ones keep their order.
        for (int end = 1; end < sources.Length; end++)
        {
            ScoredSource source = sources[end];
            int at = end;
            for (; at > 0 && sources[at - 1].Count > source.Count; at--)
                sources[at] = sources[at - 1];
            sources[at] = source;
        }
    }

    private void Unite(ref SortedSetBuilder result)
    {
        foreach (ref readonly ScoredSource source in _sources)
        {
            bool isFirst = result.Count == 0;
            ScoredEnumerator members = _store.Enumerate(in source);
            int step = 0;
            while (members.MoveNext())
            {
                _work?.Breathe(step++);
                ReadOnlySpan<byte> member = members.Member;
                double score = NumberOr0(source.Weight * members.Score);
                if (!isFirst && result.TryGetScore(member, out double other))
                {
                    score = Combined(other, score);
                    // The two zeroes are one score to the set, but not to those who read it.
                    if (score == 0 && other == 0)
                        result.Remove(member);
                }

                result.Set(member, score);
            }
        }
    }

    private void Intersect(ref SortedSetBuilder result)
    {
        ScoredEnumerator members = _store.Enumerate(in _sources[0]);
        int step = 0;
        while (members.MoveNext())
        {
            _work?.Breathe(step++);
            ReadOnlySpan<byte> member = members.Member;
            double score = NumberOr0(_sources[0].Weight * members.Score);
            int index = 1;
            for (; index < _sources.Length; index++)
            {
                if (!_store.TryGetScore(in _sources[index], member, out double other))
                    break;
                score = Combined(score, _sources[index].Weight * other);
            }

            if (index == _sources.Length)
                result.Set(member, score);
        }
    }

    private void Subtract(ref SortedSetBuilder result)
    {
        ScoredEnumerator members = _store.Enumerate(in _sources[0]);
        int step = 0;
        while (members.MoveNext())
        {
            _work?.Breathe(step++);
            ReadOnlySpan<byte> member = members.Member;
            int index = 1;
            while (index < _sources.Length && !_store.TryGetScore(in _sources[index], member, out _))
                index++;
            if (index == _sources.Length)
                result.Set(member, members.Score);
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

    private static double NumberOr0(double score) => double.IsNaN(score) ? 0 : score;

    // Not Math.Min and Math.Max: a weighted score that is not a number must leave the other one.
    private double Combined(double score, double other) => _aggregate switch
    {
        Aggregate.Min => other < score ? other : score,
        Aggregate.Max => other > score ? other : score,
        _ => NumberOr0(score + other),
    };
}
