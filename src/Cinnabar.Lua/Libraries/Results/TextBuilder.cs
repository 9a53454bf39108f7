using System.Buffers;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Results;

/// <summary>Bytes that grow to a string. The array is borrowed from the shared pool; growth is charged to the
/// script, so a string beyond its limit is refused before there is memory for it.</summary>
internal ref struct TextBuilder
{
    private const int SizeMin = 256;

    private readonly LuaCall _call;
    private byte[] _bytes;

    internal TextBuilder(LuaCall call, int size = SizeMin)
    {
        _call = call;
        if (size > SizeMin) call.Charge(size);
        _bytes = ArrayPool<byte>.Shared.Rent(Math.Max(SizeMin, size));
    }

    /// <summary>How many bytes there are.</summary>
    internal int Length { get; private set; }

    /// <summary>What there is.</summary>
    internal readonly ReadOnlySpan<byte> Written => _bytes.AsSpan(0, Length);

    /// <summary>Appends a byte.</summary>
    internal void Append(byte value)
    {
        if (Length == _bytes.Length) Grow(1);
        _bytes[Length++] = value;
    }

    /// <summary>Appends bytes.</summary>
    internal void Append(ReadOnlySpan<byte> text)
    {
        if (_bytes.Length - Length < text.Length) Grow(text.Length);
        text.CopyTo(_bytes.AsSpan(Length));
        Length += text.Length;
    }

    /// <summary>Room for bytes, which <see cref="Advance"/> makes part of the text.</summary>
    internal Span<byte> Reserve(int size)
    {
        if (_bytes.Length - Length < size) Grow(size);
        return _bytes.AsSpan(Length);
    }

    /// <summary>Takes over what was written to the reserved room.</summary>
    internal void Advance(int size)
    {
        Debug.Assert(size >= 0 && Length + size <= _bytes.Length, "It was reserved.");
        Length += size;
    }

    /// <summary>Appends a number as <c>tostring</c> writes it.</summary>
    internal void AppendNumber(double value) =>
        Advance(NumberText.Format(value, Reserve(NumberText.LengthMax)));

    /// <summary>Drops what follows a length.</summary>
    internal void Truncate(int length)
    {
        Debug.Assert(length >= 0 && length <= Length, "A text is made shorter.");
        Length = length;
    }

    /// <summary>Ends the text: makes the string and gives the array back.</summary>
    internal LuaValue End()
    {
        LuaValue value = _call.NewString(Written);
        Dispose();
        return value;
    }

    /// <summary>Gives the array back. After an exception the collector takes it instead.</summary>
    internal void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = [];
        Length = 0;
    }

    private void Grow(int needed)
    {
        long size = Math.Max(2L * _bytes.Length, (long)Length + needed);
        if (size > Array.MaxLength) size = Math.Max((long)Length + needed, Array.MaxLength);
        _call.Charge(size);
        if (size > Array.MaxLength) throw new LuaMemoryException();
        byte[] larger = ArrayPool<byte>.Shared.Rent((int)size);
        Written.CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = larger;
    }
}
