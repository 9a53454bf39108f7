// Takes entries out here and there in one pass: the bytes that stay are moved once, run by run, however many
// entries go (LREM, HDEL of many, fields past their deadlines). Between the first Drop and Complete the
// listpack is not sound: only the sieve may look at it.

namespace Cinnabar.Structures.Listpacks;

/// <summary>Walks over a listpack and removes the entries that its user drops.</summary>
public unsafe ref struct ListpackSieve
{
    private readonly byte* _data;
    private byte* _current;
    private byte* _next;
    private byte* _runStart;    // what stays and is not yet moved: from here to the current entry
    private byte* _output;      // where it is moved to
    private int _droppedCount;

    /// <param name="data">A sound listpack.</param>
    public ListpackSieve(byte* data)
    {
        _data = data;
        _current = _next = _runStart = _output = data + Listpack.HeaderSize;
    }

    /// <summary>What the current entry holds.</summary>
    public readonly ListpackValue Current =>
        ListpackFormat.IsInteger(*_current)
            ? new ListpackValue(ListpackFormat.ReadInteger(_current))
            : new ListpackValue(ListpackFormat.ReadText(_current));

    /// <summary>Goes to the next entry; false: there is none.</summary>
    public bool MoveNext()
    {
        if (*_next == Listpack.Terminator) return false;
        _current = _next;
        _next = ListpackFormat.Skip(_current);
        return true;
    }

    /// <summary>Removes the current entry, which cannot be read afterwards.</summary>
    public void Drop()
    {
        MoveRun(_current);
        _runStart = _next;
        _droppedCount++;
    }

    /// <summary>Ends the walk, at any entry; what was not reached stays.</summary>
    /// <returns>How many entries were taken out.</returns>
    public int Complete()
    {
        if (_droppedCount == 0) return 0;
        MoveRun(_data + Listpack.SizeOf(_data));
        *(int*)_data = (int)(_output - _data);
        ListpackEditor.ChangeCount(_data, -_droppedCount);
        return _droppedCount;
    }

    private void MoveRun(byte* end)
    {
        // SAFETY: the output is never behind the run's start, and what it overwrites was moved or dropped.
        long size = end - _runStart;
        if (_output != _runStart) Buffer.MemoryCopy(_runStart, _output, size, size);
        _output += size;
    }
}
