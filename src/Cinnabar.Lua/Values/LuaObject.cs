namespace Cinnabar.Lua.Values;

/// <summary>What a value refers to by identity: tables, functions, threads, userdata.</summary>
public abstract class LuaObject
{
    /// <summary>The walk that last reached this object; see <see cref="LuaBudget"/>.</summary>
    internal int Mark;

    /// <summary>The type of a value that refers to this object.</summary>
    public abstract LuaType Type { get; }
}
