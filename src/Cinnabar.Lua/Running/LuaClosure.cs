using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>A function written in Lua, with the variables around it that it uses.</summary>
public sealed class LuaClosure : LuaFunction
{
    internal LuaClosure(Prototype prototype, LuaTable environment)
    {
        Prototype = prototype;
        Environment = environment;
        Upvalues = prototype.Upvalues.Length == 0 ? [] : new Upvalue[prototype.Upvalues.Length];
    }

    /// <summary>Its code.</summary>
    public Prototype Prototype { get; }

    internal Upvalue[] Upvalues { get; }

    /// <summary>Bytes of a closure.</summary>
    internal static long SizeOf(Prototype prototype) => 64 + 8L * prototype.Upvalues.Length;
}
