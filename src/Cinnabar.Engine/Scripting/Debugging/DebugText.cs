using Cinnabar.Engine.Replies;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>Values of Lua as the debugger shows them, one character a byte.</summary>
internal static class DebugText
{
    private const int DepthMax = 10;
    private const int Digits = 6;
    private const string TooDeep = "<max recursion level reached! Nested table?>";

    /// <summary>The text of a value.</summary>
    public static string Of(LuaValue value)
    {
        var text = new StringBuilder();
        Append(text, value, 0);
        return text.ToString();
    }

    private static void Append(StringBuilder text, LuaValue value, int depth)
    {
        if (depth == DepthMax)
        {
            text.Append(TooDeep);
            return;
        }

        switch (value.Type)
        {
            case LuaType.Nil:
                text.Append("nil");
                break;
            case LuaType.Boolean:
                text.Append(value.Boolean ? "true" : "false");
                break;
            case LuaType.Number:
                AppendNumber(text, value.Number);
                break;
            case LuaType.String:
                QuotedText.Append(text, value.String.Bytes);
                break;
            case LuaType.Table:
                AppendTable(text, value.Table, depth);
                break;
            default:
                text.Append(CultureInfo.InvariantCulture,
                    $"\"{value.TypeName}@0x{RuntimeHelpers.GetHashCode(value.Object):x}\"");
                break;
        }
    }

    private static void AppendNumber(StringBuilder text, double number)
    {
        Span<byte> buffer = stackalloc byte[NumberText.LengthMax];
        int length = NumberText.FormatGeneral(number, Digits, buffer);
        text.Append(Encoding.ASCII.GetString(buffer[..length]));
    }

    // A table whose keys are 1, 2, 3 … in order is shown without them.
    private static void AppendTable(StringBuilder text, LuaTable table, int depth)
    {
        bool isArray = IsArray(table);
        LuaValue key = default;
        char separator = '{';
        while (table.Next(ref key, out LuaValue value))
        {
            text.Append(separator == '{' ? "{" : "; ");
            separator = ';';
            if (!isArray)
            {
                text.Append('[');
                Append(text, key, depth + 1);
                text.Append("]=");
            }

            Append(text, value, depth + 1);
        }

        text.Append(separator == '{' ? "{}" : "}");
    }

    private static bool IsArray(LuaTable table)
    {
        LuaValue key = default;
        for (int expected = 1; table.Next(ref key, out _); expected++)
        {
            if (!key.IsNumber || key.Number != expected)
                return false;
        }

        return true;
    }
}
