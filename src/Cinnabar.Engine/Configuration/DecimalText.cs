namespace Cinnabar.Engine.Configuration;

/// <summary>
/// Whole numbers as Redis accepts them from clients: an optional minus, no plus, no blanks, no leading zeros,
/// 64 bits.
/// </summary>
internal static class DecimalText
{
    internal static bool TryParse(string text, out long number) =>
        RedisNumber.TryParseInt64(Encoding.Latin1.GetBytes(text), out number);
}
