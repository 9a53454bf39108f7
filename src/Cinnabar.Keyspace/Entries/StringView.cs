using System.Diagnostics.CodeAnalysis;
using Cinnabar.Resp;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Keyspace.Entries;

/// <summary>
/// The bytes of a string value however it is stored: a sequence of spans (<see cref="SpanAt"/>), a single one
/// for all but big values. Valid until the next change to the stripe.
/// </summary>
public unsafe ref struct StringView
{
    private const int DigitCountMax = 24;

    // SAFETY: as EntryView's: the execution that reads holds the stripe.
    private readonly byte* _data;
    private readonly BlockString _blocks;
    private readonly bool _isBlocks;
    private readonly bool _isInteger;
    private Digits _digits;

    internal StringView(byte* entry)
    {
        byte* value = KeyEntry.Value(entry);
        switch (KeyEntry.Encoding(entry))
        {
            case KeyEncoding.Int:
                _isInteger = true;
                Length = RedisNumber.FormatInt64(Unsafe.ReadUnaligned<long>(value), _digits);
                break;
            case KeyEncoding.Blocks:
                _isBlocks = true;
                _blocks = BlockString.FromAddress(Unsafe.ReadUnaligned<nint>(value));
                Length = _blocks.Length;
                break;
            default:
                _data = value;
                Length = KeyEntry.InlineLength(entry);
                break;
        }
    }

    /// <summary>Length in bytes.</summary>
    public long Length { get; }

    /// <summary>Whether <see cref="Span"/> is the whole string.</summary>
    public readonly bool IsContiguous => !_isBlocks;

    /// <summary>The whole string, where it is contiguous.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<byte> Span => SpanAt(0);

    /// <summary>The bytes from <paramref name="offset"/> on, as many as are contiguous: at least one before
    /// the end.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<byte> SpanAt(long offset)
    {
        if (_isBlocks)
            return _blocks.SpanAt(offset);
        if (_isInteger)
            return ((ReadOnlySpan<byte>)_digits)[(int)offset..(int)Length];
        return new ReadOnlySpan<byte>(_data + offset, (int)(Length - offset));
    }

    /// <summary>Copies the bytes from <paramref name="offset"/> on, as many as <paramref name="target"/>
    /// takes.</summary>
    public readonly void CopyTo(long offset, Span<byte> target)
    {
        while (target.Length > 0)
        {
            ReadOnlySpan<byte> piece = SpanAt(offset);
            if (piece.Length > target.Length)
                piece = piece[..target.Length];
            piece.CopyTo(target);
            target = target[piece.Length..];
            offset += piece.Length;
        }
    }

    /// <summary>Whether the string consists of exactly these bytes.</summary>
    public readonly bool SequenceEqual(ReadOnlySpan<byte> other)
    {
        if (other.Length != Length)
            return false;
        for (int offset = 0; offset < other.Length;)
        {
            ReadOnlySpan<byte> piece = SpanAt(offset);
            if (!piece.SequenceEqual(other.Slice(offset, piece.Length)))
                return false;
            offset += piece.Length;
        }

        return true;
    }

    [InlineArray(DigitCountMax)]
    private struct Digits
    {
        private byte _first;
    }
}
