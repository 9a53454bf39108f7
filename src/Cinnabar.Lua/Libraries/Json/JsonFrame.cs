using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Json;

/// <summary>A table that is being encoded or decoded.</summary>
internal struct JsonFrame
{
    /// <summary>The table.</summary>
    internal LuaTable Table;

    /// <summary>The key of an object whose value is next.</summary>
    internal LuaValue Key;

    /// <summary>The index of an array's value that is next; 0 for an object.</summary>
    internal int Index;

    /// <summary>An array's length when it is encoded.</summary>
    internal int Length;
}
