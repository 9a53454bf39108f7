// Puts indexes in order by their keys (SortKeys). Keys that are numbers are sorted fast; indexes whose keys
// are the same come to stand together, and only these are compared with each other in full.
using System;
using System.Buffers;
using System.Collections.Generic;

namespace Cinnabar.Commands.Sorting;

/// <summary>The order of things that are known by their index, in rented memory.</summary>
internal struct SortedOrder : IDisposable
{
    private readonly ulong[] _keys;
    private readonly int[] _indexes;
    private readonly int _count;

    /// <summary>Begins with the order in which things are.</summary>
    /// <param name="count">How many things there are.</param>
    public SortedOrder(int count)
    {
        _count = count;
        _keys = ArrayPool<ulong>.Shared.Rent(count);
        _indexes = ArrayPool<int>.Shared.Rent(count);
        Span<int> indexes = _indexes.AsSpan(0, count);
        for (int index = 0; index < count; index++)
            indexes[index] = index;
    }

    /// <summary>The key of each thing, to be filled in before it is sorted; then they are no good any
    /// more.</summary>
    public readonly Span<ulong> Keys => _keys.AsSpan(0, _count);

    /// <summary>The indexes in order.</summary>
    public readonly Span<int> Indexes => _indexes.AsSpan(0, _count);

    /// <summary>Sorts by the keys, ascending.</summary>
    /// <param name="ties">Decides between indexes with the same key; must not call any two equal.</param>
    public readonly void Sort(IComparer<int> ties)
    {
        Span<ulong> keys = Keys;
        Span<int> indexes = Indexes;
        keys.Sort(indexes);
        for (int start = 0; start < keys.Length;)
        {
            int end = start + 1;
            while (end < keys.Length && keys[end] == keys[start])
                end++;
            if (end - start > 1)
                indexes[start..end].Sort(ties);
            start = end;
        }
    }

    /// <summary>Gives the memory back.</summary>
    public readonly void Dispose()
    {
        ArrayPool<ulong>.Shared.Return(_keys);
        ArrayPool<int>.Shared.Return(_indexes);
    }
}
