using Cinnabar.Lua.Syntax;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>Parses statements: compiles a source text in one pass.</summary>
internal sealed class ChunkParser : LoopParser
{
    private const int TargetCountMax = 200;

    private ChunkParser(Lexer lexer, LuaString chunk) : base(lexer, chunk)
    {
    }

    /// <summary>Compiles a source text.</summary>
    /// <param name="source">The text.</param>
    /// <param name="chunk">Its name.</param>
    /// <param name="pool">Shares its names and constants with those of other texts; null: it has its
    /// own.</param>
    /// <exception cref="LuaException">It is no Lua.</exception>
    public static Prototype Compile(ReadOnlySpan<byte> source, LuaString chunk, LuaStringPool? pool)
    {
        var parser = new ChunkParser(new Lexer(source, chunk, pool), chunk);
        parser.Function = new FunctionBuilder(parser.Lexer, chunk, null, 0) { IsVararg = true };
        parser.Lexer.Next();
        parser.ParseStatements();
        parser.Check(TokenKind.EndOfSource);
        return parser.Function.Finish(parser.Lexer.Line);
    }

    /// <inheritdoc/>
    protected override void ParseStatements()
    {
        EnterLevel();
        bool isLast = false;
        while (!isLast && !IsBlockEnd(Kind))
        {
            isLast = ParseStatement();
            TryTake(';');
            Debug.Assert(Function.FreeRegister >= Function.ActiveCount);
            Function.FreeRegister = Function.ActiveCount;
        }

        LeaveLevel();
    }

    private static bool IsBlockEnd(TokenKind kind) => kind is TokenKind.Else or TokenKind.ElseIf
        or TokenKind.End or TokenKind.Until or TokenKind.EndOfSource;

    // Gives whether nothing may follow it.
    private bool ParseStatement()
    {
        int line = Lexer.Line;
        switch (Kind)
        {
            case TokenKind.If:
                ParseIf(line);
                return false;
            case TokenKind.While:
                ParseWhile(line);
                return false;
            case TokenKind.Do:
                Lexer.Next();
                ParseBlock();
                TakeEnd(TokenKind.End, TokenKind.Do, line);
                return false;
            case TokenKind.For:
                ParseFor(line);
                return false;
            case TokenKind.Repeat:
                ParseRepeat(line);
                return false;
            case TokenKind.Function:
                ParseFunction(line);
                return false;
            case TokenKind.Local:
                Lexer.Next();
                if (TryTake(TokenKind.Function)) ParseLocalFunction();
                else ParseLocal();
                return false;
            case TokenKind.Return:
                ParseReturn();
                return true;
            case TokenKind.Break:
                Lexer.Next();
                ParseBreak();
                return true;
            default:
                ParseCallOrAssignment();
                return false;
        }
    }

    private void ParseIf(int line)
    {
        int ends = CodeBuilder.NoJump;
        int otherwise = ParseTestThenBlock();
        while (Kind == TokenKind.ElseIf)
        {
            Function.Join(ref ends, Function.EmitJump());
            Function.PatchHere(otherwise);
            otherwise = ParseTestThenBlock();
        }

        if (Kind == TokenKind.Else)
        {
            Function.Join(ref ends, Function.EmitJump());
            Function.PatchHere(otherwise);
            Lexer.Next();
            ParseBlock();
        }
        else
        {
            Function.Join(ref ends, otherwise);
        }

        Function.PatchHere(ends);
        TakeEnd(TokenKind.End, TokenKind.If, line);
    }

    private int ParseTestThenBlock()
    {
        Lexer.Next();
        int otherwise = ParseCondition();
        Take(TokenKind.Then);
        ParseBlock();
        return otherwise;
    }

    private void ParseFunction(int line)
    {
        Lexer.Next();
        Operand name = Function.Resolve(TakeName());
        while (Kind == (TokenKind)'.') ParseField(ref name);
        bool isMethod = Kind == (TokenKind)':';
        if (isMethod) ParseField(ref name);
        Operand body = ParseBody(isMethod, line);
        Function.Store(name, ref body);
        Function.SetLine(line);
    }

    private void ParseLocalFunction()
    {
        var variable = new Operand(OperandKind.Local, Function.FreeRegister);
        Function.Declare(TakeName(), 0);
        Function.Reserve(1);
        Function.Activate(1);
        Operand body = ParseBody(false, Lexer.Line);
        Function.Store(variable, ref body);
        Function.SetLocalStart();
    }

    private void ParseLocal()
    {
        int count = 0;
        do Function.Declare(TakeName(), count++);
        while (TryTake(','));
        int given = 0;
        var last = new Operand(OperandKind.None);
        if (TryTake('=')) last = ParseList(out given);
        Adjust(count, given, ref last);
        Function.Activate(count);
    }

    private void ParseReturn()
    {
        Lexer.Next();
        int first = 0;
        int count = 0;
        if (!IsBlockEnd(Kind) && Kind != (TokenKind)';')
        {
            Operand e = ParseList(out count);
            if (e.IsMultiple)
            {
                Function.SetValueCount(e, -1);
                if (e.Kind == OperandKind.Call && count == 1) Function.At(e.Info).Op = Op.TailCall;
                first = Function.ActiveCount;
                count = -1;
            }
            else if (count == 1)
            {
                first = Function.ToAnyRegister(ref e);
            }
            else
            {
                Function.ToNextRegister(ref e);
                first = Function.ActiveCount;
            }
        }

        Function.Emit(Op.Return, first, count + 1, 0);
    }

    private void ParseCallOrAssignment()
    {
        Operand e = ParsePrimary();
        if (e.Kind == OperandKind.Call)
        {
            Function.At(e.Info).C = 1;
            return;
        }

        List<Operand> targets = [e];
        CheckTarget(e);
        while (TryTake(','))
        {
            Operand next = ParsePrimary();
            CheckTarget(next);
            if (next.Kind == OperandKind.Local) KeepBefore(targets, next.Info);
            Function.CheckLimit(targets.Count + 1, TargetCountMax, "variables in assignment");
            targets.Add(next);
        }

        Take('=');
        Operand value = ParseList(out int given);
        if (given == targets.Count)
        {
            Function.Load(ref value);
            Function.Store(targets[^1], ref value);
            targets.RemoveAt(targets.Count - 1);
        }
        else
        {
            Adjust(targets.Count, given, ref value);
            if (given > targets.Count) Function.FreeRegister -= given - targets.Count;
        }

        for (int index = targets.Count - 1; index >= 0; index--)
        {
            var result = new Operand(OperandKind.Register, Function.FreeRegister - 1);
            Function.Store(targets[index], ref result);
        }
    }

    private void CheckTarget(in Operand e)
    {
        if (!e.IsIndexed && e.Kind is not (OperandKind.Local or OperandKind.Upvalue or OperandKind.Global))
            throw Lexer.SyntaxError("syntax error");
    }

    // A local variable that is assigned to may be the table or key of a target before: these take a copy.
    private void KeepBefore(List<Operand> targets, int register)
    {
        int copy = Function.FreeRegister;
        bool isUsed = false;
        for (int index = 0; index < targets.Count; index++)
        {
            Operand target = targets[index];
            if (target.IsIndexed && target.Info == register)
            {
                isUsed = true;
                target.Info = copy;
            }

            if (target.Kind == OperandKind.IndexedByRegister && target.Aux == register)
            {
                isUsed = true;
                target.Aux = copy;
            }

            targets[index] = target;
        }

        if (!isUsed) return;
        Function.Emit(Op.Move, copy, register, 0);
        Function.Reserve(1);
    }
}
