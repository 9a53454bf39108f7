using Cinnabar.Resp;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Hashes;

/// <summary>
/// A field's name or value as it lies in a hash: bytes, or an integer whose text it is. Valid until the hash
/// changes.
/// </summary>
public readonly ref struct FieldText
{
    /// <summary>Room for the text of any integer.</summary>
    public const int ScratchSize = RedisNumber.Int64BytesMax;

    internal FieldText(ReadOnlySpan<byte> bytes) => Bytes = bytes;

    internal FieldText(ListpackValue value)
    {
        IsInteger = value.IsInteger;
        Integer = value.Integer;
        Bytes = value.Text;
    }

    /// <summary>Whether it is stored as an integer.</summary>
    public bool IsInteger { get; }

    /// <summary>The integer; 0 for bytes.</summary>
    public long Integer { get; }

    /// <summary>The bytes; empty for an integer.</summary>
    public ReadOnlySpan<byte> Bytes { get; }

    /// <summary>Bytes of the text.</summary>
    public int Length => IsInteger ? RedisNumber.LengthOfInt64(Integer) : Bytes.Length;

    /// <summary>The text.</summary>
    /// <param name="scratch">Where the text of an integer is written: <see cref="ScratchSize"/>
    /// bytes.</param>
    public ReadOnlySpan<byte> AsText(Span<byte> scratch) =>
        IsInteger ? scratch[..RedisNumber.FormatInt64(Integer, scratch)] : Bytes;

    /// <summary>The text as an integer, where it is one's canonical form.</summary>
    public bool TryGetInteger(out long integer)
    {
        integer = Integer;
        return IsInteger || RedisNumber.TryParseInt64(Bytes, out integer);
    }
}
