using System.Diagnostics.CodeAnalysis;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.SortedSets;

// SAFETY: as of the set it stands in, whose user keeps it from changing.
/// <summary>A member of a <see cref="SortedSetTree"/>, from which to go on in both directions.</summary>
public unsafe ref struct SortedSetCursor
{
    private TreePath _path;
    private int _index;

    internal SortedSetCursor(PageTree order, long rank) => _index = order.SeekRank(rank, out _path);

    internal SortedSetCursor(PageTree order, bool isLast)
    {
        order.SeekEdge(isLast, out _path);
        _index = isLast ? _path.Page->Count - 1 : 0;
    }

    /// <summary>The page that the member is in.</summary>
    [UnscopedRef]
    internal ref TreePath Path => ref _path;

    /// <summary>Which record of it.</summary>
    internal readonly int Index => _index;

    /// <summary>The member; valid until the set changes.</summary>
    public readonly ReadOnlySpan<byte> Member => OrderRecord.Member(_path.Page, _index);

    /// <summary>Its score.</summary>
    public readonly double Score => OrderRecord.Score(_path.Page, _index);

    /// <summary>Goes to the next higher member; returns false, and stays, on the last.</summary>
    public bool MoveNext()
    {
        if (_index + 1 < _path.Page->Count)
        {
            _index++;
            return true;
        }
        if (!_path.MoveNext()) return false;
        _index = 0;
        return true;
    }

    /// <summary>Goes to the next lower member; returns false, and stays, on the first.</summary>
    public bool MoveBack()
    {
        if (_index > 0)
        {
            _index--;
            return true;
        }
        if (!_path.MoveBack()) return false;
        _index = _path.Page->Count - 1;
        return true;
    }
}
