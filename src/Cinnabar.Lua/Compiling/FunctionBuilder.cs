using Cinnabar.Lua.Syntax;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>A function while it is compiled: its local variables, upvalues, blocks and children.</summary>
internal sealed class FunctionBuilder(Lexer lexer, LuaString chunk, FunctionBuilder? outer, int firstLine)
    : OperatorBuilder(lexer)
{
    private const int LocalCountMax = 200;
    private const int UpvalueCountMax = 60;

    private readonly List<LocalVariable> _locals = [];
    private readonly List<int> _active = [];
    private readonly List<UpvalueSource> _upvalues = [];
    private readonly List<Prototype> _children = [];
    private bool _hasCapturedLocal;

    /// <summary>The function around it.</summary>
    public FunctionBuilder? Outer { get; } = outer;

    /// <summary>The innermost block.</summary>
    public Block? Block { get; private set; }

    public int ParameterCount { get; set; }

    public bool IsVararg { get; set; }

    public bool NeedsArgumentTable { get; set; }

    /// <summary>Adds a local variable, the <paramref name="index"/>th that is declared and not active
    /// yet.</summary>
    public void Declare(LuaString name, int index)
    {
        CheckLimit(ActiveCount + index + 1, LocalCountMax, "local variables");
        _locals.Add(new LocalVariable(name, ActiveCount + index, 0, 0));
        _active.Add(_locals.Count - 1);
    }

    /// <summary>From now on the next declared variables can be seen.</summary>
    public void Activate(int count)
    {
        for (int index = 0; index < count; index++)
        {
            int local = _active[ActiveCount++];
            _locals[local] = _locals[local] with { Start = Here };
        }
    }

    /// <summary>Has the last activated variable begin here, for messages.</summary>
    public void SetLocalStart()
    {
        int local = _active[ActiveCount - 1];
        _locals[local] = _locals[local] with { Start = Here };
    }

    /// <summary>Starts a block.</summary>
    public Block Enter(bool isLoop)
    {
        Debug.Assert(FreeRegister == ActiveCount);
        return Block = new Block(Block, ActiveCount, isLoop);
    }

    /// <summary>Ends the innermost block.</summary>
    public void Leave()
    {
        Block block = Block!;
        Block = block.Outer;
        Deactivate(block.ActiveCount);
        if (block.HasUpvalue) Emit(Op.Close, block.ActiveCount, 0, 0);
        Debug.Assert(!block.IsLoop || !block.HasUpvalue || block.ActiveCount == ActiveCount);
        FreeRegister = ActiveCount;
        PatchHere(block.Breaks);
    }

    /// <summary>The variable of a name.</summary>
    public Operand Resolve(LuaString name) => TryResolve(name, true, out Operand variable)
        ? variable
        : new Operand(OperandKind.Global, AddConstant(name));

    /// <summary>Adds the prototype of a function within it.</summary>
    public int AddChild(Prototype child)
    {
        _children.Add(child);
        return _children.Count - 1;
    }

    /// <summary>Ends the function.</summary>
    public Prototype Finish(int lastLine)
    {
        Deactivate(0);
        Emit(Op.Return, 0, 1, 0);
        Instruction[] code = Code;
        if (!_hasCapturedLocal)
            foreach (ref Instruction instruction in code.AsSpan())
                if (instruction is { Op: Op.Return, B: 1 or 2 })
                    instruction.Op = instruction.B == 1 ? Op.ReturnNone : Op.ReturnOne;
        return new Prototype
        {
            Chunk = chunk,
            FirstLine = firstLine,
            LastLine = lastLine,
            Code = code,
            Lines = Lines,
            Constants = Constants,
            Children = [.. _children],
            Upvalues = [.. _upvalues],
            Locals = [.. _locals],
            ParameterCount = ParameterCount,
            IsVararg = IsVararg,
            NeedsArgumentTable = NeedsArgumentTable,
            RegisterCount = RegisterCount,
        };
    }

    /// <summary>Fails if a count is above its limit.</summary>
    public void CheckLimit(int count, int limit, string what)
    {
        if (count <= limit) return;
        throw Lexer.Error(firstLine == 0
            ? $"main function has more than {limit} {what}"
            : $"function at line {firstLine} has more than {limit} {what}", 0);
    }

    private void Deactivate(int remaining)
    {
        while (ActiveCount > remaining)
        {
            int local = _active[--ActiveCount];
            _locals[local] = _locals[local] with { End = Here };
            _active.RemoveAt(ActiveCount);
        }
    }

    private bool TryResolve(LuaString name, bool isInner, out Operand variable)
    {
        for (int register = ActiveCount - 1; register >= 0; register--)
        {
            if (!_locals[_active[register]].Name.Equals(name)) continue;
            if (!isInner) MarkCaptured(register);
            variable = new Operand(OperandKind.Local, register);
            return true;
        }

        variable = default;
        if (Outer is null || !Outer.TryResolve(name, false, out Operand outer)) return false;
        variable = new Operand(OperandKind.Upvalue, UpvalueFor(name, outer));
        return true;
    }

    private void MarkCaptured(int register)
    {
        _hasCapturedLocal = true;
        Block? block = Block;
        while (block is not null && block.ActiveCount > register) block = block.Outer;
        if (block is not null) block.HasUpvalue = true;
    }

    private int UpvalueFor(LuaString name, in Operand outer)
    {
        var source = new UpvalueSource(name, outer.Kind == OperandKind.Local, outer.Info);
        int index = _upvalues.IndexOf(source);
        if (index >= 0) return index;
        CheckLimit(_upvalues.Count + 1, UpvalueCountMax, "upvalues");
        _upvalues.Add(source);
        return _upvalues.Count - 1;
    }
}
