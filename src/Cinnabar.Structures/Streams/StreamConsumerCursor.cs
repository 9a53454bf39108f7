namespace Cinnabar.Structures.Streams;

/// <summary>A walk through a group's consumers, in the order of their names.</summary>
public ref struct StreamConsumerCursor
{
    private NameCursor _names;

    internal StreamConsumerCursor(in NameTree names, ulong group) =>
        _names = new NameCursor(in names, group, default);

    /// <summary>The consumer's name; valid until the stream changes.</summary>
    public readonly ReadOnlySpan<byte> Name => _names.Name;

    /// <summary>The consumer.</summary>
    public readonly StreamConsumer Consumer => MemoryMarshal.Read<StreamConsumer>(_names.Value);

    /// <summary>Goes to the next consumer, at first to the first one; false at the end.</summary>
    public bool MoveNext() => _names.MoveNext();
}
