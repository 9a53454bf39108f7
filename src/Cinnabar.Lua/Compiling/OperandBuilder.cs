using Cinnabar.Lua.Syntax;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>
/// Makes the code of expressions. An operand's code is made as late as possible ("The Implementation of Lua
/// 5.0"), so that a local variable is used where it is and a value is made in the register where it is
/// wanted.
/// </summary>
internal class OperandBuilder(Lexer lexer) : CodeBuilder(lexer)
{
    /// <summary>In operands RK: the first that is a constant.</summary>
    public const int FirstConstant = 256;

    private const int ConstantOperandMax = 0x7FFF;

    /// <summary>Makes a variable a value: in a register, or made by an instruction whose register is
    /// open.</summary>
    public void Load(ref Operand e)
    {
        switch (e.Kind)
        {
            case OperandKind.Local:
                e.Kind = OperandKind.Register;
                return;
            case OperandKind.Upvalue:
                e.Info = Emit(Op.GetUpvalue, 0, e.Info, 0);
                break;
            case OperandKind.Global:
                e.Info = Emit(Op.GetGlobal, 0, 0, e.Info);
                break;
            case OperandKind.IndexedByRegister:
                Release(e.Aux);
                Release(e.Info);
                e.Info = Emit(Op.GetTable, 0, e.Info, e.Aux);
                break;
            case OperandKind.IndexedByField:
                Release(e.Info);
                e.Info = Emit(Op.GetField, 0, e.Info, e.Aux);
                break;
            case OperandKind.IndexedByInteger:
                Release(e.Info);
                e.Info = Emit(Op.GetInteger, 0, e.Info, e.Aux);
                break;
            case OperandKind.Call:
                e.Kind = OperandKind.Register;
                e.Info = At(e.Info).A;
                return;
            case OperandKind.Vararg:
                At(e.Info).B = 2;
                break;
            default:
                return;
        }

        e.Kind = OperandKind.Relocatable;
    }

    /// <summary>Gives a call or surplus arguments a number of values; -1: all.</summary>
    public void SetValueCount(in Operand e, int count)
    {
        ref Instruction instruction = ref At(e.Info);
        if (e.Kind == OperandKind.Call)
        {
            instruction.C = count + 1;
        }
        else
        {
            instruction.B = (ushort)(count + 1);
            instruction.A = (byte)FreeRegister;
            Reserve(1);
        }
    }

    /// <summary>Puts a value into the next free register.</summary>
    public void ToNextRegister(ref Operand e)
    {
        Load(ref e);
        Free(e);
        Reserve(1);
        ToRegister(ref e, FreeRegister - 1);
    }

    /// <summary>Puts a value into a register, where it is not in one.</summary>
    public int ToAnyRegister(ref Operand e)
    {
        Load(ref e);
        if (e.Kind == OperandKind.Register)
        {
            if (!e.HasJumps) return e.Info;
            if (e.Info >= ActiveCount)
            {
                ToRegister(ref e, e.Info);
                return e.Info;
            }
        }

        ToNextRegister(ref e);
        return e.Info;
    }

    /// <summary>Has a value depend on no jumps any more.</summary>
    public void ToValue(ref Operand e)
    {
        if (e.HasJumps) ToAnyRegister(ref e);
        else Load(ref e);
    }

    /// <summary>A register, or <see cref="FirstConstant"/> and the index of a constant.</summary>
    public int ToRegisterOrConstant(ref Operand e)
    {
        ToValue(ref e);
        if (e.IsConstant)
        {
            int index = ConstantOf(e);
            if (index <= ConstantOperandMax) return FirstConstant + index;
        }

        return ToAnyRegister(ref e);
    }

    /// <summary>Gives a value's register back.</summary>
    public void Free(in Operand e)
    {
        if (e.Kind == OperandKind.Register) Release(e.Info);
    }

    /// <summary>Assigns a value to a variable.</summary>
    public void Store(in Operand variable, ref Operand value)
    {
        switch (variable.Kind)
        {
            case OperandKind.Local:
                Free(value);
                ToRegister(ref value, variable.Info);
                return;
            case OperandKind.Upvalue:
                Emit(Op.SetUpvalue, ToAnyRegister(ref value), variable.Info, 0);
                break;
            case OperandKind.Global:
                Emit(Op.SetGlobal, ToAnyRegister(ref value), 0, variable.Info);
                break;
            case OperandKind.IndexedByRegister:
                Emit(Op.SetTable, variable.Info, variable.Aux, ToRegisterOrConstant(ref value));
                break;
            case OperandKind.IndexedByField:
                Emit(Op.SetField, variable.Info, ToRegisterOrConstant(ref value), variable.Aux);
                break;
            default:
                Debug.Assert(variable.Kind == OperandKind.IndexedByInteger);
                Emit(Op.SetInteger, variable.Info, ToRegisterOrConstant(ref value), variable.Aux);
                break;
        }

        Free(value);
    }

    /// <summary>Makes a table (in a register) and a key (a value) an entry of the table.</summary>
    public void Index(ref Operand table, ref Operand key)
    {
        table.Kind = OperandKind.IndexedByRegister;
        if (key.IsNumeral && (int)key.Number == key.Number)
        {
            table.Kind = OperandKind.IndexedByInteger;
            table.Aux = (int)key.Number;
        }
        else if (key is { Kind: OperandKind.Constant, HasJumps: false })
        {
            table.Kind = OperandKind.IndexedByField;
            table.Aux = key.Info;
        }
        else
        {
            table.Aux = ToAnyRegister(ref key);
        }
    }

    /// <summary>Makes a value the function of a method call, and its object the first argument.</summary>
    public void Self(ref Operand e, int name)
    {
        ToAnyRegister(ref e);
        Free(e);
        int function = FreeRegister;
        Reserve(2);
        Emit(Op.Self, function, e.Info, name);
        e = new Operand(OperandKind.Register, function);
    }

    /// <summary>Goes on if a value is true, else jumps by its list.</summary>
    public void GoIfTrue(ref Operand e)
    {
        Load(ref e);
        int jump = e.Kind switch
        {
            OperandKind.Constant or OperandKind.Number or OperandKind.True => NoJump,
            OperandKind.False => EmitJump(),
            OperandKind.Jump => InvertedJump(e),
            _ => JumpIf(ref e, false),
        };
        Join(ref e.WhenFalse, jump);
        PatchHere(e.WhenTrue);
        e.WhenTrue = NoJump;
    }

    /// <summary>Goes on if a value is false, else jumps by its list.</summary>
    public void GoIfFalse(ref Operand e)
    {
        Load(ref e);
        int jump = e.Kind switch
        {
            OperandKind.Nil or OperandKind.False => NoJump,
            OperandKind.True => EmitJump(),
            OperandKind.Jump => e.Info,
            _ => JumpIf(ref e, true),
        };
        Join(ref e.WhenTrue, jump);
        PatchHere(e.WhenFalse);
        e.WhenFalse = NoJump;
    }

    /// <summary>The index of a constant operand.</summary>
    protected int ConstantOf(in Operand e) => e.Kind switch
    {
        OperandKind.Nil => AddConstant(LuaValue.Nil),
        OperandKind.True => AddConstant(LuaValue.True),
        OperandKind.False => AddConstant(LuaValue.False),
        OperandKind.Number => AddConstant(e.Number),
        _ => e.Info,
    };

    /// <summary>not e</summary>
    protected void EmitNot(ref Operand e)
    {
        Load(ref e);
        switch (e.Kind)
        {
            case OperandKind.Nil or OperandKind.False:
                e.Kind = OperandKind.True;
                break;
            case OperandKind.Constant or OperandKind.Number or OperandKind.True:
                e.Kind = OperandKind.False;
                break;
            case OperandKind.Jump:
                Invert(e.Info);
                break;
            default:
                LoadToAnyRegister(ref e);
                Free(e);
                e.Info = Emit(Op.Not, 0, e.Info, 0);
                e.Kind = OperandKind.Relocatable;
                break;
        }

        (e.WhenTrue, e.WhenFalse) = (e.WhenFalse, e.WhenTrue);
        DropValues(e.WhenFalse);
        DropValues(e.WhenTrue);
    }

    private int InvertedJump(in Operand e)
    {
        Invert(e.Info);
        return e.Info;
    }

    private int JumpIf(ref Operand e, bool condition)
    {
        if (e.Kind == OperandKind.Relocatable && At(e.Info).Op == Op.Not)
        {
            int source = At(e.Info).B;
            RemoveLast();
            return Emit(Op.Test, source, condition ? 0 : 1, NoJump);
        }

        LoadToAnyRegister(ref e);
        Free(e);
        return Emit(Op.TestSet, NoRegister, e.Info | (condition ? 0x100 : 0), NoJump);
    }

    private void LoadToAnyRegister(ref Operand e)
    {
        if (e.Kind == OperandKind.Register) return;
        Reserve(1);
        LoadTo(ref e, FreeRegister - 1);
    }

    // The value without its jumps.
    private void LoadTo(ref Operand e, int register)
    {
        Load(ref e);
        switch (e.Kind)
        {
            case OperandKind.Nil:
                EmitNil(register, 1);
                break;
            case OperandKind.True or OperandKind.False:
                Emit(Op.LoadBoolean, register, e.Kind == OperandKind.True ? 1 : 0, 0);
                break;
            case OperandKind.Constant or OperandKind.Number:
                Emit(Op.LoadConstant, register, 0, ConstantOf(e));
                break;
            case OperandKind.Relocatable:
                At(e.Info).A = (byte)register;
                break;
            case OperandKind.Register:
                if (register != e.Info) Emit(Op.Move, register, e.Info, 0);
                break;
            default:
                Debug.Assert(e.Kind is OperandKind.None or OperandKind.Jump);
                return;
        }

        e.Info = register;
        e.Kind = OperandKind.Register;
    }

    private void ToRegister(ref Operand e, int register)
    {
        LoadTo(ref e, register);
        if (e.Kind == OperandKind.Jump) Join(ref e.WhenTrue, e.Info);
        if (e.HasJumps)
        {
            int whenFalse = NoJump;
            int whenTrue = NoJump;
            if (NeedsValue(e.WhenTrue) || NeedsValue(e.WhenFalse))
            {
                int around = e.Kind == OperandKind.Jump ? NoJump : EmitJump();
                MarkTarget();
                whenFalse = Emit(Op.LoadBoolean, register, 0, 1);
                MarkTarget();
                whenTrue = Emit(Op.LoadBoolean, register, 1, 0);
                PatchHere(around);
            }

            int end = MarkTarget();
            Patch(e.WhenFalse, end, register, whenFalse);
            Patch(e.WhenTrue, end, register, whenTrue);
        }

        e = new Operand(OperandKind.Register, register);
    }
}
