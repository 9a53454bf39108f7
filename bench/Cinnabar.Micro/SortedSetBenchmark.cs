using System;
using Cinnabar.Memory;
using Cinnabar.Structures;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro;

/// <summary>A sorted set of members of 16 bytes with random scores.</summary>
internal sealed class SortedSetBenchmark(Stretches stretches, int count)
{
    private readonly Members _members = new(count);
    private SortedSetTree _set;

    internal void Run()
    {
        using var pages = new PageSource(isChecked: false);
        using var source = new TreeSource(pages, new HashSeed(1, 2), arenaCount: 1);
        _set = SortedSetTree.Create(source);
        if (stretches.IsPrinting) Console.WriteLine("sorted set");
        stretches.Measure("add", count, index => _set.Set(source, _members[index], _members.RandomScore()));
        stretches.Print("memory", _set.MemoryBytes / (double)count);
        stretches.Print("memory mapped", source.MappedBytes / (double)count);
        stretches.Measure("score", count / 2, _ =>
            _set.TryGetScore(source, _members[_members.RandomIndex()], out double _));
        stretches.Measure("rank", count / 2, _ => _set.RankOf(source, _members[_members.RandomIndex()]));
        stretches.Measure("100 by rank", count / 10, _ => Walk(_members.RandomIndex()));
        stretches.Measure("count of a range of scores", count / 10, _ =>
            _set.CountBelow(_members.RandomScore(), isInclusive: true));
        stretches.Measure("new score", count / 5, _ =>
            _set.Set(source, _members[_members.RandomIndex()], _members.RandomScore()));
        stretches.Measure("pop the lowest", count / 2, _ => _set.RemoveRange(source, 0, 1));
        _set.Release(source);
    }

    private void Walk(int rank)
    {
        SortedSetCursor cursor = _set.CursorAt(rank);
        double sum = 0;
        int left = 100;
        do sum += cursor.Score + cursor.Member[^1];
        while (--left > 0 && cursor.MoveNext());
        if (double.IsNaN(sum)) throw new InvalidOperationException();
    }
}
