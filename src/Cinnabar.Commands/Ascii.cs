namespace Cinnabar.Commands;

/// <summary>Comparison of option words.</summary>
public static class Ascii
{
    /// <summary>Whether <paramref name="text"/> is <paramref name="lowerCaseWord"/> in any case.</summary>
    public static bool EqualsIgnoreCase(ReadOnlySpan<byte> text, ReadOnlySpan<byte> lowerCaseWord) =>
        System.Text.Ascii.EqualsIgnoreCase(text, lowerCaseWord);
}
