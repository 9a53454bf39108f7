using Cinnabar.Structures.Blocks;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>A long string, to be read in pieces.</summary>
internal readonly ref struct LongText
{
    /// <summary>The longest piece in bytes.</summary>
    internal const int PieceMax = 64 << 10;

    private readonly ReadOnlySpan<byte> _bytes;
    private readonly BlockString _blocks;

    internal LongText(ReadOnlySpan<byte> bytes)
    {
        _bytes = bytes;
        Length = bytes.Length;
    }

    internal LongText(BlockString blocks)
    {
        _blocks = blocks;
        Length = blocks.Length;
    }

    /// <summary>Bytes.</summary>
    internal long Length { get; }

    /// <summary>The piece that begins at an offset; at least one byte before the end.</summary>
    internal ReadOnlySpan<byte> PieceAt(long offset)
    {
        ReadOnlySpan<byte> piece = _blocks.IsNull ? _bytes[(int)offset..] : _blocks.SpanAt(offset);
        return piece.Length > PieceMax ? piece[..PieceMax] : piece;
    }
}
