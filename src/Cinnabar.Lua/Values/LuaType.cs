namespace Cinnabar.Lua.Values;

/// <summary>The types of Lua 5.1, as <c>type</c> names them.</summary>
public enum LuaType : byte
{
    Nil,
    Boolean,
    Number,
    String,
    Table,
    Function,
    Thread,
    Userdata,
}
