using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries;

/// <summary>The table "coroutine".</summary>
public static class CoroutineLibrary
{
    /// <summary>Puts it into the globals of a machine.</summary>
    public static void Open(LuaMachine machine)
    {
        LuaTable table = machine.NewTable(0, 8);
        machine.SetFunction(table, "create", call => call.Return(LuaValue.From(Create(call))));
        machine.SetFunction(table, "resume", Resume);
        machine.SetFunction(table, "running", call => call.Return(
            call.Thread == call.Machine.MainThread ? LuaValue.Nil : LuaValue.From(call.Thread)));
        machine.SetFunction(table, "status", call => call.Return(
            LuaValue.FromString(Coroutines.NameOf(CheckThread(call).Status))));
        machine.SetFunction(table, "wrap", Wrap);
        machine.SetFunction(table, "yield", Coroutines.Yield);
        machine.Globals.Set("coroutine", LuaValue.From(table));
    }

    private static LuaThread Create(LuaCall call)
    {
        if (call[0].Ref is not LuaClosure) throw call.ArgumentError(0, "Lua function expected");
        var thread = new LuaThread(call.Machine) { Globals = call.Thread.Globals };
        thread.Stack[0] = call[0];
        thread.Top = 1;
        return thread;
    }

    private static LuaThread CheckThread(LuaCall call) =>
        call[0].Ref as LuaThread ?? throw call.ArgumentError(0, "coroutine expected");

    private static int Resume(LuaCall call)
    {
        LuaThread thread = CheckThread(call);
        bool isDone = Coroutines.TryResume(call.Thread, thread, call.Arguments[1..],
            out ReadOnlySpan<LuaValue> values);
        Span<LuaValue> results = call.Results(values.Length + 1);
        results[0] = LuaValue.FromBoolean(isDone);
        values.CopyTo(results[1..]);
        return results.Length;
    }

    private static int Wrap(LuaCall call)
    {
        LuaThread thread = Create(call);
        var resume = new HostFunction("wrap", inner => ResumeWrapped(inner, thread))
        {
            Kept = [LuaValue.From(thread)],
            Environment = call.Machine.Globals,
        };
        return call.Return(LuaValue.From(resume));
    }

    private static int ResumeWrapped(LuaCall call, LuaThread thread)
    {
        if (Coroutines.TryResume(call.Thread, thread, call.Arguments, out ReadOnlySpan<LuaValue> values))
            return call.Return(values);
        LuaValue error = values[0];
        throw error.TryToText(out LuaString text) ? call.Error(text) : new LuaException(error);
    }
}
