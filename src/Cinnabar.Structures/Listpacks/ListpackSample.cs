using Cinnabar.Platform;

namespace Cinnabar.Structures.Listpacks;

/// <summary>
/// Picks some of a listpack's groups of entries, each at most once and all sets equally likely, in one pass.
/// </summary>
/// <remarks>In the listpack's order. Source: selection sampling, D. Knuth, The Art of Computer Programming,
/// 3.4.2, algorithm S.</remarks>
public unsafe ref struct ListpackSample
{
    private readonly byte* _data;
    private readonly int _stride;
    private readonly ref RandomSource _random;
    private int _groupsLeft;
    private int _picksLeft;
    private int _next;

    /// <param name="data">A sound listpack whose count is a multiple of the stride.</param>
    /// <param name="stride">Entries of a group: 2 for fields and their values.</param>
    /// <param name="count">How many groups; all are picked if there are not more.</param>
    /// <param name="random">What decides.</param>
    public ListpackSample(byte* data, int stride, int count, ref RandomSource random)
    {
        _data = data;
        _stride = stride;
        _random = ref random;
        _groupsLeft = new ListpackReader(data).Count / stride;
        _picksLeft = count < _groupsLeft ? count : _groupsLeft;
        _next = Listpack.HeaderSize;
    }

    /// <summary>The position of the first entry of the current pick.</summary>
    public int Position { get; private set; }

    /// <summary>Goes to the next pick; false: there is none.</summary>
    public bool MoveNext()
    {
        if (_picksLeft == 0) return false;
        var reader = new ListpackReader(_data);
        while (true)
        {
            Position = _next;
            _next = reader.Behind(_next, _stride);
            if (_random.NextBelow((ulong)_groupsLeft--) >= (ulong)_picksLeft) continue;
            _picksLeft--;
            return true;
        }
    }
}
