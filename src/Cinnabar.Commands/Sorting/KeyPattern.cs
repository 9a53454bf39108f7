namespace Cinnabar.Commands.Sorting;

/// <summary>
/// What BY and GET of SORT name: a key, or a field of a hash, whose name an element completes where the
/// pattern has its first asterisk; "#" is the element itself.
/// </summary>
internal readonly record struct KeyPattern
{
    private readonly int _argument;
    private readonly int _star;
    private readonly int _suffixEnd;

    /// <summary>Reads a pattern.</summary>
    /// <param name="pattern">The pattern.</param>
    /// <param name="argument">The argument it stands in.</param>
    public KeyPattern(ReadOnlySpan<byte> pattern, int argument)
    {
        _argument = argument;
        _star = pattern.IndexOf((byte)'*');
        _suffixEnd = pattern.Length;
        IsElement = pattern.SequenceEqual("#"u8);
        if (_star < 0)
            return;
        // An arrow with nothing behind it is part of the key's name.
        int arrow = pattern[(_star + 1)..].IndexOf("->"u8);
        if (arrow >= 0 && _star + 1 + arrow + 2 < pattern.Length)
            _suffixEnd = _star + 1 + arrow;
        HasField = _suffixEnd < pattern.Length;
    }

    /// <summary>Whether it stands for the element itself.</summary>
    public bool IsElement { get; }

    /// <summary>Whether an element completes it; otherwise there is no such key.</summary>
    public bool HasStar => _star >= 0;

    /// <summary>Whether it names a field of a hash.</summary>
    public bool HasField { get; }

    /// <summary>The name of the field.</summary>
    public ReadOnlySpan<byte> Field(Execution execution)
    {
        Debug.Assert(HasField, "the pattern names no field");
        return execution.Argument(_argument)[(_suffixEnd + 2)..];
    }

    /// <summary>Bytes of the key's name, for an element of such a length.</summary>
    public int KeyLength(int elementLength) => _suffixEnd - 1 + elementLength;

    /// <summary>Writes the key's name.</summary>
    public void WriteKey(Execution execution, ReadOnlySpan<byte> element, Span<byte> target)
    {
        Debug.Assert(HasStar && target.Length >= KeyLength(element.Length), "no key, or no room for it");
        ReadOnlySpan<byte> pattern = execution.Argument(_argument);
        pattern[.._star].CopyTo(target);
        element.CopyTo(target[_star..]);
        pattern[(_star + 1).._suffixEnd].CopyTo(target[(_star + element.Length)..]);
    }
}
