using Cinnabar.Structures.Bits;

namespace Cinnabar.Commands.Bitmaps;

/// <summary>
/// The source strings of a BITOP. They are looked up again for each piece, which is cheap beside the work on
/// it and needs no memory.
/// </summary>
internal readonly ref struct BitSources : IBitSources
{
    /// <summary>The argument that names the first source.</summary>
    public const int FirstIndex = 3;

    private readonly Execution _execution;
    private readonly Span<byte> _digits;

    /// <summary>Takes the sources from an execution's arguments; they must be strings or missing.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="digits">Room to spell an integer out: <see cref="RedisNumber.Int64BytesMax"/>
    /// bytes.</param>
    public BitSources(Execution execution, Span<byte> digits)
    {
        Debug.Assert(digits.Length >= RedisNumber.Int64BytesMax, "too little room for an integer");
        _execution = execution;
        _digits = digits;
    }

    public int Count => _execution.ArgumentCount - FirstIndex;

    public ReadOnlySpan<byte> SpanAt(int sourceIndex, long offset)
    {
        Debug.Assert((uint)sourceIndex < Count && offset >= 0, "no place in a source");
        EntryView entry = _execution.Kept(FirstIndex + sourceIndex);
        if (entry.IsMissing || offset >= entry.StringLength)
            return default;
        if (entry.Encoding != KeyEncoding.Int)
            return entry.BytesAt(offset);
        int length = RedisNumber.FormatInt64(entry.Integer, _digits);
        return _digits[(int)offset..length];
    }
}
