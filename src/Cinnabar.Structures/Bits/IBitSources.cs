namespace Cinnabar.Structures.Bits;

/// <summary>
/// The operands of <see cref="BitCombine"/>: byte strings of unequal lengths, each in any number of pieces.
/// </summary>
public interface IBitSources
{
    /// <summary>How many operands there are, at least one.</summary>
    int Count { get; }

    /// <summary>
    /// The bytes of an operand from an offset on, as far as they lie together; empty only at or behind its
    /// end.
    /// </summary>
    ReadOnlySpan<byte> SpanAt(int sourceIndex, long offset);
}
