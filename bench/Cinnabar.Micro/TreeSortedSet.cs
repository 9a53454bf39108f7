using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro;

/// <summary>Our sorted set.</summary>
internal sealed class TreeSortedSet(TreeSource source) : IScoredSet
{
    private SortedSetTree _set = SortedSetTree.Create(source);

    public long MemoryBytes => _set.MemoryBytes;

    public void Set(byte[] member, double score) => _set.Set(source, member, score);

    public double Score(byte[] member) => _set.TryGetScore(source, member, out double score) ? score : -1;

    public long RankOf(byte[] member) => _set.RankOf(source, member);

    public long CountUpTo(double score) => _set.CountBelow(score, isInclusive: true);

    public double Sum(long rank, int count)
    {
        SortedSetCursor cursor = _set.CursorAt(rank);
        double sum = 0;
        do sum += cursor.Score + cursor.Member[^1];
        while (--count > 0 && cursor.MoveNext());
        return sum;
    }

    public void RemoveFirst() => _set.RemoveRange(source, 0, 1);

    public void Release() => _set.Release(source);
}
