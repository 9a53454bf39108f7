using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries;

/// <summary>The functions of 5.1 that stand in no table, but those that read files.</summary>
public static class BaseLibrary
{
    private const int UnpackMax = 8000;

    /// <summary>Puts them into the globals of a machine.</summary>
    public static void Open(LuaMachine machine)
    {
        LuaTable globals = machine.Globals;
        globals.Set("_G", LuaValue.From(globals));
        globals.Set("_VERSION", LuaValue.FromString("Lua 5.1"));
        machine.SetGlobal("assert", Assert);
        machine.SetGlobal("error", Error);
        machine.SetGlobal("getfenv", Environments.Get);
        machine.SetGlobal("setfenv", Environments.Set);
        machine.SetGlobal("getmetatable", GetMetatable);
        machine.SetGlobal("setmetatable", SetMetatable);
        machine.SetGlobal("load", Loading.Load);
        machine.SetGlobal("loadstring", Loading.LoadString);
        machine.SetGlobal("newproxy", NewProxy);
        machine.SetGlobal("pcall", ProtectedCalls.Call);
        machine.SetGlobal("xpcall", ProtectedCalls.CallWithHandler);
        machine.SetGlobal("print", Print);
        machine.SetGlobal("rawequal", RawEqual);
        machine.SetGlobal("rawget", RawGet);
        machine.SetGlobal("rawset", RawSet);
        machine.SetGlobal("select", Select);
        machine.SetGlobal("tonumber", NumberConversion.ToNumber);
        machine.SetGlobal("tostring", call => call.Return(call.ToText(call.CheckAny(0))));
        machine.SetGlobal("type", call => call.Return(LuaValue.FromString(call.CheckAny(0).TypeName)));
        machine.SetGlobal("unpack", Unpack);
        machine.SetGlobal("collectgarbage", CollectGarbage);
        machine.SetGlobal("gcinfo", call => call.Return(Math.Floor(call.Machine.Budget.Used / 1024.0)));
        OpenIteration(machine);
    }

    private static void OpenIteration(LuaMachine machine)
    {
        LuaValue next = LuaValue.From(new HostFunction("next", Next)
        {
            Iterator = IteratorKind.Next,
            Environment = machine.Globals,
        });
        LuaValue step = LuaValue.From(new HostFunction("ipairs", NextOfArray)
        {
            Iterator = IteratorKind.Array,
            Environment = machine.Globals,
        });
        machine.Globals.Set("next", next);
        machine.SetGlobal("pairs", call =>
        {
            StepOverHoles(call, call.CheckTable(0));
            return call.Return(next, call[0], LuaValue.Nil);
        });
        machine.SetGlobal("ipairs", call => call.Return(step, LuaValue.From(call.CheckTable(0)), 0));
    }

    private static int Assert(LuaCall call)
    {
        if (call.CheckAny(0).IsTruthy) return call.Return(call.Arguments);
        throw call.Error(call.OptString(1, LuaString.From("assertion failed!")));
    }

    private static int Error(LuaCall call)
    {
        int level = call.OptInt(1, 1);
        LuaValue value = call[0];
        if (level > 0 && value.TryToText(out LuaString text)) throw call.Error(text, level);
        throw new LuaException(value);
    }

    private static int GetMetatable(LuaCall call)
    {
        LuaValue value = call.CheckAny(0);
        LuaTable? metatable = Metamethods.TableOf(call.Machine, value);
        if (metatable is null) return call.Return(LuaValue.Nil);
        LuaValue shown = Metamethods.FindIn(call.Machine, metatable, MetaEvent.Protected);
        return call.Return(shown.IsNil ? LuaValue.From(metatable) : shown);
    }

    private static int SetMetatable(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        LuaValue metatable = call[1];
        if (!metatable.IsTable && !(metatable.IsNil && call.Count > 1))
            throw call.ArgumentError(1, "nil or table expected");
        if (table.Metatable is { } old && !Metamethods.FindIn(call.Machine, old, MetaEvent.Protected).IsNil)
            throw call.Error("cannot change a protected metatable");
        table.BeforeChange();
        table.Metatable = metatable.Ref as LuaTable;
        return call.Return(LuaValue.From(table));
    }

    private static int NewProxy(LuaCall call)
    {
        call.Charge(48);
        var proxy = new LuaUserdata(null);
        LuaValue model = call[0];
        if (model.IsTruthy && model.IsBoolean)
        {
            proxy.Metatable = call.NewTable();
            proxy.Metatable.IsProxyMetatable = true;
        }
        else if (model.IsTruthy)
        {
            if (model.Ref is not LuaUserdata { Metatable: { IsProxyMetatable: true } metatable })
                throw call.ArgumentError(0, "boolean or proxy expected");
            proxy.Metatable = metatable;
        }

        return call.Return(LuaValue.From(proxy));
    }

    private static int Print(LuaCall call)
    {
        using var line = new System.IO.MemoryStream();
        LuaValue convert = call.Index(LuaValue.From(call.Thread.Globals), LuaValue.FromString("tostring"));
        for (int index = 0; index < call.Count; index++)
        {
            if (!call.Invoke(convert, call[index]).TryToText(out LuaString text))
                throw call.Error("'tostring' must return a string to 'print'");
            if (index > 0) line.WriteByte((byte)'\t');
            line.Write(text.Bytes);
        }

        call.Machine.Print?.Invoke(line.ToArray());
        return call.Return();
    }

    private static int RawEqual(LuaCall call) =>
        call.Return(LuaValue.FromBoolean(call.CheckAny(0).Equals(call.CheckAny(1))));

    private static int RawGet(LuaCall call) => call.Return(call.CheckTable(0).Get(call.CheckAny(1)));

    private static int RawSet(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        table.Set(call.CheckAny(1), call.CheckAny(2));
        return call.Return(LuaValue.From(table));
    }

    private static int Select(LuaCall call)
    {
        if (call[0].Ref is LuaString { Length: > 0 } text && text.Bytes[0] == '#')
            return call.Return(call.Count - 1);
        int index = call.CheckInt(0);
        if (index < 0) index = call.Count + index;
        else if (index > call.Count) index = call.Count;
        if (index < 1) throw call.ArgumentError(0, "index out of range");
        call.Machine.StepCopied(call.Count - index);
        return call.Return(call.Arguments[index..]);
    }

    private static int Unpack(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        int first = call.OptInt(1, 1);
        int last = call.OptInt(2, table.Length);
        if (first > last) return call.Return();
        long count = (long)last - first + 1;
        if (count + call.Count > UnpackMax) throw call.Error("too many results to unpack");
        call.Machine.StepCopied((int)count);
        Span<LuaValue> results = call.Results((int)count);
        for (int index = 0; index < results.Length; index++) results[index] = table.Get(first + index);
        return results.Length;
    }

    private static int Next(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        StepOverHoles(call, table);
        LuaValue key = call[1];
        if (!table.TryNext(ref key, out LuaValue value)) throw new LuaException("invalid key to 'next'");
        return key.IsNil ? call.Return(LuaValue.Nil) : call.Return(key, value);
    }

    // A step may pass over all places of a table.
    private static void StepOverHoles(LuaCall call, LuaTable table)
    {
        const int placesPerStepLog2 = 10;
        call.Step((table.Array.Length + table.Nodes.Length) >> placesPerStepLog2);
    }

    private static int NextOfArray(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        int index = call.CheckInt(1) + 1;
        LuaValue value = table.Get(index);
        return value.IsNil ? call.Return() : call.Return(index, value);
    }

    private static int CollectGarbage(LuaCall call)
    {
        LuaString option = call.OptString(0, LuaString.From("collect"));
        LuaBudget budget = call.Machine.Budget;
        switch (option.ToString())
        {
            case "count":
                return call.Return(budget.Used / 1024.0);
            case "collect":
                budget.Measure();
                return call.Return(0);
            case "step":
                budget.Measure();
                return call.Return(LuaValue.True);
            case "stop" or "restart":
                return call.Return(0);
            case "setpause" or "setstepmul":
                return call.Return(200);
            default:
                throw call.ArgumentError(0, $"invalid option '{option}'");
        }
    }
}
