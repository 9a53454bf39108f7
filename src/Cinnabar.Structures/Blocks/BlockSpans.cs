namespace Cinnabar.Structures.Blocks;

/// <summary>
/// Walks the spans of a part of a <see cref="BlockString"/>, which must not change meanwhile.
/// </summary>
public ref struct BlockSpans
{
    private readonly BlockString _string;
    private long _offset;
    private long _remaining;

    internal BlockSpans(BlockString blockString, long offset, long count)
    {
        _string = blockString;
        _offset = offset;
        _remaining = count;
        Current = default;
    }

    /// <summary>The span the walk has come to.</summary>
    public ReadOnlySpan<byte> Current { get; private set; }

    /// <summary>For <c>foreach</c>.</summary>
    public readonly BlockSpans GetEnumerator() => this;

    /// <summary>Goes on to the next span; false at the end.</summary>
    public bool MoveNext()
    {
        if (_remaining == 0) return false;
        ReadOnlySpan<byte> span = _string.SpanAt(_offset);
        Current = span.Length <= _remaining ? span : span[..(int)_remaining];
        _offset += Current.Length;
        _remaining -= Current.Length;
        return true;
    }
}
