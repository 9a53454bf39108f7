namespace Cinnabar.Memory;

/// <summary>The regions with free slabs, listed by which slabs are free; guarded by their page source's
/// lock.</summary>
internal sealed class FreeRegions
{
    // Partly used regions come first, so that others become empty.
    private const int WithFirst = 0; // partly in use, and the first, shorter slab is free
    private const int WithWhole = 1; // partly in use, and another slab is free
    private const int Empty = 2;

    private readonly List<Region>[] _lists = [[], [], []];

    /// <summary>The number of regions whose slabs are all free.</summary>
    internal int EmptyCount => _lists[Empty].Count;

    /// <summary>Any empty region; there must be one.</summary>
    internal Region AnyEmpty => _lists[Empty][^1];

    /// <summary>A region with a free slab.</summary>
    /// <param name="mayBeFirst">Whether a region's first, shorter slab is long enough.</param>
    /// <param name="isFirst">Whether to take its first slab.</param>
    internal Region? Find(bool mayBeFirst, out bool isFirst)
    {
        isFirst = mayBeFirst;
        if (mayBeFirst && _lists[WithFirst] is [.., Region withFirst])
            return withFirst;
        isFirst = false;
        if (_lists[WithWhole] is [.., Region withWhole])
            return withWhole;
        isFirst = mayBeFirst;
        return _lists[Empty] is [.., Region empty] ? empty : null;
    }

    /// <summary>Lists a region by its free slabs.</summary>
    internal void Note(Region region)
    {
        bool isEmpty = region.IsEmpty;
        List(region, WithFirst, !isEmpty && region.HasFirst);
        List(region, WithWhole, !isEmpty && region.HasWhole);
        List(region, Empty, isEmpty);
    }

    /// <summary>Removes a region from all lists.</summary>
    internal void Remove(Region region)
    {
        for (int kind = 0; kind < _lists.Length; kind++)
            List(region, kind, isListed: false);
    }

    /// <summary>Forgets all regions.</summary>
    internal void Clear()
    {
        foreach (List<Region> list in _lists)
            list.Clear();
    }

    // Lists have no order: the last region takes the place of a removed one.
    private void List(Region region, int kind, bool isListed)
    {
        List<Region> list = _lists[kind];
        int place = region.Places[kind];
        if (isListed == place >= 0)
            return;
        if (isListed)
        {
            region.Places[kind] = list.Count;
            list.Add(region);
            return;
        }

        list[place] = list[^1];
        list[place].Places[kind] = place;
        list.RemoveAt(list.Count - 1);
        region.Places[kind] = -1;
    }
}
