namespace Cinnabar.Lua.Values;

/// <summary>A function: one written in Lua or one of the host.</summary>
public abstract class LuaFunction : LuaObject
{
    /// <inheritdoc/>
    public sealed override LuaType Type => LuaType.Function;

    /// <summary>The table that it finds its globals in.</summary>
    public LuaTable? Environment { get; internal set; }
}
