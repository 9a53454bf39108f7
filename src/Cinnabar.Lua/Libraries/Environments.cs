using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries;

/// <summary>getfenv and setfenv.</summary>
internal static class Environments
{
    public static int Get(LuaCall call)
    {
        LuaFunction? function = FunctionOf(call, true);
        return call.Return(LuaValue.FromOrNil(function is LuaClosure
            ? function.Environment : call.Thread.Globals));
    }

    public static int Set(LuaCall call)
    {
        LuaTable environment = call.CheckTable(1);
        LuaFunction? function = FunctionOf(call, false);
        if (call[0].TryToNumber(out double level) && level == 0)
        {
            call.Thread.Globals = environment;
            return call.Return();
        }

        if (function is not LuaClosure)
            throw call.Error("'setfenv' cannot change environment of given object");
        function.Environment = environment;
        return call.Return(LuaValue.From(function));
    }

    private static LuaFunction? FunctionOf(LuaCall call, bool isOptional)
    {
        if (call[0].Ref is LuaFunction given) return given;
        int level = isOptional ? call.OptInt(0, 1) : call.CheckInt(0);
        if (level < 0) throw call.ArgumentError(0, "level must be non-negative");
        LuaThread thread = call.Thread;
        int row = thread.RowOf(level);
        if (row >= 0) return thread.Frames[row].Function;
        if (thread.IsTailCallAt(level))
            throw call.Error($"no function environment for tail call at level {level}");
        throw call.ArgumentError(0, "invalid level");
    }
}
