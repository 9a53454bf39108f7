namespace Cinnabar.Structures.Listpacks;

/// <summary>Walks over the entries of a listpack.</summary>
public unsafe ref struct ListpackEnumerator
{
    private readonly byte* _data;
    private byte* _next;

    internal ListpackEnumerator(byte* data)
    {
        _data = data;
        _next = data + Listpack.HeaderSize;
    }

    /// <summary>The position of the current entry.</summary>
    public int Position { get; private set; }

    /// <summary>What the current entry holds.</summary>
    public readonly ListpackValue Current => new ListpackReader(_data)[Position];

    /// <summary>Goes to the next entry; false: there is none.</summary>
    public bool MoveNext()
    {
        // SAFETY: a sound listpack ends with the terminator, which no entry begins with.
        if (*_next == Listpack.Terminator) return false;
        Position = (int)(_next - _data);
        _next = ListpackFormat.Skip(_next);
        return true;
    }
}
