namespace Cinnabar.Structures.Streams;

/// <summary>A walk through a stream's groups, in the order of their names.</summary>
public ref struct StreamGroupCursor
{
    private NameCursor _names;

    internal StreamGroupCursor(in NameTree names) => _names = new NameCursor(in names, 0, default);

    /// <summary>The group's name; valid until the stream changes.</summary>
    public readonly ReadOnlySpan<byte> Name => _names.Name;

    /// <summary>The group.</summary>
    public readonly StreamGroup Group => MemoryMarshal.Read<StreamGroup>(_names.Value);

    /// <summary>Goes to the next group, at first to the first one; false at the end.</summary>
    public bool MoveNext() => _names.MoveNext();
}
