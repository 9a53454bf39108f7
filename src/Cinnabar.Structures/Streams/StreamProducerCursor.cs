namespace Cinnabar.Structures.Streams;

// SAFETY: reads a tree that its user keeps from changing.
/// <summary>Goes through the producers of a stream, and through the IDs of each that are
/// remembered.</summary>
public unsafe ref struct StreamProducerCursor
{
    private readonly ref readonly NameTree _tree;
    private NameCursor _producers;
    private NameCursor _ids;

    internal StreamProducerCursor(in NameTree tree)
    {
        _tree = ref tree;
        _producers = new NameCursor(in tree, 0, default);
    }

    /// <summary>The producer's name.</summary>
    public readonly ReadOnlySpan<byte> Name => _producers.Name;

    /// <summary>How many IDs of the producer are remembered.</summary>
    public readonly long IdCount =>
        _tree.CountBefore(Number + 1, default) - _tree.CountBefore(Number, default);

    /// <summary>The producer's ID of an entry.</summary>
    public readonly ReadOnlySpan<byte> Id => _ids.Value;

    /// <summary>The ID of that entry.</summary>
    public readonly StreamId Entry => StreamProducers.ReadAge(_ids.Name);

    private readonly ulong Number => MemoryMarshal.Read<ulong>(_producers.Value);

    /// <summary>Goes to the next producer, at first to the first one; false at the end.</summary>
    public bool MoveNext()
    {
        if (!_producers.MoveNext()) return false;
        _ids = new NameCursor(in _tree, StreamProducers.AgesOf(Number), default);
        return true;
    }

    /// <summary>Goes to the producer's next ID, the oldest first; false at the end.</summary>
    public bool MoveNextId() => _ids.MoveNext();
}
