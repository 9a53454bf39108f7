namespace Cinnabar.Structures.Listpacks;

/// <summary>The tables of the listpacks that one command looks members up in (<see cref="ListpackIndex"/>).
/// They are valid until a listpack changes, or <see cref="Clear"/>.</summary>
public sealed class ListpackTables
{
    /// <summary>How many there are at most, a kilobyte each: a command may name a million sets.</summary>
    public const int CountMax = 64;

    private ushort[] _slots = [];
    private int _count;

    /// <summary>Forgets all tables.</summary>
    public void Clear() => _count = 0;

    /// <summary>Makes the table of a listpack that is asked often enough.</summary>
    /// <param name="listpack">A sound listpack.</param>
    /// <param name="stride">1: every entry is a member; 2: every second one, and so on.</param>
    /// <param name="questionCount">How many questions there are about.</param>
    /// <returns>The table's number; 0: there is none.</returns>
    public int Add(ListpackReader listpack, int stride, long questionCount)
    {
        if (_count == CountMax || !ListpackIndex.IsWorth(listpack, stride, questionCount)) return 0;
        _count++;
        if (_slots.Length < _count * ListpackIndex.SlotCount)
            Array.Resize(ref _slots, Math.Min(2 * _count, CountMax) * ListpackIndex.SlotCount);
        Of(listpack, _count).Build(stride);
        return _count;
    }

    /// <summary>The table of a listpack.</summary>
    /// <param name="listpack">The listpack.</param>
    /// <param name="number">The table's number, which is not 0.</param>
    public ListpackIndex Of(ListpackReader listpack, int number)
    {
        Debug.Assert(number >= 1 && number <= _count, "there is no such table");
        int first = (number - 1) * ListpackIndex.SlotCount;
        return new ListpackIndex(listpack, _slots.AsSpan(first, ListpackIndex.SlotCount));
    }
}
