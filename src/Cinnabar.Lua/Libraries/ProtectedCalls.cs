using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries;

/// <summary>pcall and xpcall. What ends a run (<see cref="LuaAbortException"/>) passes through
/// them.</summary>
internal static class ProtectedCalls
{
    // The function and its arguments lie where a call expects them, and the results come there: only the
    // place before them is filled.
    public static int Call(LuaCall call)
    {
        call.CheckAny(0);
        LuaThread thread = call.Thread;
        int depth = thread.Depth;
        int hostDepth = thread.Machine.HostDepth;
        int place = call.Base;
        try
        {
            int count = thread.Call(place, call.Count - 1);
            thread.Stack[place - 1] = LuaValue.True;
            return count + 1;
        }
        catch (LuaException exception)
        {
            thread.Unwind(depth);
            thread.Machine.HostDepth = hostDepth;
            return call.Return(LuaValue.False, exception.Value);
        }
    }

    // The handler runs before the calls that failed are unwound, so that it sees their levels.
    public static int CallWithHandler(LuaCall call)
    {
        LuaValue handler = call[1];
        if (call.Count < 2) throw call.ArgumentError(1, "value expected");
        LuaThread thread = call.Thread;
        int depth = thread.Depth;
        int hostDepth = thread.Machine.HostDepth;
        int place = thread.Frames[depth].Top;
        thread.Stack[place] = call[0];
        LuaValue error;
        try
        {
            int count = thread.Call(place, 0);
            thread.EnsureStack(place + count + LuaThread.HostSlack);
            Span<LuaValue> results = call.Results(count + 1);
            thread.Stack.AsSpan(place, count).CopyTo(results[1..]);
            results[0] = LuaValue.True;
            return count + 1;
        }
        catch (LuaException exception)
        {
            thread.Machine.HostDepth = hostDepth;
            error = thread.Handle(handler, exception.Value);
        }

        thread.Unwind(depth);
        thread.Machine.HostDepth = hostDepth;
        return call.Return(LuaValue.False, error);
    }
}
