using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Cinnabar.Lua.Libraries;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>What calls of our libraries give, as text; and the Lua that makes the same text
/// elsewhere.</summary>
internal sealed class LibraryOutcome
{
    /// <summary>Defines <c>t</c>, which calls a function and adds the outcome to <c>r</c>.</summary>
    internal const string Prelude = """
        local r, huge, zero = {}, math.huge, 0
        local nan, negativezero = -(huge - huge), -zero
        local function show(v, depth)
          local kind = type(v)
          if kind == "string" then
            return "'" .. (v:gsub("[^%w %p]", function(c) return string.format("\\%d", c:byte()) end)) .. "'"
          elseif kind == "number" then
            if v ~= v then return "nan" end
            return string.format("%.17g", v)
          elseif kind == "table" then
            if depth > 40 then return "{...}" end
            local parts = {}
            for key, item in pairs(v) do parts[#parts + 1] = show(key, depth + 1) .. "=" .. show(item, depth
                + 1) end
            table.sort(parts)
            return "{" .. table.concat(parts, ",") .. "}"
          elseif kind == "function" or kind == "userdata" then
            return kind
          end
          return tostring(v)
        end
        local function add(...)
          local parts = {}
          for i = 1, select("#", ...) do parts[i] = show((select(i, ...)), 0) end
          r[#r + 1] = table.concat(parts, " ")
        end
        local function t(f, ...) add(pcall(f, ...)) end

        """;

    private readonly LuaMachine _machine = new(new LuaOptions());
    private readonly Dictionary<string, LuaTable> _libraries = [];

    internal LibraryOutcome()
    {
        var libraries = new StandardLibraries(_machine);
        _libraries.Add("string", libraries.OpenString());
        _libraries.Add("table", libraries.OpenTable());
        _libraries.Add("math", libraries.OpenMath());
        _libraries.Add("bit", libraries.OpenBit());
        _libraries.Add("struct", libraries.OpenStruct());
        _libraries.Add("cjson", libraries.OpenJson());
        _libraries.Add("cmsgpack", libraries.OpenMessagePack());
    }

    /// <summary>The outcome of a call.</summary>
    internal string Of(LibraryCase item)
    {
        var arguments = new LuaValue[item.Arguments.Length];
        for (int index = 0; index < arguments.Length; index++)
            arguments[index] = LibraryCase.IsNamed(item.Arguments[index], out string name)
                ? FunctionOf(name) : item.Arguments[index];
        var text = new StringBuilder();
        try
        {
            text.Append("true");
            foreach (LuaValue value in _machine.Call(FunctionOf(item.Function), arguments))
                Append(text.Append(' '), value, 0);
        }
        catch (LuaException error)
        {
            text.Clear().Append("false ");
            Append(text, error.Value, 0);
        }
        return text.ToString();
    }

    /// <summary>A function of a library.</summary>
    internal LuaValue FunctionOf(string name)
    {
        string[] parts = name.Split('.');
        return _libraries[parts[0]].Get(LuaString.From(parts[1]));
    }

    private static void Append(StringBuilder text, LuaValue value, int depth)
    {
        switch (value.Type)
        {
            case LuaType.String:
                text.Append('\'');
                foreach (byte part in value.String.Bytes)
                    if (part is >= 32 and < 127) text.Append((char)part);
                    else text.Append(CultureInfo.InvariantCulture, $"\\{part}");
                text.Append('\'');
                break;
            case LuaType.Number:
                text.Append(NumberOf(value.Number));
                break;
            case LuaType.Table:
                text.Append(depth > 40 ? "{...}" : TableOf(value.Table, depth));
                break;
            case LuaType.Boolean:
                text.Append(value.Boolean ? "true" : "false");
                break;
            default:
                text.Append(value.TypeName);
                break;
        }
    }

    private static string TableOf(LuaTable table, int depth)
    {
        List<string> parts = [];
        LuaValue key = LuaValue.Nil;
        while (table.Next(ref key, out LuaValue item))
        {
            var part = new StringBuilder();
            Append(part, key, depth + 1);
            Append(part.Append('='), item, depth + 1);
            parts.Add(part.ToString());
        }
        parts.Sort(string.CompareOrdinal);
        return $"{{{string.Join(',', parts)}}}";
    }

    private static string NumberOf(double value)
    {
        if (double.IsNaN(value)) return "nan";
        Span<byte> text = stackalloc byte[512];
        var format = new Cinnabar.Lua.Libraries.Strings.CFormat { Precision = 17 };
        return Encoding.ASCII.GetString(text[..format.WriteReal(value, (byte)'g', text)]);
    }
}
