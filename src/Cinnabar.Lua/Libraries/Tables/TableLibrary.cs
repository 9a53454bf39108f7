using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Tables;

/// <summary>The library <c>table</c> of Lua 5.1. It knows no metamethods.</summary>
internal static class TableLibrary
{
    /// <summary>Opens the library.</summary>
    internal static LuaTable Open(LuaMachine machine) => LibraryTable.Make(machine,
    [
        ("concat", Concat), ("foreach", ForEach), ("foreachi", ForEachI), ("getn", GetN), ("insert", Insert),
        ("maxn", MaxN), ("remove", Remove), ("setn", SetN), ("sort", Sort),
    ]);

    private static int Concat(LuaCall call)
    {
        ReadOnlySpan<byte> separator = call[1].IsNil ? default : call.CheckString(1).Bytes;
        LuaTable table = call.CheckTable(0);
        int first = call.OptInt(2, 1);
        int last = call[3].IsNil ? table.Length : call.CheckInt(3);
        var builder = new TextBuilder(call);
        for (long index = first; index <= last; index++)
        {
            LuaValue value = table.Get((int)index);
            if (value.IsString) builder.Append(value.String.Bytes);
            else if (value.IsNumber) builder.AppendNumber(value.Number);
            else throw InvalidValue(call, value, index);
            if (index < last) builder.Append(separator);
            if ((index & 63) == 0) call.Step(64);
        }
        return call.Return(builder.End());
    }

    private static LuaException InvalidValue(LuaCall call, LuaValue value, long index) =>
        call.Error($"invalid value ({value.TypeName}) at index {index} in table for 'concat'");

    private static int ForEach(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        LuaFunction function = call.CheckFunction(1);
        LuaValue key = LuaValue.Nil;
        while (table.Next(ref key, out LuaValue value))
        {
            call.Step(1);
            LuaValue result = call.Invoke(LuaValue.From(function), key, value);
            if (!result.IsNil) return call.Return(result);
        }
        return call.Return();
    }

    private static int ForEachI(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        int count = table.Length;
        LuaFunction function = call.CheckFunction(1);
        for (int i = 1; i <= count; i++)
        {
            call.Step(1);
            LuaValue result = call.Invoke(LuaValue.From(function), (double)i, table.Get(i));
            if (!result.IsNil) return call.Return(result);
        }
        return call.Return();
    }

    private static int GetN(LuaCall call) => call.Return((double)call.CheckTable(0).Length);

    private static int SetN(LuaCall call)
    {
        call.CheckTable(0);
        throw call.Error("'setn' is obsolete");
    }

    private static int MaxN(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        double max = 0;
        LuaValue key = LuaValue.Nil;
        for (int count = 1; table.Next(ref key, out _); count++)
        {
            if (key.IsNumber && key.Number > max) max = key.Number;
            if ((count & 63) == 0) call.Step(64);
        }
        return call.Return(max);
    }

    private static int Insert(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        long end = table.Length + 1L;
        int place;
        switch (call.Count)
        {
            case 2:
                place = (int)end;
                break;
            case 3:
                place = call.CheckInt(1);
                if (place > end) end = place;
                for (long i = end; i > place; i--)
                {
                    table.Set((int)i, table.Get((int)(i - 1)));
                    if ((i & 63) == 0) call.Step(16);
                }
                break;
            default:
                throw call.Error("wrong number of arguments to 'insert'");
        }
        table.Set(place, call[call.Count - 1]);
        return call.Return();
    }

    private static int Remove(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        int end = table.Length;
        int place = call.OptInt(1, end);
        if (place < 1 || place > end) return call.Return();
        LuaValue removed = table.Get(place);
        for (; place < end; place++)
        {
            table.Set(place, table.Get(place + 1));
            if ((place & 63) == 0) call.Step(16);
        }
        table.Set(end, LuaValue.Nil);
        return call.Return(removed);
    }

    private static int Sort(LuaCall call)
    {
        LuaTable table = call.CheckTable(0);
        LuaValue comparer = call[1].IsNil ? LuaValue.Nil : LuaValue.From(call.CheckFunction(1));
        TableSort.Sort(call, table, comparer);
        return call.Return();
    }
}
