namespace Cinnabar.Lua.Values;

/// <summary>An object of the host as a value, or what <c>newproxy</c> makes.</summary>
public sealed class LuaUserdata(object? content) : LuaObject
{
    /// <inheritdoc/>
    public override LuaType Type => LuaType.Userdata;

    /// <summary>What the host keeps in it.</summary>
    public object? Content { get; } = content;

    /// <summary>Whether it stands for C's null pointer: its text says so.</summary>
    public bool IsNull { get; init; }

    /// <summary>Its metatable, if it has one.</summary>
    public LuaTable? Metatable { get; set; }

    /// <summary>Its environment, if it was given one.</summary>
    public LuaTable? Environment { get; set; }
}
