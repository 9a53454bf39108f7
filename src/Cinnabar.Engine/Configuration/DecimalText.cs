using System.Globalization;

namespace Cinnabar.Engine.Configuration;

/// <summary>
/// Whole numbers as Redis accepts them from clients: an optional minus, no plus, no blanks, no leading zeros,
/// 64 bits.
/// </summary>
internal static class DecimalText
{
    internal static bool TryParse(string text, out long number)
    {
        number = 0;
        int digits = text.StartsWith('-') ? text.Length - 1 : text.Length;
        if (digits is 0 or > 19)
            return false;
        bool hasLeadingZero = text[text.Length - digits] == '0' && text.Length > 1;
        return !hasLeadingZero
            && long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number);
    }
}
