using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Results;

/// <summary>What all libraries need: their tables, and strings that are made in place.</summary>
internal static class LibraryTable
{
    /// <summary>Values that fit the stack of a C function.</summary>
    internal const int StackMax = 8000;

    /// <summary>The table of a library.</summary>
    internal static LuaTable Make(LuaMachine machine, ReadOnlySpan<(string Name, HostBody Body)> functions)
    {
        LuaTable table = machine.NewTable(0, functions.Length);
        foreach ((string name, HostBody body) in functions) machine.SetFunction(table, name, body);
        return table;
    }

    /// <summary>Memory for a string of a known length.</summary>
    internal static byte[] NewBytes(LuaCall call, long size)
    {
        call.Charge(LuaString.Overhead + size);
        if (size > Array.MaxLength) throw new LuaMemoryException();
        return GC.AllocateUninitializedArray<byte>((int)size);
    }

    /// <summary>The string whose bytes <see cref="NewBytes"/> gave.</summary>
    internal static LuaValue Adopt(byte[] bytes) => LuaValue.From(LuaString.Adopt(bytes));
}
