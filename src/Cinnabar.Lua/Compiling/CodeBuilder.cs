using System.Runtime.InteropServices;
using Cinnabar.Lua.Syntax;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>
/// The code of one function while it is made: instructions with their lines, constants, registers in use, and
/// jumps whose targets are not known yet. Such jumps form lists: the operand C of each is the next one, until
/// the list gets its target.
/// </summary>
internal class CodeBuilder
{
    /// <summary>The end of a list of jumps.</summary>
    public const int NoJump = -1;

    /// <summary>The register of a test whose value nobody takes.</summary>
    protected const int NoRegister = 255;

    private const int RegisterMax = 250;
    private const int ConstantMax = 1 << 18;
    private readonly List<Instruction> _code = [];
    private readonly List<int> _lines = [];
    private readonly List<LuaValue> _constants = [];
    private readonly Dictionary<LuaValue, int> _constantIndexes = [];
    private int _lastTarget;

    public CodeBuilder(Lexer lexer) => Lexer = lexer;

    /// <summary>The next instruction.</summary>
    public int Here => _code.Count;

    /// <summary>The first register that is free.</summary>
    public int FreeRegister { get; set; }

    /// <summary>Registers that the function needs.</summary>
    public int RegisterCount { get; private set; } = 2;

    /// <summary>Registers of the local variables that can be seen.</summary>
    public int ActiveCount { get; protected set; }

    protected Lexer Lexer { get; }

    protected Instruction[] Code => [.. _code];

    protected LineNumbers Lines => new(_lines);

    protected LuaValue[] Constants => [.. _constants];

    /// <summary>Adds an instruction, at the line of the last token.</summary>
    public int Emit(Op op, int a, int b, int c)
    {
        _code.Add(new Instruction(op, a, b, c));
        _lines.Add(Lexer.LastLine);
        return _code.Count - 1;
    }

    /// <summary>An instruction that can be changed.</summary>
    public ref Instruction At(int index) => ref CollectionsMarshal.AsSpan(_code)[index];

    /// <summary>Attributes the last instruction to another line.</summary>
    public void SetLine(int line) => _lines[^1] = line;

    /// <summary>Takes registers.</summary>
    public void Reserve(int count)
    {
        EnsureRegisters(count);
        FreeRegister += count;
    }

    /// <summary>Fails if registers beyond the free one cannot be had.</summary>
    public void EnsureRegisters(int count)
    {
        int needed = FreeRegister + count;
        if (needed <= RegisterCount) return;
        if (needed >= RegisterMax) throw Lexer.SyntaxError("function or expression too complex");
        RegisterCount = needed;
    }

    /// <summary>Gives a register back, unless it is a local variable's.</summary>
    public void Release(int register)
    {
        if (register < ActiveCount) return;
        FreeRegister--;
        Debug.Assert(register == FreeRegister);
    }

    /// <summary>The index of a constant.</summary>
    public int AddConstant(LuaValue value)
    {
        if (_constantIndexes.TryGetValue(value, out int index)) return index;
        if (_constants.Count >= ConstantMax) throw Lexer.Error("constant table overflow", 0);
        _constants.Add(value);
        _constantIndexes.Add(value, _constants.Count - 1);
        return _constants.Count - 1;
    }

    /// <summary>The index of a string.</summary>
    public int AddConstant(LuaString text) => AddConstant(LuaValue.FromString(text));

    /// <summary>Sets registers to nil; widens the instruction before if that did the same.</summary>
    public void EmitNil(int first, int count)
    {
        if (Here > _lastTarget && Here > 0)
        {
            ref Instruction last = ref At(Here - 1);
            if (last.Op == Op.LoadNil && last.A <= first && first <= last.B + 1)
            {
                last.B = (ushort)Math.Max(last.B, first + count - 1);
                return;
            }
        }

        Emit(Op.LoadNil, first, first + count - 1, 0);
    }

    /// <summary>A jump whose target is not known yet.</summary>
    public int EmitJump() => Emit(Op.Jump, 0, 0, NoJump);

    /// <summary>Says that code before or after may jump to the next instruction.</summary>
    public int MarkTarget() => _lastTarget = Here;

    /// <summary>Appends a list of jumps to another one.</summary>
    public void Join(ref int list, int other)
    {
        if (other == NoJump) return;
        if (list == NoJump)
        {
            list = other;
            return;
        }

        int last = list;
        while (At(last).C != NoJump) last = At(last).C;
        At(last).C = other;
    }

    /// <summary>Gives the jumps of a list their target.</summary>
    public void Patch(int list, int target) => Patch(list, target, NoRegister, target);

    /// <summary>Makes the next instruction the target of a list.</summary>
    public void PatchHere(int list) => Patch(list, MarkTarget());

    /// <summary>Gives the jumps of a list their targets.</summary>
    /// <param name="list">The list.</param>
    /// <param name="target">That of jumps that leave a value.</param>
    /// <param name="register">Where these leave it; <see cref="NoRegister"/>: nowhere.</param>
    /// <param name="otherTarget">That of jumps without a value.</param>
    protected void Patch(int list, int target, int register, int otherTarget)
    {
        while (list != NoJump)
        {
            int next = At(list).C;
            At(list).C = SetTestRegister(list, register) ? target : otherTarget;
            list = next;
        }
    }

    /// <summary>Whether a list has a jump that leaves no value.</summary>
    protected bool NeedsValue(int list)
    {
        for (; list != NoJump; list = At(list).C)
            if (At(list).Op != Op.TestSet) return true;
        return false;
    }

    /// <summary>Has the jumps of a list leave no value.</summary>
    protected void DropValues(int list)
    {
        for (; list != NoJump; list = At(list).C) SetTestRegister(list, NoRegister);
    }

    /// <summary>Inverts the condition of a jump.</summary>
    protected void Invert(int jump)
    {
        ref Instruction instruction = ref At(jump);
        instruction.B ^= instruction.Op switch
        {
            Op.Test => 1,
            Op.EqualConstant or Op.LessConstant or Op.ConstantLess or Op.LessOrEqualConstant
                or Op.ConstantLessOrEqual => 0x8000,
            _ => 0x100,
        };
    }

    /// <summary>Takes the last instruction back.</summary>
    protected void RemoveLast()
    {
        _code.RemoveAt(Here - 1);
        _lines.RemoveAt(_lines.Count - 1);
    }

    private bool SetTestRegister(int jump, int register)
    {
        ref Instruction test = ref At(jump);
        if (test.Op != Op.TestSet) return false;
        int source = test.B & 0xFF;
        if (register != NoRegister && register != source) test.A = (byte)register;
        else test = new Instruction(Op.Test, source, test.B >> 8, test.C);
        return true;
    }
}
