using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.MessagePack;

/// <summary>An array or map that is being read.</summary>
internal struct MessageFrame
{
    /// <summary>The table.</summary>
    internal LuaTable Table;

    /// <summary>The key whose value is next.</summary>
    internal LuaValue Key;

    /// <summary>Keys and values of a map, or values of an array, that are missing.</summary>
    internal long Left;

    /// <summary>The index of the value that is next; 0 for a map.</summary>
    internal int Index;
}
