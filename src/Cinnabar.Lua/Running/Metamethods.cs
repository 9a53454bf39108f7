using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// What operations do beyond their plain cases: metamethods, conversions, and the errors when there are none.
///
/// A metamethod is a call of Lua by the host: it is counted as one, and a coroutine cannot yield in it. An
/// operand's register, where it has one, gives the error its name ("local 'x'"); -1: it has none.
/// </summary>
internal static class Metamethods
{
    /// <summary>Steps that __index and __newindex may lead on.</summary>
    private const int ChainMax = 100;

    /// <summary>The metatable of a value.</summary>
    public static LuaTable? TableOf(LuaMachine machine, in LuaValue value) => value.Ref switch
    {
        LuaTable table => table.Metatable,
        LuaString => machine.StringMetatable,
        LuaUserdata userdata => userdata.Metatable,
        _ => null,
    };

    /// <summary>What a value's metatable has for an event; nil: nothing.</summary>
    public static LuaValue Find(LuaMachine machine, in LuaValue value, MetaEvent kind) =>
        TableOf(machine, value) is { } metatable ? FindIn(machine, metatable, kind) : default;

    /// <summary>What a metatable has for an event; nil: nothing. Remembers in the metatable what it
    /// lacks.</summary>
    public static LuaValue FindIn(LuaMachine machine, LuaTable metatable, MetaEvent kind)
    {
        int bit = 1 << (int)kind;
        if ((metatable.AbsentEvents & bit) != 0) return default;
        LuaValue found = metatable.Get(machine.EventNames[(int)kind]);
        if (found.IsNil) metatable.AbsentEvents |= bit;
        return found;
    }

    /// <summary>t[k].</summary>
    public static LuaValue Index(LuaThread thread, LuaValue value, LuaValue key, int register = -1)
    {
        for (int step = 0; step < ChainMax; step++)
        {
            LuaValue handler;
            if (value.Ref is LuaTable table)
            {
                LuaValue found = table.Get(key);
                if (!found.IsNil || table.Metatable is null) return found;
                handler = FindIn(thread.Machine, table.Metatable, MetaEvent.Index);
                if (handler.IsNil) return default;
            }
            else
            {
                handler = Find(thread.Machine, value, MetaEvent.Index);
                if (handler.IsNil) throw thread.TypeError("index", value, register);
            }

            if (handler.IsFunction) return Call(thread, handler, value, key);
            value = handler;
            register = -1;
        }

        throw thread.Error("loop in gettable");
    }

    /// <summary>t[k] = v.</summary>
    public static void SetIndex(LuaThread thread, LuaValue target, LuaValue key, LuaValue value,
        int register = -1)
    {
        for (int step = 0; step < ChainMax; step++)
        {
            LuaValue handler;
            if (target.Ref is LuaTable table)
            {
                if (key.IsNil) throw thread.Error("table index is nil");
                if (key.IsNumber && double.IsNaN(key.Num)) throw thread.Error("table index is NaN");
                handler = table.Metatable is null || !table.Get(key).IsNil
                    ? default
                    : FindIn(thread.Machine, table.Metatable, MetaEvent.NewIndex);
                if (handler.IsNil)
                {
                    if (table.IsReadOnly) throw thread.Error("Attempt to modify a readonly table");
                    table.Set(key, value);
                    return;
                }
            }
            else
            {
                handler = Find(thread.Machine, target, MetaEvent.NewIndex);
                if (handler.IsNil) throw thread.TypeError("index", target, register);
            }

            if (handler.IsFunction)
            {
                CallWith(thread, handler, target, key, value);
                return;
            }

            target = handler;
            register = -1;
        }

        throw thread.Error("loop in settable");
    }

    /// <summary>An arithmetic operation whose operands are not both numbers.</summary>
    public static LuaValue Arithmetic(LuaThread thread, MetaEvent kind, LuaValue left, LuaValue right,
        (int Left, int Right) registers)
    {
        if (left.Ref is LuaString leftText) thread.Machine.StepText(leftText.Length);
        if (right.Ref is LuaString rightText) thread.Machine.StepText(rightText.Length);
        bool isLeft = left.TryToNumber(out double x);
        if (isLeft && right.TryToNumber(out double y)) return Compute(kind, x, y);
        LuaValue handler = Find(thread.Machine, left, kind);
        if (handler.IsNil) handler = Find(thread.Machine, right, kind);
        if (!handler.IsNil) return Call(thread, handler, left, right);
        throw isLeft ? thread.TypeError("perform arithmetic on", right, registers.Right)
            : thread.TypeError("perform arithmetic on", left, registers.Left);
    }

    /// <summary>An arithmetic operation on numbers.</summary>
    public static double Compute(MetaEvent kind, double left, double right) => kind switch
    {
        MetaEvent.Add => left + right,
        MetaEvent.Subtract => left - right,
        MetaEvent.Multiply => left * right,
        MetaEvent.Divide => left / right,
        MetaEvent.Modulo => Modulo(left, right),
        MetaEvent.Power => Math.Pow(left, right),
        _ => -left,
    };

    /// <summary>a - floor(a / b) * b.</summary>
    public static double Modulo(double left, double right) => left - Math.Floor(left / right) * right;

    /// <summary>a == b.</summary>
    public static bool AreEqual(LuaThread thread, LuaValue left, LuaValue right)
    {
        if (left.Equals(right)) return true;
        LuaTable? leftTable, rightTable;
        if ((left.Ref is LuaTable && right.Ref is LuaTable)
            || (left.Ref is LuaUserdata && right.Ref is LuaUserdata))
        {
            leftTable = TableOf(thread.Machine, left);
            rightTable = TableOf(thread.Machine, right);
        }
        else
        {
            return false;
        }

        if (leftTable is null || rightTable is null) return false;
        LuaValue handler = FindIn(thread.Machine, leftTable, MetaEvent.Equal);
        if (handler.IsNil) return false;
        if (leftTable != rightTable && !handler.Equals(FindIn(thread.Machine, rightTable, MetaEvent.Equal)))
            return false;
        return Call(thread, handler, left, right).IsTruthy;
    }

    /// <summary>a &lt; b.</summary>
    public static bool IsLess(LuaThread thread, LuaValue left, LuaValue right)
    {
        if (left.IsNumber && right.IsNumber) return left.Num < right.Num;
        if (left.Ref is LuaString x && right.Ref is LuaString y) return Compare(thread, x, y) < 0;
        return TryCompare(thread, MetaEvent.Less, left, right, out bool result) ? result
            : throw CompareError(thread, left, right);
    }

    /// <summary>a &lt;= b.</summary>
    public static bool IsLessOrEqual(LuaThread thread, LuaValue left, LuaValue right)
    {
        if (left.IsNumber && right.IsNumber) return left.Num <= right.Num;
        if (left.Ref is LuaString x && right.Ref is LuaString y) return Compare(thread, x, y) <= 0;
        if (TryCompare(thread, MetaEvent.LessOrEqual, left, right, out bool result)) return result;
        return TryCompare(thread, MetaEvent.Less, right, left, out result) ? !result
            : throw CompareError(thread, left, right);
    }

    private static int Compare(LuaThread thread, LuaString left, LuaString right)
    {
        thread.Machine.StepText(Math.Min(left.Length, right.Length));
        return left.CompareTo(right);
    }

    /// <summary>#a.</summary>
    public static LuaValue Length(LuaThread thread, LuaValue value, int register)
    {
        if (value.Ref is LuaTable table) return table.Length;
        if (value.Ref is LuaString text) return text.Length;
        LuaValue handler = Find(thread.Machine, value, MetaEvent.Length);
        return handler.IsNil ? throw thread.TypeError("get length of", value, register)
            : Call(thread, handler, value, default);
    }

    /// <summary>The text of a value, as tostring gives it; a __tostring may give anything.</summary>
    public static LuaValue ToText(LuaThread thread, LuaValue value)
    {
        LuaValue handler = Find(thread.Machine, value, MetaEvent.ToText);
        if (!handler.IsNil) return Call(thread, handler, value);
        if (value.TryToText(out LuaString text)) return LuaValue.FromString(text);
        return LuaValue.FromString(value.Ref switch
        {
            null => "nil",
            LuaUserdata { IsNull: true } => "userdata: (nil)",
            LuaObject item => $"{value.TypeName}: 0x{AddressOf(item):x}",
            _ => (string)value.Ref,
        });
    }

    /// <summary>Calls a metamethod.</summary>
    /// <returns>Its first result.</returns>
    public static LuaValue Call(LuaThread thread, LuaValue handler, params ReadOnlySpan<LuaValue> arguments)
    {
        int place = CallWith(thread, handler, arguments, out int count);
        return count == 0 ? default : thread.Stack[place];
    }

    // An object has no address that stays; this number does, and looks like one.
    private static long AddressOf(LuaObject item) =>
        0x5500_0000_0000L + RuntimeHelpers.GetHashCode(item) * 16L;

    private static void CallWith(LuaThread thread, LuaValue handler,
        params ReadOnlySpan<LuaValue> arguments) => CallWith(thread, handler, arguments, out _);

    private static int CallWith(LuaThread thread, LuaValue handler, ReadOnlySpan<LuaValue> arguments,
        out int count)
    {
        int place = thread.Frames[thread.Depth].Top;
        thread.EnsureStack(place + 1 + arguments.Length + LuaThread.HostSlack);
        thread.Stack[place] = handler;
        arguments.CopyTo(thread.Stack.AsSpan(place + 1));
        count = thread.Call(place, arguments.Length);
        return place;
    }

    private static bool TryCompare(LuaThread thread, MetaEvent kind, LuaValue left, LuaValue right,
        out bool result)
    {
        result = false;
        LuaValue handler = Find(thread.Machine, left, kind);
        if (handler.IsNil || !handler.Equals(Find(thread.Machine, right, kind))) return false;
        result = Call(thread, handler, left, right).IsTruthy;
        return true;
    }

    private static LuaException CompareError(LuaThread thread, in LuaValue left, in LuaValue right) =>
        left.Type == right.Type
            ? thread.Error($"attempt to compare two {left.TypeName} values")
            : thread.Error($"attempt to compare {left.TypeName} with {right.TypeName}");
}
