using System.Buffers.Text;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Commands.Strings;

/// <summary>The digest of a string value: XXH3 of 64 bits, without a seed, as 16 hexadecimal
/// digits.</summary>
internal static class StringDigest
{
    /// <summary>Length of a digest in hexadecimal digits.</summary>
    public const int HexLength = 16;

    /// <summary>Estimate of the time to digest one byte, in thousandths of a nanosecond.</summary>
    private const long CostPerBytePs = 200;

    /// <summary>Estimate of the time to digest a string.</summary>
    public static long CostNs(EntryView entry) =>
        entry.Encoding == KeyEncoding.Blocks ? entry.StringLength * CostPerBytePs / 1000 : 0;

    /// <summary>The digest of a string entry.</summary>
    public static ulong Of(EntryView entry)
    {
        Debug.Assert(!entry.IsMissing && entry.Type == KeyType.String, "no string");
        StringView text = entry.String;
        if (text.IsContiguous)
            return XxHash3.Hash(text.Span);
        Span<byte> stripe = stackalloc byte[XxHash3Stripes.StripeSize];
        var hash = new XxHash3Stripes(text.Length);
        for (long offset = 0; hash.CountLeft > 0;)
        {
            ReadOnlySpan<byte> piece = text.SpanAt(offset);
            int count = (int)Math.Min(piece.Length / XxHash3Stripes.StripeSize, hash.CountLeft);
            if (count == 0)
            {
                // The stripe lies across the end of a piece.
                text.CopyTo(offset, stripe);
                piece = stripe;
                count = 1;
            }

            hash.Add(piece[..(count * XxHash3Stripes.StripeSize)]);
            offset += count * XxHash3Stripes.StripeSize;
        }

        text.CopyTo(text.Length - stripe.Length, stripe);
        return hash.Finish(stripe);
    }

    /// <summary>Writes the digits of a digest, in lower case and with leading zeros.</summary>
    public static void Format(ulong digest, Span<byte> target) =>
        Utf8Formatter.TryFormat(digest, target, out _, new System.Buffers.StandardFormat('x', HexLength));

    /// <summary>Whether the digits, in any case, are the digest of a string entry.</summary>
    public static bool Matches(EntryView entry, ReadOnlySpan<byte> digits)
    {
        Span<byte> text = stackalloc byte[HexLength];
        Format(Of(entry), text);
        return Ascii.EqualsIgnoreCase(digits, text);
    }
}
