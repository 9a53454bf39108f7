namespace Cinnabar.Structures.Listpacks;

/// <summary>A gap in a listpack, filled from its beginning to its end.</summary>
public unsafe ref struct ListpackGap
{
    private byte* _next;
    private int _sizeLeft;
    private int _countLeft;

    internal ListpackGap(byte* start, int size, int count)
    {
        _next = start;
        _sizeLeft = size;
        _countLeft = count;
    }

    /// <summary>Writes the next entry.</summary>
    /// <exception cref="InvalidOperationException">There is no room for it.</exception>
    public void Write(in ListpackElement element)
    {
        if (element.Size > _sizeLeft || _countLeft == 0)
            throw new InvalidOperationException("A gap in a listpack got more than it was opened for.");
        // SAFETY: what is left of the gap has as many bytes.
        element.Write(_next);
        _next += element.Size;
        _sizeLeft -= (int)element.Size;
        _countLeft--;
    }

    /// <summary>Ends the writing.</summary>
    /// <exception cref="InvalidOperationException">Less was written than the gap was opened
    /// for.</exception>
    public readonly void Complete()
    {
        if (_sizeLeft != 0 || _countLeft != 0)
            throw new InvalidOperationException("A gap in a listpack got less than it was opened for.");
    }
}
