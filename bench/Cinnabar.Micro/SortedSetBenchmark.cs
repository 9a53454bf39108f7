using System;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Micro;

/// <summary>A sorted set of members of 16 bytes with random scores.</summary>
internal sealed class SortedSetBenchmark(Stretches stretches, int count)
{
    private readonly byte[] _member = new byte[16];
    private RandomSource _random = new(7);
    private SortedSetTree _set;

    internal void Run()
    {
        using var pages = new PageSource(isChecked: false);
        using var source = new TreeSource(pages, new HashSeed(1, 2), arenaCount: 1);
        _set = SortedSetTree.Create(source);
        if (stretches.IsPrinting) Console.WriteLine("sorted set");
        stretches.Measure("add", count, index => _set.Set(source, Member(index), _random.NextDouble()));
        stretches.Print("memory", _set.MemoryBytes / (double)count);
        stretches.Print("memory mapped", source.MappedBytes / (double)count);
        stretches.Measure("score", count / 2, _ =>
            _set.TryGetScore(source, Member(RandomIndex()), out double _));
        stretches.Measure("rank", count / 2, _ => _set.RankOf(source, Member(RandomIndex())));
        stretches.Measure("100 by rank", count / 10, _ => Walk(RandomIndex()));
        stretches.Measure("count of a range of scores", count / 10, _ =>
            _set.CountBelow(_random.NextDouble(), isInclusive: true));
        stretches.Measure("new score", count / 5, _ =>
            _set.Set(source, Member(RandomIndex()), _random.NextDouble()));
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

    private int RandomIndex() => (int)_random.NextBelow((ulong)count);

    private byte[] Member(int number)
    {
        "member:"u8.CopyTo(_member);
        for (int at = 15; at >= 7; at--, number /= 10) _member[at] = (byte)('0' + number % 10);
        return _member;
    }
}
