using Cinnabar.Resp;

namespace Cinnabar.Keyspace.Sets;

/// <summary>A member of a set: its bytes, or the integer that they spell. Valid until the set
/// changes.</summary>
public readonly ref struct SetMember
{
    /// <summary>Room for the text of any integer.</summary>
    public const int ScratchSize = RedisNumber.Int64BytesMax;

    internal SetMember(ReadOnlySpan<byte> text) => Text = text;

    internal SetMember(long integer)
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

    /// <summary>The member's bytes.</summary>
    /// <param name="scratch">Where the text of an integer is written: <see cref="ScratchSize"/>
    /// bytes.</param>
    public ReadOnlySpan<byte> AsText(Span<byte> scratch) =>
        IsInteger ? scratch[..RedisNumber.FormatInt64(Integer, scratch)] : Text;

    /// <summary>The member as an integer, also where it is stored as a text.</summary>
    public bool TryGetInteger(out long integer)
    {
        if (!IsInteger)
            return RedisNumber.TryParseInt64(Text, out integer);
        integer = Integer;
        return true;
    }
}
