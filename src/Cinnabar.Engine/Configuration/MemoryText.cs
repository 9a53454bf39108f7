namespace Cinnabar.Engine.Configuration;

/// <summary>
/// Amounts of memory: 1k is 1000 bytes, 1kb is 1024, and so on with m and g; case does not matter.
/// </summary>
public static class MemoryText
{
    /// <summary>
    /// Reads an amount; without digits it is 0, as in Redis. False for anything else, also for what exceeds
    /// 64 bits.
    /// </summary>
    public static bool TryParse(string text, out ulong bytes)
    {
        bytes = 0;
        int digits = 0;
        while (digits < text.Length && char.IsAsciiDigit(text[digits]))
            digits++;
        if (UnitOf(text[digits..]) is not ulong unit)
            return false;
        if (digits == 0)
            return true;
        if (!ulong.TryParse(text.AsSpan(0, digits), NumberStyles.None, CultureInfo.InvariantCulture,
            out ulong count))
            return false;
        if (count > ulong.MaxValue / unit)
            return false;
        bytes = count * unit;
        return true;
    }

    /// <summary>
    /// The shortest exact way to write an amount in a configuration file: 1gb, 100mb, 1000.
    /// </summary>
    public static string Format(ulong bytes)
    {
        const ulong Gibibyte = 1UL << 30, Mebibyte = 1UL << 20, Kibibyte = 1UL << 10;
        if (bytes != 0 && bytes % Gibibyte == 0)
            return (bytes / Gibibyte).ToString(CultureInfo.InvariantCulture) + "gb";
        if (bytes != 0 && bytes % Mebibyte == 0)
            return (bytes / Mebibyte).ToString(CultureInfo.InvariantCulture) + "mb";
        if (bytes != 0 && bytes % Kibibyte == 0)
            return (bytes / Kibibyte).ToString(CultureInfo.InvariantCulture) + "kb";
        return bytes.ToString(CultureInfo.InvariantCulture);
    }

    private static ulong? UnitOf(string suffix) => suffix.ToLowerInvariant() switch
    {
        "" or "b" => 1UL,
        "k" => 1_000UL,
        "kb" => 1UL << 10,
        "m" => 1_000_000UL,
        "mb" => 1UL << 20,
        "g" => 1_000_000_000UL,
        "gb" => 1UL << 30,
        _ => null,
    };
}
