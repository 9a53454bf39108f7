using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// The general form of the instructions whose plain cases the interpreter's loop has itself. Each reads and
/// writes the registers of the thread's current call, whose row knows the next instruction: for the names and
/// lines of errors. Each may call Lua, so the stack may be another array afterwards.
/// </summary>
internal static class Operations
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void GetGlobal(LuaThread thread, LuaClosure closure, Instruction i)
    {
        LuaValue key = closure.Prototype.Constants[i.C];
        Set(thread, i.A, Metamethods.Index(thread, LuaValue.From(closure.Environment!), key));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void SetGlobal(LuaThread thread, LuaClosure closure, Instruction i)
    {
        LuaValue key = closure.Prototype.Constants[i.C];
        Metamethods.SetIndex(thread, LuaValue.From(closure.Environment!), key, Get(thread, i.A));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void GetTable(LuaThread thread, Instruction i, in LuaValue key) =>
        Set(thread, i.A, Metamethods.Index(thread, Get(thread, i.B), key, i.B));

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void SetTable(LuaThread thread, Instruction i, in LuaValue key, in LuaValue value) =>
        Metamethods.SetIndex(thread, Get(thread, i.A), key, value, i.A);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Self(LuaThread thread, Instruction i, in LuaValue key)
    {
        LuaValue target = Get(thread, i.B);
        Set(thread, i.A + 1, target);
        Set(thread, i.A, Metamethods.Index(thread, target, key, i.B));
    }

    /// <summary>An operation on two registers, or on a register and a constant.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Arithmetic(LuaThread thread, LuaClosure closure, Instruction i)
    {
        bool isConstant = i.Op >= Op.AddConstant;
        MetaEvent kind = MetaEvent.Add + (i.Op - (isConstant ? Op.AddConstant : Op.Add));
        LuaValue right = isConstant ? closure.Prototype.Constants[i.C] : Get(thread, i.C);
        LuaValue result = Metamethods.Arithmetic(thread, kind, Get(thread, i.B), right,
            (i.B, isConstant ? -1 : i.C));
        Set(thread, i.A, result);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Negate(LuaThread thread, Instruction i)
    {
        LuaValue value = Get(thread, i.B);
        Set(thread, i.A, Metamethods.Arithmetic(thread, MetaEvent.Negate, value, value, (i.B, i.B)));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Length(LuaThread thread, Instruction i) =>
        Set(thread, i.A, Metamethods.Length(thread, Get(thread, i.B), i.B));

    /// <summary>Whether the comparison of a conditional jump comes out as it says.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static bool Compare(LuaThread thread, LuaClosure closure, Instruction i)
    {
        LuaValue left = Get(thread, i.A);
        bool isConstant = i.Op is not (Op.Equal or Op.Less or Op.LessOrEqual);
        LuaValue right = isConstant ? closure.Prototype.Constants[i.B & 0x7FFF] : Get(thread, i.B & 0xFF);
        bool expected = (i.B & (isConstant ? 0x8000 : 0x100)) != 0;
        return expected == i.Op switch
        {
            Op.Equal => Metamethods.AreEqual(thread, left, right),
            Op.EqualConstant => left.Equals(right),
            Op.Less or Op.LessConstant => Metamethods.IsLess(thread, left, right),
            Op.ConstantLess => Metamethods.IsLess(thread, right, left),
            Op.LessOrEqual or Op.LessOrEqualConstant => Metamethods.IsLessOrEqual(thread, left, right),
            _ => Metamethods.IsLessOrEqual(thread, right, left),
        };
    }

    /// <summary>Checks the start, limit and step of a numeric for.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void PrepareFor(LuaThread thread, Instruction i)
    {
        ReadOnlySpan<string> names = ["initial", "limit", "step"];
        for (int index = 0; index < names.Length; index++)
        {
            if (!Get(thread, i.A + index).TryToNumber(out double number))
                throw thread.Error($"'for' {names[index]} {(index == 0 ? "value " : "")}must be a number");
            Set(thread, i.A + index, number);
        }

        Set(thread, i.A, Get(thread, i.A).Num - Get(thread, i.A + 2).Num);
    }

    /// <summary>Goes a step of a generic for over a table without a call.</summary>
    /// <param name="iterator">A function whose steps are known.</param>
    /// <param name="loop">The registers of the loop.</param>
    /// <param name="wanted">Variables of the loop.</param>
    /// <returns>Whether it could be done.</returns>
    public static bool TryIterate(HostFunction iterator, Span<LuaValue> loop, int wanted)
    {
        if (loop[1].Ref is not LuaTable table) return false;
        LuaValue key = loop[2];
        LuaValue value;
        if (iterator.Iterator == IteratorKind.Next)
        {
            if (!table.TryNext(ref key, out value)) return false;
        }
        else
        {
            if (!key.IsNumber) return false;
            int index = (int)key.Num + 1;
            value = table.Get(index);
            key = value.IsNil ? LuaValue.Nil : (LuaValue)index;
        }

        loop[3] = key;
        if (wanted > 1) loop[4] = value;
        if (wanted > 2) loop.Slice(5, wanted - 2).Clear();
        if (!key.IsNil) loop[2] = key;
        return true;
    }

    /// <summary>Calls the function of a generic for.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void CallIterator(LuaThread thread, Instruction i)
    {
        int first = thread.Frames[thread.Depth].Base + i.A;
        int place = first + 3;
        thread.EnsureStack(place + Math.Max((int)i.B, 3) + LuaThread.HostSlack);
        Span<LuaValue> stack = thread.Stack;
        stack.Slice(first, 3).CopyTo(stack[place..]);
        int count = thread.Stack[place].Ref is LuaFunction
            ? thread.Call(place, 2)
            : thread.Call(place, thread.PrepareCall(place, 2, i.A + 3));
        for (; count < i.B; count++) thread.Stack[place + count] = default;
    }

    /// <summary>Fills the array part of a table from registers.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void SetList(LuaThread thread, Instruction i)
    {
        int place = thread.Frames[thread.Depth].Base + i.A;
        LuaTable table = thread.Stack[place].Table;
        int count = i.B != 0 ? i.B : thread.Top - place - 1;
        table.ReserveArray(i.C + count);
        for (int index = 1; index <= count; index++)
            table.Set(i.C + index, thread.Stack[place + index]);
    }

    /// <summary>Makes a closure.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void MakeClosure(LuaThread thread, LuaClosure outer, Instruction i)
    {
        Prototype prototype = outer.Prototype.Children[i.C];
        thread.Machine.Budget.Charge(LuaClosure.SizeOf(prototype));
        var closure = new LuaClosure(prototype, outer.Environment!);
        int first = thread.Frames[thread.Depth].Base;
        UpvalueSource[] sources = prototype.Upvalues;
        for (int index = 0; index < sources.Length; index++)
            closure.Upvalues[index] = sources[index].IsRegister
                ? thread.OpenUpvalueAt(first + sources[index].Index)
                : outer.Upvalues[sources[index].Index];
        Set(thread, i.A, LuaValue.From(closure));
    }

    /// <summary>Puts the surplus arguments into registers.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void GetVararg(LuaThread thread, LuaClosure closure, Instruction i)
    {
        ref Frame frame = ref thread.Frames[thread.Depth];
        int given = frame.Base - frame.Place - 1 - closure.Prototype.ParameterCount;
        int source = frame.Place + 1 + closure.Prototype.ParameterCount;
        int target = frame.Base + i.A;
        if (given < 0) given = 0;
        int wanted = i.B - 1;
        if (wanted < 0)
        {
            wanted = given;
            thread.Machine.StepCopied(given);
            thread.EnsureStack(target + given + LuaThread.HostSlack);
            thread.Top = target + given;
        }

        Span<LuaValue> stack = thread.Stack;
        int copied = Math.Min(given, wanted);
        stack.Slice(source, copied).CopyTo(stack[target..]);
        stack.Slice(target + copied, wanted - copied).Clear();
    }

    /// <summary>R[A] = R[B] .. … .. R[C]</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Concatenate(LuaThread thread, Instruction i)
    {
        int first = thread.Frames[thread.Depth].Base;
        int last = i.C;
        while (last > i.B)
        {
            Span<LuaValue> registers = thread.Stack.AsSpan(first);
            int start = TextsBefore(registers, i.B, last, out long length);
            if (start < last)
            {
                registers[start] = Join(thread, registers[start..(last + 1)], length);
                last = start;
            }
            else
            {
                LuaValue left = registers[last - 1];
                LuaValue right = registers[last];
                LuaValue handler = Metamethods.Find(thread.Machine, left, MetaEvent.Concatenate);
                if (handler.IsNil) handler = Metamethods.Find(thread.Machine, right, MetaEvent.Concatenate);
                if (handler.IsNil)
                    throw IsText(left) ? thread.TypeError("concatenate", right, last)
                        : thread.TypeError("concatenate", left, last - 1);
                LuaValue result = Metamethods.Call(thread, handler, left, right);
                Set(thread, --last, result);
            }
        }

        Set(thread, i.A, Get(thread, i.B));
    }

    private static LuaValue Get(LuaThread thread, int register) =>
        thread.Stack[thread.Frames[thread.Depth].Base + register];

    private static void Set(LuaThread thread, int register, in LuaValue value) =>
        thread.Stack[thread.Frames[thread.Depth].Base + register] = value;

    private static bool IsText(in LuaValue value) => value.IsNumber || value.IsString;

    // The first of the strings and numbers that end with a register; their length in all. Numbers become
    // strings if there are two at least.
    private static int TextsBefore(Span<LuaValue> registers, int first, int last, out long length)
    {
        length = 0;
        int start = last + 1;
        while (start > first && IsText(registers[start - 1])) start--;
        if (start >= last) return last;
        foreach (ref LuaValue value in registers[start..(last + 1)])
        {
            if (value.TryToText(out LuaString text) && value.IsNumber) value = LuaValue.FromString(text);
            length += text.Length;
        }

        return start;
    }

    private static LuaValue Join(LuaThread thread, Span<LuaValue> texts, long length)
    {
        if (length > int.MaxValue / 2) throw thread.Error("string length overflow");
        if (texts.Length == 2 && texts[0].String.Length == length) return texts[0];
        if (texts.Length == 2 && texts[1].String.Length == length) return texts[1];
        thread.Machine.Budget.Charge(LuaString.Overhead + length);
        byte[] bytes = new byte[(int)length];
        int used = 0;
        foreach (ref readonly LuaValue text in texts)
        {
            ReadOnlySpan<byte> part = text.String.Bytes;
            part.CopyTo(bytes.AsSpan(used));
            used += part.Length;
        }

        return LuaValue.FromString(LuaString.Adopt(bytes));
    }
}
