using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// Runs bytecode: one loop over the instructions of the current call. A call of Lua by Lua takes a row of the
/// thread's stack of calls and goes on in the same loop.
///
/// The loop has the plain cases: numbers, tables without metatables, strings as keys. Everything else is in
/// <see cref="Operations"/>. Before an operation that may fail or call, the row gets the next instruction
/// ("frame.Next = pc"); after one that may call, "reload" takes the registers anew, because the stack may be
/// another array. "enter" takes everything anew, after a call or a return.
///
/// It is one method, longer than the house's limit, because the compiler keeps the instruction pointer, the
/// code and the registers in registers of the processor only within a method.
/// </summary>
internal static class Interpreter
{
    /// <summary>Runs the current call of a thread until it returns.</summary>
    /// <returns>Number of results, which lie where its function was; negative: it has yielded.</returns>
    public static int Run(LuaThread thread) =>
        thread.Machine.OnLine is null ? Run<NoHook>(thread) : Run<LineHook>(thread);

    private static int Run<THook>(LuaThread thread) where THook : struct, IStepHook
    {
        LuaMachine machine = thread.Machine;
    enter:
        ref Frame frame = ref thread.Frames[thread.Depth];
        var closure = (LuaClosure)frame.Function!;
        Instruction[] code = closure.Prototype.Code;
        LuaValue[] constants = closure.Prototype.Constants;
        int pc = frame.Next;
        Span<LuaValue> r = thread.Stack.AsSpan(frame.Base);
        while (true)
        {
            if (THook.IsActive)
            {
                int last = frame.Next - 1;
                frame.Next = pc + 1;
                machine.ReportLine(thread, closure.Prototype, pc, last);
                frame = ref thread.Frames[thread.Depth];
                r = thread.Stack.AsSpan(frame.Base);
            }

            ref readonly Instruction i = ref code[pc++];
            switch (i.Op)
            {
                case Op.Move:
                    r[i.A] = r[i.B];
                    continue;
                case Op.LoadConstant:
                    r[i.A] = constants[i.C];
                    continue;
                case Op.LoadBoolean:
                    r[i.A] = LuaValue.FromBoolean(i.B != 0);
                    if (i.C != 0) pc++;
                    continue;
                case Op.LoadNil:
                    r.Slice(i.A, i.B - i.A + 1).Clear();
                    continue;
                case Op.GetUpvalue:
                    r[i.A] = closure.Upvalues[i.B].Value;
                    continue;
                case Op.SetUpvalue:
                    closure.Upvalues[i.B].Value = r[i.A];
                    continue;
                case Op.GetGlobal:
                {
                    LuaTable globals = closure.Environment!;
                    LuaValue value = globals.Get((LuaString)constants[i.C].Ref!);
                    if (value.Ref is not null || globals.Metatable is null)
                    {
                        r[i.A] = value;
                        continue;
                    }

                    frame.Next = pc;
                    Operations.GetGlobal(thread, closure, i);
                    goto reload;
                }

                case Op.SetGlobal:
                {
                    LuaTable globals = closure.Environment!;
                    if (globals.IsPlain)
                    {
                        globals.SetPlain((LuaString)constants[i.C].Ref!, r[i.A]);
                        continue;
                    }

                    frame.Next = pc;
                    Operations.SetGlobal(thread, closure, i);
                    goto reload;
                }

                case Op.GetField:
                {
                    if (r[i.B].Ref is LuaTable table)
                    {
                        LuaValue value = table.Get((LuaString)constants[i.C].Ref!);
                        if (value.Ref is not null || table.Metatable is null)
                        {
                            r[i.A] = value;
                            continue;
                        }
                    }

                    frame.Next = pc;
                    Operations.GetTable(thread, i, constants[i.C]);
                    goto reload;
                }

                case Op.GetInteger:
                {
                    if (r[i.B].Ref is LuaTable table)
                    {
                        LuaValue value = table.Get(i.C);
                        if (value.Ref is not null || table.Metatable is null)
                        {
                            r[i.A] = value;
                            continue;
                        }
                    }

                    frame.Next = pc;
                    Operations.GetTable(thread, i, (double)i.C);
                    goto reload;
                }

                case Op.GetTable:
                {
                    ref LuaValue key = ref r[i.C];
                    if (r[i.B].Ref is LuaTable table)
                    {
                        LuaValue value = key.Ref == (object)LuaValue.NumberTag ? table.Get(key.Num)
                            : key.Ref is LuaString text ? table.Get(text) : table.Get(key);
                        if (value.Ref is not null || table.Metatable is null)
                        {
                            r[i.A] = value;
                            continue;
                        }
                    }

                    frame.Next = pc;
                    Operations.GetTable(thread, i, key);
                    goto reload;
                }

                case Op.SetField:
                {
                    ref LuaValue value = ref i.B < OperandBuilder.FirstConstant
                        ? ref r[i.B] : ref constants[i.B - OperandBuilder.FirstConstant];
                    if (r[i.A].Ref is LuaTable { IsPlain: true } table)
                    {
                        table.SetPlain((LuaString)constants[i.C].Ref!, value);
                        continue;
                    }

                    frame.Next = pc;
                    Operations.SetTable(thread, i, constants[i.C], value);
                    goto reload;
                }

                case Op.SetInteger:
                {
                    ref LuaValue value = ref i.B < OperandBuilder.FirstConstant
                        ? ref r[i.B] : ref constants[i.B - OperandBuilder.FirstConstant];
                    if (r[i.A].Ref is LuaTable { IsPlain: true } table)
                    {
                        table.SetPlain(i.C, value);
                        continue;
                    }

                    frame.Next = pc;
                    Operations.SetTable(thread, i, (double)i.C, value);
                    goto reload;
                }

                case Op.SetTable:
                {
                    ref LuaValue key = ref r[i.B];
                    ref LuaValue value = ref i.C < OperandBuilder.FirstConstant
                        ? ref r[i.C] : ref constants[i.C - OperandBuilder.FirstConstant];
                    if (r[i.A].Ref is LuaTable { IsPlain: true } table)
                    {
                        if (key.Ref == (object)LuaValue.NumberTag)
                        {
                            int index = (int)key.Num;
                            if (index == key.Num)
                            {
                                table.SetPlain(index, value);
                                continue;
                            }
                        }
                        else if (key.Ref is LuaString text)
                        {
                            table.SetPlain(text, value);
                            continue;
                        }
                    }

                    frame.Next = pc;
                    Operations.SetTable(thread, i, key, value);
                    goto reload;
                }

                case Op.NewTable:
                    frame.Next = pc;
                    r[i.A] = LuaValue.From(new LuaTable(machine.Budget, i.B, i.C));
                    continue;
                case Op.Self:
                {
                    if (r[i.B].Ref is LuaTable table)
                    {
                        LuaValue value = table.Get((LuaString)constants[i.C].Ref!);
                        if (value.Ref is not null)
                        {
                            r[i.A + 1] = r[i.B];
                            r[i.A] = value;
                            continue;
                        }
                    }

                    frame.Next = pc;
                    Operations.Self(thread, i, constants[i.C]);
                    goto reload;
                }

                case Op.Add:
                {
                    ref LuaValue x = ref r[i.B];
                    ref LuaValue y = ref r[i.C];
                    if (!x.IsNumber || !y.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(x.Num + y.Num);
                    continue;
                }

                case Op.Subtract:
                {
                    ref LuaValue x = ref r[i.B];
                    ref LuaValue y = ref r[i.C];
                    if (!x.IsNumber || !y.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(x.Num - y.Num);
                    continue;
                }

                case Op.Multiply:
                {
                    ref LuaValue x = ref r[i.B];
                    ref LuaValue y = ref r[i.C];
                    if (!x.IsNumber || !y.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(x.Num * y.Num);
                    continue;
                }

                case Op.Divide:
                {
                    ref LuaValue x = ref r[i.B];
                    ref LuaValue y = ref r[i.C];
                    if (!x.IsNumber || !y.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(x.Num / y.Num);
                    continue;
                }

                case Op.Modulo:
                {
                    ref LuaValue x = ref r[i.B];
                    ref LuaValue y = ref r[i.C];
                    if (!x.IsNumber || !y.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(Metamethods.Modulo(x.Num, y.Num));
                    continue;
                }

                case Op.AddConstant:
                {
                    ref LuaValue x = ref r[i.B];
                    if (!x.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(x.Num + constants[i.C].Num);
                    continue;
                }

                case Op.SubtractConstant:
                {
                    ref LuaValue x = ref r[i.B];
                    if (!x.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(x.Num - constants[i.C].Num);
                    continue;
                }

                case Op.MultiplyConstant:
                {
                    ref LuaValue x = ref r[i.B];
                    if (!x.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(x.Num * constants[i.C].Num);
                    continue;
                }

                case Op.DivideConstant:
                {
                    ref LuaValue x = ref r[i.B];
                    if (!x.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(x.Num / constants[i.C].Num);
                    continue;
                }

                case Op.ModuloConstant:
                {
                    ref LuaValue x = ref r[i.B];
                    if (!x.IsNumber) goto arithmetic;
                    r[i.A].SetNumber(Metamethods.Modulo(x.Num, constants[i.C].Num));
                    continue;
                }

                case Op.Power or Op.PowerConstant:
                arithmetic:
                    frame.Next = pc;
                    Operations.Arithmetic(thread, closure, i);
                    goto reload;
                case Op.Negate:
                    if (r[i.B].IsNumber)
                    {
                        r[i.A].SetNumber(-r[i.B].Num);
                        continue;
                    }

                    frame.Next = pc;
                    Operations.Negate(thread, i);
                    goto reload;
                case Op.Not:
                    r[i.A] = LuaValue.FromBoolean(!r[i.B].IsTruthy);
                    continue;
                case Op.Length:
                {
                    if (r[i.B].Ref is LuaTable table)
                    {
                        r[i.A].SetNumber(table.Length);
                        continue;
                    }

                    frame.Next = pc;
                    Operations.Length(thread, i);
                    goto reload;
                }

                case Op.Concatenate:
                    frame.Next = pc;
                    Operations.Concatenate(thread, i);
                    goto reload;
                case Op.Jump:
                    if (i.C < pc) goto backward;
                    pc = i.C;
                    continue;
                case Op.Test:
                    if (r[i.A].IsTruthy != (i.B != 0)) continue;
                    goto jump;
                case Op.TestSet:
                {
                    ref LuaValue value = ref r[i.B & 0xFF];
                    if (value.IsTruthy != (i.B > 0xFF)) continue;
                    r[i.A] = value;
                    goto jump;
                }

                case Op.Equal:
                {
                    ref LuaValue x = ref r[i.A];
                    ref LuaValue y = ref r[i.B & 0xFF];
                    if (x.Ref is LuaTable or LuaUserdata) goto compare;
                    if (x.Equals(y) != (i.B > 0xFF)) continue;
                    goto jump;
                }

                case Op.EqualConstant:
                    if (r[i.A].Equals(constants[i.B & 0x7FFF]) != (i.B > 0x7FFF)) continue;
                    goto jump;
                case Op.Less:
                {
                    ref LuaValue x = ref r[i.A];
                    ref LuaValue y = ref r[i.B & 0xFF];
                    if (!x.IsNumber || !y.IsNumber) goto compare;
                    if (x.Num < y.Num != (i.B > 0xFF)) continue;
                    goto jump;
                }

                case Op.LessConstant:
                {
                    ref LuaValue x = ref r[i.A];
                    if (!x.IsNumber) goto compare;
                    if (x.Num < constants[i.B & 0x7FFF].Num != (i.B > 0x7FFF)) continue;
                    goto jump;
                }

                case Op.ConstantLess:
                {
                    ref LuaValue x = ref r[i.A];
                    if (!x.IsNumber) goto compare;
                    if (constants[i.B & 0x7FFF].Num < x.Num != (i.B > 0x7FFF)) continue;
                    goto jump;
                }

                case Op.LessOrEqual:
                {
                    ref LuaValue x = ref r[i.A];
                    ref LuaValue y = ref r[i.B & 0xFF];
                    if (!x.IsNumber || !y.IsNumber) goto compare;
                    if (x.Num <= y.Num != (i.B > 0xFF)) continue;
                    goto jump;
                }

                case Op.LessOrEqualConstant:
                {
                    ref LuaValue x = ref r[i.A];
                    if (!x.IsNumber) goto compare;
                    if (x.Num <= constants[i.B & 0x7FFF].Num != (i.B > 0x7FFF)) continue;
                    goto jump;
                }

                case Op.ConstantLessOrEqual:
                {
                    ref LuaValue x = ref r[i.A];
                    if (!x.IsNumber) goto compare;
                    if (constants[i.B & 0x7FFF].Num <= x.Num != (i.B > 0x7FFF)) continue;
                    goto jump;
                }

                compare:
                    frame.Next = pc;
                    bool isTaken = Operations.Compare(thread, closure, i);
                    frame = ref thread.Frames[thread.Depth];
                    r = thread.Stack.AsSpan(frame.Base);
                    if (!isTaken) continue;
                jump:
                    if (i.C < pc) goto backward;
                    pc = i.C;
                    continue;
                case Op.Call:
                {
                    frame.Next = pc;
                    if (--machine.StepsLeft <= 0) machine.CallInterrupt();
                    int place = frame.Base + i.A;
                    int count = i.B != 0 ? i.B - 1 : thread.Top - place - 1;
                retry:
                    object? function = thread.Stack[place].Ref;
                    if (function is LuaClosure callee)
                    {
                        thread.PushCall(callee, place, count, i.C - 1);
                        goto enter;
                    }

                    if (function is not HostFunction called)
                    {
                        count = thread.PrepareCall(place, count, i.A);
                        goto retry;
                    }

                    count = thread.CallHost(called, place, count);
                    if (count < 0) return count;
                    thread.TakeResults(place, count, i.C - 1);
                    goto reload;
                }

                case Op.TailCall:
                {
                    frame.Next = pc;
                    if (--machine.StepsLeft <= 0) machine.CallInterrupt();
                    int place = frame.Base + i.A;
                    int count = i.B != 0 ? i.B - 1 : thread.Top - place - 1;
                    if (thread.Stack[place].Ref is not LuaFunction)
                        count = thread.PrepareCall(place, count, i.A);
                    if (thread.Stack[place].Ref is HostFunction host)
                    {
                        count = thread.CallHost(host, place, count);
                        if (count < 0) return count;
                        thread.TakeResults(place, count, -1);
                        goto reload;
                    }

                    thread.ReplaceCall(place, count);
                    goto enter;
                }

                case Op.Return:
                {
                    int count = i.B - 1;
                    if (count < 0)
                    {
                        frame.Next = pc;
                        count = thread.Top - frame.Base - i.A;
                        machine.StepCopied(count);
                    }

                    if (thread.OpenUpvalues is not null) thread.CloseUpvalues(frame.Base);
                    thread.Stack.AsSpan(frame.Base + i.A, count).CopyTo(thread.Stack.AsSpan(frame.Place));
                    thread.Depth--;
                    if (frame.IsEntry) return count;
                    thread.TakeResults(frame.Place, count, frame.Wanted);
                    goto enter;
                }

                case Op.ReturnNone:
                    thread.Depth--;
                    if (frame.IsEntry) return 0;
                    if (frame.Wanted != 0) thread.TakeResults(frame.Place, 0, frame.Wanted);
                    goto enter;
                case Op.ReturnOne:
                    thread.Stack[frame.Place] = r[i.A];
                    thread.Depth--;
                    if (frame.IsEntry) return 1;
                    if (frame.Wanted != 1) thread.TakeResults(frame.Place, 1, frame.Wanted);
                    goto enter;
                case Op.ForLoop:
                {
                    Span<LuaValue> loop = r.Slice(i.A, 4);
                    double step = loop[2].Num;
                    double index = loop[0].Num + step;
                    if (!(step > 0 ? index <= loop[1].Num : loop[1].Num <= index)) continue;
                    loop[0].Num = index;
                    loop[3].SetNumber(index);
                    goto backward;
                }

                case Op.ForPrepare:
                {
                    Span<LuaValue> loop = r.Slice(i.A, 3);
                    if (loop[0].IsNumber && loop[1].IsNumber && loop[2].IsNumber)
                    {
                        loop[0].Num -= loop[2].Num;
                        pc = i.C;
                        continue;
                    }

                    frame.Next = pc;
                    Operations.PrepareFor(thread, i);
                    pc = i.C;
                    goto reload;
                }

                case Op.ForIn:
                    frame.Next = pc;
                    if (r[i.A].Ref is HostFunction { Iterator: not IteratorKind.None } iterator
                        && Operations.TryIterate(iterator, r[i.A..], i.B))
                    {
                        if (r[i.A + 3].Ref is null) continue;
                        goto backward;
                    }

                    Operations.CallIterator(thread, i);
                    frame = ref thread.Frames[thread.Depth];
                    r = thread.Stack.AsSpan(frame.Base);
                    if (r[i.A + 3].Ref is null) continue;
                    r[i.A + 2] = r[i.A + 3];
                    goto backward;
                case Op.SetList:
                    frame.Next = pc;
                    Operations.SetList(thread, i);
                    continue;
                case Op.Close:
                    thread.CloseUpvalues(frame.Base + i.A);
                    continue;
                case Op.Closure:
                    frame.Next = pc;
                    Operations.MakeClosure(thread, closure, i);
                    continue;
                case Op.Vararg:
                    frame.Next = pc;
                    Operations.GetVararg(thread, closure, i);
                    goto reload;
                default:
                    throw new UnreachableException();
                backward:
                    pc = i.C;
                    if (--machine.StepsLeft > 0) continue;
                    // An interrupt that looks at the line finds that of the jump's target.
                    frame.Next = pc + 1;
                    machine.CallInterrupt();
                    goto reload;
            }

        reload:
            frame = ref thread.Frames[thread.Depth];
            r = thread.Stack.AsSpan(frame.Base);
        }
    }
}
