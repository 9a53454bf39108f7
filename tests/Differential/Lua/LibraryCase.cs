using System;
using System.Globalization;
using System.Text;
using Cinnabar.Lua.Values;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>A call of a library's function.</summary>
/// <param name="Function">Its name, as <c>string.find</c>.</param>
/// <param name="Arguments">Its arguments; a string that begins with <see cref="FunctionMark"/> is the
/// function that it names.</param>
internal sealed record LibraryCase(string Function, params LuaValue[] Arguments)
{
    /// <summary>Begins a string that stands for a function.</summary>
    internal const string FunctionMark = "\u0001function ";

    /// <summary>The call in Lua, as an argument list.</summary>
    internal string ToSource()
    {
        var text = new StringBuilder($"t({Function}");
        foreach (LuaValue argument in Arguments)
        {
            text.Append(',');
            Append(text, argument);
        }
        return text.Append(")\n").ToString();
    }

    /// <summary>A string as a value.</summary>
    internal static LuaValue Text(string text) =>
        LuaValue.From(LuaString.From(Encoding.Latin1.GetBytes(text)));

    /// <summary>A value that stands for a function.</summary>
    internal static LuaValue Named(string name) => Text(FunctionMark + name);

    /// <summary>The function that a value stands for, if it does.</summary>
    internal static bool IsNamed(LuaValue value, out string name)
    {
        name = value.IsString ? Encoding.Latin1.GetString(value.String.Bytes) : "";
        if (!name.StartsWith(FunctionMark, StringComparison.Ordinal)) return false;
        name = name[FunctionMark.Length..];
        return true;
    }

    private static void Append(StringBuilder text, LuaValue value)
    {
        if (IsNamed(value, out string name))
        {
            text.Append(name);
            return;
        }
        switch (value.Type)
        {
            case LuaType.String:
                text.Append('"');
                foreach (byte part in value.String.Bytes) text.Append(CultureInfo.InvariantCulture,
                    $"\\{part:D3}");
                text.Append('"');
                break;
            case LuaType.Number:
                text.Append(NumberSource(value.Number));
                break;
            case LuaType.Table:
                text.Append('{');
                LuaValue key = LuaValue.Nil;
                while (value.Table.Next(ref key, out LuaValue item))
                {
                    text.Append('[');
                    Append(text, key);
                    text.Append("]=");
                    Append(text, item);
                    text.Append(',');
                }
                text.Append('}');
                break;
            case LuaType.Boolean:
                text.Append(value.Boolean ? "true" : "false");
                break;
            default:
                text.Append("nil");
                break;
        }
    }

    // Computed, not constants: a compiler may make one of two constants that compare as equal.
    private static string NumberSource(double value)
    {
        if (double.IsNaN(value)) return "nan";
        if (double.IsInfinity(value)) return value < 0 ? "(-huge)" : "huge";
        if (value == 0 && double.IsNegative(value)) return "negativezero";
        return value.ToString("E16", CultureInfo.InvariantCulture);
    }
}
