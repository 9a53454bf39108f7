using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Platform;

namespace Cinnabar.Load.Requests;

/// <summary>The sizes of values, in bytes: always the same, any in a range, or some with weights.</summary>
public sealed class DataSizes
{
    private const int SizeMax = 512 << 20;
    private readonly int[] _firsts;
    private readonly int[] _lasts;
    private readonly long[] _weightEnds;

    private DataSizes(IEnumerable<(int First, int Last, long Weight)> choices, string text)
    {
        var all = choices.ToList();
        _firsts = [.. all.Select(choice => choice.First)];
        _lasts = [.. all.Select(choice => choice.Last)];
        _weightEnds = new long[all.Count];
        long sum = 0;
        for (int index = 0; index < all.Count; index++)
        {
            bool isWrong = all[index].First < 0 || all[index].Last > SizeMax
                || all[index].First > all[index].Last || all[index].Weight <= 0;
            if (isWrong) throw new LoadException($"no sizes of data from 0 to 512 MB: {text}");
            _weightEnds[index] = sum += all[index].Weight;
        }
        if (all.Count == 0) throw new LoadException("a list of data sizes is empty");
        Text = text;
    }

    /// <summary>The sizes in the words of the command line.</summary>
    public string Text { get; }

    /// <summary>The largest size.</summary>
    public int Maximum => _lasts.Max();

    /// <summary>Whether there is one size only.</summary>
    public bool IsFixed => _firsts.Length == 1 && _firsts[0] == _lasts[0];

    /// <summary>Always <paramref name="size"/> bytes.</summary>
    /// <exception cref="LoadException">It is below 0 or above 512 MB.</exception>
    public static DataSizes Fixed(int size) => new([(size, size, 1)], $"{size}");

    /// <summary>Any size from one to another, both included, each equally likely.</summary>
    /// <exception cref="LoadException">A limit is wrong.</exception>
    public static DataSizes Range(int first, int last) => new([(first, last, 1)], $"{first}-{last}");

    /// <summary>Some sizes, each with its weight.</summary>
    /// <exception cref="LoadException">The list is empty, a size or a weight is wrong.</exception>
    public static DataSizes List(IReadOnlyList<(int Size, long Weight)> sizes) => new(
        sizes.Select(size => (size.Size, size.Size, size.Weight)),
        string.Join(',', sizes.Select(size => $"{size.Size}:{size.Weight}")));

    /// <summary>The next value's size.</summary>
    internal int Next(ref RandomSource random)
    {
        int choice = 0;
        if (_firsts.Length > 1)
        {
            var drawn = (long)random.NextBelow((ulong)_weightEnds[^1]);
            while (drawn >= _weightEnds[choice]) choice++;
        }
        int first = _firsts[choice];
        return first == _lasts[choice] ? first
            : first + (int)random.NextBelow((ulong)(_lasts[choice] - first + 1));
    }
}
