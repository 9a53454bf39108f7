using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries;

/// <summary>tonumber.</summary>
internal static class NumberConversion
{
    public static int ToNumber(LuaCall call)
    {
        int numberBase = call.OptInt(1, 10);
        if (numberBase == 10)
        {
            if (call[0].AsString is { } numeral) call.Machine.StepText(numeral.Length);
            bool isNumber = call.CheckAny(0).TryToNumber(out double number);
            return call.Return(isNumber ? number : LuaValue.Nil);
        }

        ReadOnlySpan<byte> text = call.CheckString(0).Bytes;
        call.Machine.StepText(text.Length);
        if (numberBase is < 2 or > 36) throw call.ArgumentError(1, "base out of range");
        return call.Return(TryParse(text, (uint)numberBase, out double parsed) ? parsed : LuaValue.Nil);
    }

    // As C's strtoul: a sign wraps around, what is too large becomes the largest.
    private static bool TryParse(ReadOnlySpan<byte> text, uint numberBase, out double number)
    {
        while (text.Length > 0 && NumberText.IsBlank(text[0])) text = text[1..];
        bool isNegative = text.Length > 0 && text[0] == '-';
        if (text.Length > 0 && text[0] is (byte)'-' or (byte)'+') text = text[1..];
        if (numberBase == 16 && text.Length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x'
            && char.IsAsciiHexDigit((char)text[2]))
            text = text[2..];
        UInt128 sum = 0;
        int digits = 0;
        for (; digits < text.Length && DigitOf(text[digits]) < numberBase; digits++)
            if (sum <= ulong.MaxValue) sum = sum * numberBase + DigitOf(text[digits]);
        ulong value = sum > ulong.MaxValue ? ulong.MaxValue : (ulong)sum;
        if (isNegative && sum <= ulong.MaxValue) value = 0 - value;
        number = value;
        text = text[digits..];
        while (text.Length > 0 && NumberText.IsBlank(text[0])) text = text[1..];
        return digits > 0 && text.IsEmpty;
    }

    private static uint DigitOf(byte value) => (char)value switch
    {
        >= '0' and <= '9' => (uint)(value - '0'),
        >= 'a' and <= 'z' => (uint)(value - 'a' + 10),
        >= 'A' and <= 'Z' => (uint)(value - 'A' + 10),
        _ => uint.MaxValue,
    };
}
