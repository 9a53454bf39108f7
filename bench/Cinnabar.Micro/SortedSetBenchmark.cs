using System;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro;

/// <summary>A sorted set of members of 16 bytes with random scores, on a tree or on a skip list.</summary>
internal sealed class SortedSetBenchmark(Stretches stretches, int count, bool isSkipList)
{
    private const int RangeLength = 100;
    private readonly Members _members = new(count);

    internal void Run()
    {
        using var pages = new PageSource(isChecked: false);
        using var source = new TreeSource(pages, new HashSeed(1, 2), arenaCount: 1);
        IScoredSet set = isSkipList ? new SkipListSortedSet(pages, source) : new TreeSortedSet(source);
        if (stretches.IsPrinting) Console.WriteLine(isSkipList ? "sorted set, a skip list" : "sorted set");
        stretches.Measure("add", count, index => set.Set(_members[index], _members.RandomScore()));
        stretches.Print("memory", set.MemoryBytes / (double)count);
        stretches.Measure("score", count / 2, _ => set.Score(_members[_members.RandomIndex()]));
        stretches.Measure("rank", count / 2, _ => set.RankOf(_members[_members.RandomIndex()]));
        stretches.Measure("100 by rank", count / 10, _ => Walk(set));
        stretches.Measure("count of a range of scores", count / 10, _ =>
            set.CountUpTo(_members.RandomScore()));
        stretches.Measure("new score", count / 5, _ =>
            set.Set(_members[_members.RandomIndex()], _members.RandomScore()));
        stretches.Measure("pop the lowest", count / 2, _ => set.RemoveFirst());
        set.Release();
    }

    private void Walk(IScoredSet set)
    {
        if (double.IsNaN(set.Sum(_members.RandomIndex(), RangeLength))) throw new InvalidOperationException();
    }
}
