using Cinnabar.Keyspace.Strings;

namespace Cinnabar.Commands.Bitmaps;

/// <summary>
/// The bytes that a field of up to 64 bits lies in: at most nine, fetched from wherever they are, as one
/// number with the first byte highest. What is behind the end of the string reads as zeros.
/// </summary>
internal readonly struct BitFieldWindow
{
    private const int SizeMax = 9;

    private readonly UInt128 _bits;
    private readonly int _size;
    private readonly int _shift;
    private readonly BitFieldType _type;

    private BitFieldWindow(in BitFieldOperation operation, UInt128 bits, int size)
    {
        _type = operation.Type;
        _bits = bits;
        _size = size;
        _shift = (size * 8) - (int)(operation.Offset & 7) - operation.Type.BitCount;
        Debug.Assert(size is > 0 and <= SizeMax && _shift is >= 0 and < 8, "the field ends elsewhere");
    }

    /// <summary>The field's value.</summary>
    public long Value => _type.Wrap((long)(ulong)(_bits >> _shift));

    /// <summary>Fetches a field from a string that is only read.</summary>
    public static BitFieldWindow Read(in StringView text, in BitFieldOperation operation)
    {
        int size = SizeOf(operation);
        Span<byte> bytes = stackalloc byte[SizeMax];
        long offset = operation.Offset >> 3;
        int count = (int)Math.Clamp(text.Length - offset, 0, size);
        text.CopyTo(offset, bytes[..count]);
        return new BitFieldWindow(in operation, Compose(bytes[..size]), size);
    }

    /// <summary>Fetches a field from a string that is being written.</summary>
    public static BitFieldWindow Read(ref StringEditor editor, in BitFieldOperation operation)
    {
        int size = SizeOf(operation);
        Span<byte> bytes = stackalloc byte[SizeMax];
        long offset = operation.Offset >> 3;
        int count = (int)Math.Clamp(editor.Length - offset, 0, size);
        for (int done = 0; done < count;)
        {
            ReadOnlySpan<byte> piece = editor.SpanAt(offset + done);
            piece = piece[..Math.Min(piece.Length, count - done)];
            piece.CopyTo(bytes[done..]);
            done += piece.Length;
        }

        return new BitFieldWindow(in operation, Compose(bytes[..size]), size);
    }

    /// <summary>Writes a value into the field that was fetched; the string reaches as far as the
    /// field.</summary>
    public void Write(ref StringEditor editor, in BitFieldOperation operation, long value)
    {
        Debug.Assert(editor.Length > operation.LastBit >> 3, "the string ends before the field");
        UInt128 mask = (UInt128)(ulong.MaxValue >> (64 - _type.BitCount)) << _shift;
        UInt128 bits = (_bits & ~mask) | (((UInt128)(ulong)value << _shift) & mask);
        Span<byte> bytes = stackalloc byte[SizeMax];
        for (int index = _size - 1; index >= 0; index--)
        {
            bytes[index] = (byte)bits;
            bits >>= 8;
        }

        editor.Write(operation.Offset >> 3, bytes[.._size]);
    }

    private static int SizeOf(in BitFieldOperation operation) =>
        (int)((operation.LastBit >> 3) - (operation.Offset >> 3)) + 1;

    private static UInt128 Compose(ReadOnlySpan<byte> bytes)
    {
        UInt128 bits = 0;
        foreach (byte value in bytes)
            bits = (bits << 8) | value;
        return bits;
    }
}
