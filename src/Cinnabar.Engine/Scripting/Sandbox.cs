using Cinnabar.Lua.Libraries;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Scripting;

/// <summary>The globals of scripts: which there are, and that none changes.</summary>
internal static class Sandbox
{
    // What leads out of the machine, or around what protects globals.
    private static string[] Hidden => ["print", "getfenv", "setfenv", "newproxy"];

    /// <summary>Opens the libraries.</summary>
    public static void Open(LuaMachine lua, StandardLibraries libraries, Clock clock, bool isInsecure)
    {
        const double nsPerSecond = 1e9;
        CoroutineLibrary.Open(lua);
        (string Name, LuaTable Table)[] tables =
        [
            ("string", libraries.OpenString()), ("table", libraries.OpenTable()),
            ("math", libraries.OpenMath()), ("bit", libraries.OpenBit()), ("struct", libraries.OpenStruct()),
            ("cjson", libraries.OpenJson()), ("cmsgpack", libraries.OpenMessagePack()),
            ("os", libraries.OpenOs(() => clock.MonotonicNanoseconds / nsPerSecond)),
        ];
        foreach ((string name, LuaTable table) in tables)
            lua.Globals.Set(name, LuaValue.From(table));
        foreach (string name in Hidden)
        {
            if (!isInsecure || name == "print")
                lua.Globals.Set(name, LuaValue.Nil);
        }

        ReplaceProtectedCall(lua);
    }

    /// <summary>Makes everything read-only, and the use of a missing global an error.</summary>
    public static void Close(LuaMachine lua)
    {
        LuaTable meta = lua.NewTable();
        lua.SetFunction(meta, "__index", static call => throw call.Error(
            $"Script attempted to access nonexistent global variable '{NameOf(call[1])}'"));
        lua.Globals.Metatable = meta;
        meta.IsReadOnly = true;
        if (lua.StringMetatable is { } strings)
            strings.IsReadOnly = true;
        LuaValue key = default;
        while (lua.Globals.Next(ref key, out LuaValue value))
        {
            if (value.IsTable)
                value.Table.IsReadOnly = true;
        }

        lua.Globals.IsReadOnly = true;
    }

    private static string NameOf(LuaValue key) =>
        key.TryToText(out LuaString text) ? Encoding.UTF8.GetString(text.Bytes) : key.TypeName;

    // An error of a command is a table; pcall gives its text.
    private static void ReplaceProtectedCall(LuaMachine lua)
    {
        LuaValue original = lua.Globals.Get(LuaString.From("pcall"));
        LuaString err = LuaString.From("err");
        lua.SetGlobal("pcall", call =>
        {
            ReadOnlySpan<LuaValue> results = call.InvokeMany(original, call.Arguments);
            if (!results[0].IsTruthy && results[1].IsTable
                && results[1].Table.Get(err) is { IsNil: false } text)
                return call.Return(LuaValue.False, text);
            return call.Return(results);
        });
    }
}
