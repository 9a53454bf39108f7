using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Keyspace.Strings;

/// <summary>
/// Writes into a string of fixed length, of an execution that holds its stripe; made by
/// <see cref="StringStore.Edit"/> and valid until the next change to the stripe.
/// </summary>
public unsafe ref struct StringEditor
{
    // SAFETY: `_data` is the payload of a live inline entry; `_entry` holds the handle of `_blocks`.
    private readonly byte* _data;
    private readonly byte* _entry;
    private readonly BlockSource? _source;
    private BlockString _blocks;

    internal StringEditor(byte* data, long length)
    {
        _data = data;
        Length = length;
    }

    internal StringEditor(byte* entry, BlockString blocks, BlockSource source)
    {
        _source = source;
        _entry = entry;
        _blocks = blocks;
        Length = blocks.Length;
    }

    /// <summary>Length in bytes.</summary>
    public long Length { get; }

    /// <summary>The bytes from <paramref name="offset"/> on, as many as are contiguous.</summary>
    public Span<byte> SpanAt(long offset)
    {
        if (_entry == null)
            return new Span<byte>(_data + offset, (int)(Length - offset));
        Span<byte> span = _blocks.WritableSpanAt(_source!, offset);
        Unsafe.WriteUnaligned(KeyEntry.Value(_entry), _blocks.Address);
        return span;
    }

    /// <summary>Overwrites the bytes from <paramref name="offset"/> on.</summary>
    public void Write(long offset, scoped ReadOnlySpan<byte> source)
    {
        while (source.Length > 0)
        {
            Span<byte> target = SpanAt(offset);
            ReadOnlySpan<byte> piece = source.Length > target.Length ? source[..target.Length] : source;
            piece.CopyTo(target);
            source = source[piece.Length..];
            offset += piece.Length;
        }
    }
}
