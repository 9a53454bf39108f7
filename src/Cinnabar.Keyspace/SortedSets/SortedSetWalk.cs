using System.Diagnostics.CodeAnalysis;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>
/// Goes through a range of a sorted set's members, from the lowest up or from the highest down. Valid until
/// the next change to the stripe.
/// </summary>
// SAFETY: as SortedSetView's: the execution that reads holds the stripe.
public unsafe ref struct SortedSetWalk
{
    private readonly byte* _pack;
    private readonly bool _isReverse;
    private SortedSetCursor _cursor;
    private long _left;
    private int _position;
    private bool _isStarted;
    private Scratch _scratch;

    internal SortedSetWalk(byte* pack, RankRange range, bool isReverse)
    {
        Unsafe.SkipInit(out _cursor);
        _pack = pack;
        _left = range.Count;
        _isReverse = isReverse;
        if (_left != 0)
            _position = new ListpackReader(pack).Seek(2 * (int)(isReverse ? range.End - 1 : range.First));
    }

    internal SortedSetWalk(scoped in SortedSetTree tree, RankRange range, bool isReverse)
    {
        Unsafe.SkipInit(out _cursor);
        _left = range.Count;
        _isReverse = isReverse;
        if (_left != 0)
            _cursor = tree.CursorAt(isReverse ? range.End - 1 : range.First);
    }

    /// <summary>Members that are still to come.</summary>
    public readonly long CountLeft => _left;

    /// <summary>The member.</summary>
    [UnscopedRef]
    public ReadOnlySpan<byte> Member => _pack == null
        ? _cursor.Member
        : new ListpackReader(_pack)[_position].AsText(_scratch);

    /// <summary>Its score.</summary>
    public readonly double Score
    {
        get
        {
            if (_pack == null)
                return _cursor.Score;
            var reader = new ListpackReader(_pack);
            return SortedSetPack.ScoreAt(reader, reader.Behind(_position));
        }
    }

    /// <summary>Goes to the first or next member; false: there is none left.</summary>
    public bool MoveNext()
    {
        if (_left == 0)
            return false;
        _left--;
        if (!_isStarted)
        {
            _isStarted = true;
            return true;
        }

        if (_pack == null)
            return _isReverse ? _cursor.MoveBack() : _cursor.MoveNext();
        var reader = new ListpackReader(_pack);
        _position = _isReverse
            ? reader.Previous(reader.Previous(_position))
            : reader.Behind(_position, 2);
        return true;
    }

    [InlineArray(ListpackValue.ScratchSize)]
    private struct Scratch
    {
        private byte _first;
    }
}
