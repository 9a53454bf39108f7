using Cinnabar.Resp;

namespace Cinnabar.Structures.Listpacks;

/// <summary>What an entry holds: an integer, or the bytes of a text as they lie in the listpack.</summary>
/// <remarks>The bytes are valid until the listpack is changed or moved.</remarks>
public readonly ref struct ListpackValue
{
    /// <summary>Room for the text of any integer.</summary>
    public const int ScratchSize = RedisNumber.Int64BytesMax;

    internal ListpackValue(ReadOnlySpan<byte> text) => Text = text;

    internal ListpackValue(long integer)
    {
        Integer = integer;
        IsInteger = true;
    }

    /// <summary>Whether it is stored as an integer.</summary>
    public bool IsInteger { get; }

    /// <summary>The integer; 0 for a text.</summary>
    public long Integer { get; }

    /// <summary>The text; empty for an integer.</summary>
    public ReadOnlySpan<byte> Text { get; }

    /// <summary>Bytes of the value as a text.</summary>
    public int Length => IsInteger ? RedisNumber.LengthOfInt64(Integer) : Text.Length;

    /// <summary>The value as a text.</summary>
    /// <param name="scratch">Where the text of an integer is written: <see cref="ScratchSize"/>
    /// bytes.</param>
    public ReadOnlySpan<byte> AsText(Span<byte> scratch) =>
        IsInteger ? scratch[..RedisNumber.FormatInt64(Integer, scratch)] : Text;

    /// <summary>Whether the value as a text is this one.</summary>
    public bool Equals(ReadOnlySpan<byte> text)
    {
        if (!IsInteger) return Text.SequenceEqual(text);
        return RedisNumber.TryParseInt64(text, out long integer) && integer == Integer;
    }

    /// <summary>The value as an integer, also where a text that should be one is stored as a
    /// text.</summary>
    public bool TryGetInteger(out long integer)
    {
        if (!IsInteger) return RedisNumber.TryParseInt64(Text, out integer);
        integer = Integer;
        return true;
    }
}
