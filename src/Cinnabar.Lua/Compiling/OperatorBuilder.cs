using Cinnabar.Lua.Syntax;

namespace Cinnabar.Lua.Compiling;

/// <summary>Makes the code of operators.</summary>
internal class OperatorBuilder(Lexer lexer) : OperandBuilder(lexer)
{
    /// <summary>Constants that an operand of 15 bits can name.</summary>
    private const int ShortConstantMax = 0x7FFF;

    /// <summary>-e</summary>
    public void EmitNegation(ref Operand e)
    {
        if (e.IsNumeral && !double.IsNaN(e.Number)) e.Number = -e.Number;
        else EmitUnary(Op.Negate, ref e);
    }

    /// <summary>#e</summary>
    public void EmitLength(ref Operand e) => EmitUnary(Op.Length, ref e);

    /// <summary>not e</summary>
    public void EmitInversion(ref Operand e) => EmitNot(ref e);

    /// <summary>What has to be done with the left operand before the right one is parsed.</summary>
    public void Prepare(Operator kind, ref Operand left)
    {
        switch (kind)
        {
            case Operator.And:
                GoIfTrue(ref left);
                break;
            case Operator.Or:
                GoIfFalse(ref left);
                break;
            case Operator.Concatenate:
                ToNextRegister(ref left);
                break;
            case Operator.Equal or Operator.NotEqual:
                ToValue(ref left);
                if (!left.IsConstant) ToAnyRegister(ref left);
                break;
            default:
                if (!left.IsNumeral) ToAnyRegister(ref left);
                break;
        }
    }

    /// <summary>Makes the operation of both operands, in the place of the left one.</summary>
    public void Combine(Operator kind, ref Operand left, ref Operand right)
    {
        switch (kind)
        {
            case Operator.And:
                Load(ref right);
                Join(ref right.WhenFalse, left.WhenFalse);
                left = right;
                break;
            case Operator.Or:
                Load(ref right);
                Join(ref right.WhenTrue, left.WhenTrue);
                left = right;
                break;
            case Operator.Concatenate:
                CombineTexts(ref left, ref right);
                break;
            case Operator.Equal or Operator.NotEqual:
                CombineEqual(kind == Operator.Equal, ref left, ref right);
                break;
            case Operator.Less:
                CombineLess(Op.Less, ref left, ref right);
                break;
            case Operator.LessOrEqual:
                CombineLess(Op.LessOrEqual, ref left, ref right);
                break;
            case Operator.Greater:
                CombineSwapped(Op.Less, ref left, ref right);
                break;
            case Operator.GreaterOrEqual:
                CombineSwapped(Op.LessOrEqual, ref left, ref right);
                break;
            default:
                CombineNumbers(kind, ref left, ref right);
                break;
        }
    }

    private static bool TryFold(Operator kind, double left, double right, out double result)
    {
        result = kind switch
        {
            Operator.Add => left + right,
            Operator.Subtract => left - right,
            Operator.Multiply => left * right,
            Operator.Divide => left / right,
            Operator.Modulo => left - Math.Floor(left / right) * right,
            _ => Math.Pow(left, right),
        };
        return !double.IsNaN(result) && (right != 0 || kind is not (Operator.Divide or Operator.Modulo));
    }

    private void EmitUnary(Op op, ref Operand e)
    {
        ToAnyRegister(ref e);
        Free(e);
        e = new Operand(OperandKind.Relocatable, Emit(op, 0, e.Info, 0));
    }

    private void CombineTexts(ref Operand left, ref Operand right)
    {
        ToValue(ref right);
        if (right.Kind == OperandKind.Relocatable && At(right.Info).Op == Op.Concatenate)
        {
            Debug.Assert(left.Info == At(right.Info).B - 1);
            Free(left);
            At(right.Info).B = (ushort)left.Info;
            left = new Operand(OperandKind.Relocatable, right.Info);
            return;
        }

        ToNextRegister(ref right);
        FreeBoth(left, right);
        left = new Operand(OperandKind.Relocatable, Emit(Op.Concatenate, 0, left.Info, right.Info));
    }

    private void CombineNumbers(Operator kind, ref Operand left, ref Operand right)
    {
        if (left.IsNumeral && right.IsNumeral && TryFold(kind, left.Number, right.Number, out double result))
        {
            left.Number = result;
            return;
        }

        byte step = (byte)(kind - Operator.Add);
        if (right.IsNumeral)
        {
            ToAnyRegister(ref left);
            Free(left);
            int constant = ConstantOf(right);
            left = new Operand(OperandKind.Relocatable,
                Emit(Op.AddConstant + step, 0, left.Info, constant));
            return;
        }

        ToAnyRegister(ref right);
        ToAnyRegister(ref left);
        FreeBoth(left, right);
        left = new Operand(OperandKind.Relocatable, Emit(Op.Add + step, 0, left.Info, right.Info));
    }

    private void CombineEqual(bool condition, ref Operand left, ref Operand right)
    {
        ToValue(ref right);
        if (left.IsConstant && !right.IsConstant) (left, right) = (right, left);
        if (right.IsConstant && ConstantOf(right) is <= ShortConstantMax and var constant)
        {
            ToAnyRegister(ref left);
            Free(left);
            left = JumpOf(Op.EqualConstant, left.Info, constant, condition ? 0x8000 : 0);
            return;
        }

        ToAnyRegister(ref right);
        ToAnyRegister(ref left);
        FreeBoth(left, right);
        left = JumpOf(Op.Equal, left.Info, right.Info, condition ? 0x100 : 0);
    }

    private void CombineSwapped(Op op, ref Operand left, ref Operand right)
    {
        Operand second = left;
        CombineLess(op, ref right, ref second);
        left = right;
    }

    // Each comparison is followed by its forms with a constant on the right and on the left.
    private void CombineLess(Op op, ref Operand left, ref Operand right)
    {
        if (right.IsNumeral && !left.IsNumeral && ConstantOf(right) is <= ShortConstantMax and var constant)
        {
            ToAnyRegister(ref left);
            Free(left);
            left = JumpOf(op + (byte)1, left.Info, constant, 0x8000);
            return;
        }

        if (left.IsNumeral && !right.IsNumeral && ConstantOf(left) is <= ShortConstantMax and var first)
        {
            ToAnyRegister(ref right);
            Free(right);
            left = JumpOf(op + (byte)2, right.Info, first, 0x8000);
            return;
        }

        ToAnyRegister(ref right);
        ToAnyRegister(ref left);
        FreeBoth(left, right);
        left = JumpOf(op, left.Info, right.Info, 0x100);
    }

    private Operand JumpOf(Op op, int a, int b, int condition) =>
        new(OperandKind.Jump, Emit(op, a, b | condition, NoJump));

    // The later register first: registers are given back like a stack.
    private void FreeBoth(in Operand left, in Operand right)
    {
        if (left.Info > right.Info)
        {
            Free(left);
            Free(right);
        }
        else
        {
            Free(right);
            Free(left);
        }
    }
}
