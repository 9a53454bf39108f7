using Cinnabar.Resp;
using Cinnabar.Structures.Compression;

namespace Cinnabar.Persistence.Rdb.Reading;

/// <summary>A string as it is written; valid as long as the bytes that it was read from.</summary>
public readonly ref struct RdbString
{
    /// <summary>A byte of LZF stands for at most so many: three bytes for a copy of 264.</summary>
    internal const int ExpansionMax = 88;

    /// <summary>The longest string there may be; Redis's own limit for what LZF says it expands to.</summary>
    internal const long LengthMax = int.MaxValue - 1024;

    private readonly long _offset;

    internal RdbString(ReadOnlySpan<byte> bytes, long offset)
    {
        Stored = bytes;
        Length = bytes.Length;
        _offset = offset;
    }

    internal RdbString(long integer)
    {
        Kind = RdbStringKind.Integer;
        Integer = integer;
        Length = RedisNumber.LengthOfInt64(integer);
    }

    internal RdbString(ReadOnlySpan<byte> compressed, int length, long offset)
    {
        Kind = RdbStringKind.Compressed;
        Stored = compressed;
        Length = length;
        _offset = offset;
    }

    /// <summary>How it is written.</summary>
    public RdbStringKind Kind { get; }

    /// <summary>Its bytes, or the compressed ones.</summary>
    public ReadOnlySpan<byte> Stored { get; }

    /// <summary>The number of an integer.</summary>
    public long Integer { get; }

    /// <summary>Bytes of the string.</summary>
    public int Length { get; }

    /// <summary>Writes the string.</summary>
    /// <param name="target">At least <see cref="Length"/> bytes.</param>
    /// <exception cref="RdbFormatException">It is no LZF, or not of this length.</exception>
    public void CopyTo(Span<byte> target)
    {
        target = target[..Length];
        switch (Kind)
        {
            case RdbStringKind.Raw:
                Stored.CopyTo(target);
                break;
            case RdbStringKind.Integer:
                Span<byte> digits = stackalloc byte[RedisNumber.Int64BytesMax];
                digits[..RedisNumber.FormatInt64(Integer, digits)].CopyTo(target);
                break;
            default:
                if (!Lzf.TryExpand(Stored, target))
                    throw new RdbFormatException(_offset, "Invalid LZF compressed string");
                break;
        }
    }
}
