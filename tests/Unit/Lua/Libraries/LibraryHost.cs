using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Lua.Libraries;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Tests.Unit.Lua.Libraries;

/// <summary>A machine with all libraries, whose functions a test calls.</summary>
internal sealed class LibraryHost
{
    private readonly Dictionary<string, LuaTable> _libraries = [];

    internal LibraryHost(LuaOptions? options = null)
    {
        Machine = new LuaMachine(options ?? new LuaOptions());
        Libraries = new StandardLibraries(Machine);
        _libraries.Add("string", Libraries.OpenString());
        _libraries.Add("table", Libraries.OpenTable());
        _libraries.Add("math", Libraries.OpenMath());
        _libraries.Add("os", Libraries.OpenOs(() => 1.5));
        _libraries.Add("bit", Libraries.OpenBit());
        _libraries.Add("struct", Libraries.OpenStruct());
        _libraries.Add("cjson", Libraries.OpenJson());
        _libraries.Add("cmsgpack", Libraries.OpenMessagePack());
    }

    internal LuaMachine Machine { get; }

    internal StandardLibraries Libraries { get; }

    internal LuaTable this[string library] => _libraries[library];

    /// <summary>The results of a function, as <c>string.find</c>.</summary>
    internal LuaValue[] Call(string function, params ReadOnlySpan<LuaValue> arguments)
    {
        int dot = function.IndexOf('.');
        LuaValue value = _libraries[function[..dot]].Get(LuaString.From(function[(dot + 1)..]));
        return Machine.Call(value, arguments);
    }

    /// <summary>The text of an error.</summary>
    internal string ErrorOf(string function, params ReadOnlySpan<LuaValue> arguments)
    {
        try
        {
            Call(function, arguments);
        }
        catch (LuaException error)
        {
            return error.Message;
        }
        return "no error";
    }

    /// <summary>A text, a byte a character.</summary>
    internal static LuaValue Text(string text) =>
        LuaValue.From(LuaString.From(Encoding.Latin1.GetBytes(text)));
}
