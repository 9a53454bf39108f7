using Cinnabar.Lua.Syntax;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>Parses blocks and loops.</summary>
internal abstract class LoopParser(Lexer lexer, LuaString chunk) : ExpressionParser(lexer, chunk)
{
    protected void ParseBlock()
    {
        Function.Enter(false);
        ParseStatements();
        Function.Leave();
    }

    protected int ParseCondition()
    {
        Operand e = ParseExpression();
        if (e.Kind == OperandKind.Nil) e.Kind = OperandKind.False;
        Function.GoIfTrue(ref e);
        return e.WhenFalse;
    }

    protected void ParseWhile(int line)
    {
        Lexer.Next();
        int start = Function.MarkTarget();
        int exit = ParseCondition();
        Function.Enter(true);
        Take(TokenKind.Do);
        ParseBlock();
        Function.Patch(Function.EmitJump(), start);
        TakeEnd(TokenKind.End, TokenKind.While, line);
        Function.Leave();
        Function.PatchHere(exit);
    }

    protected void ParseRepeat(int line)
    {
        int start = Function.MarkTarget();
        Function.Enter(true);
        Block scope = Function.Enter(false);
        Lexer.Next();
        ParseStatements();
        TakeEnd(TokenKind.Until, TokenKind.Repeat, line);
        int exit = ParseCondition();
        if (scope.HasUpvalue)
        {
            ParseBreak();
            Function.PatchHere(exit);
            Function.Leave();
            Function.Patch(Function.EmitJump(), start);
        }
        else
        {
            Function.Leave();
            Function.Patch(exit, start);
        }

        Function.Leave();
    }

    protected void ParseBreak()
    {
        Block? block = Function.Block;
        bool hasUpvalue = false;
        while (block is not null && !block.IsLoop)
        {
            hasUpvalue |= block.HasUpvalue;
            block = block.Outer;
        }

        if (block is null) throw Lexer.SyntaxError("no loop to break");
        if (hasUpvalue) Function.Emit(Op.Close, block.ActiveCount, 0, 0);
        Function.Join(ref block.Breaks, Function.EmitJump());
    }

    protected void ParseFor(int line)
    {
        Function.Enter(true);
        Lexer.Next();
        LuaString name = TakeName();
        if (Kind == (TokenKind)'=') ParseNumericFor(name, line);
        else if (Kind is (TokenKind)',' or TokenKind.In) ParseGenericFor(name);
        else throw Lexer.SyntaxError("'=' or 'in' expected");
        TakeEnd(TokenKind.End, TokenKind.For, line);
        Function.Leave();
    }

    private void ParseNumericFor(LuaString name, int line)
    {
        int first = Function.FreeRegister;
        Hide("(for index)", 0);
        Hide("(for limit)", 1);
        Hide("(for step)", 2);
        Function.Declare(name, 3);
        Lexer.Next();
        ParseToRegister();
        Take(',');
        ParseToRegister();
        if (TryTake(','))
        {
            ParseToRegister();
        }
        else
        {
            var one = new Operand(OperandKind.Number) { Number = 1 };
            Function.ToNextRegister(ref one);
        }

        Function.Activate(3);
        Take(TokenKind.Do);
        int prepare = Function.Emit(Op.ForPrepare, first, 0, CodeBuilder.NoJump);
        ParseForBlock(1);
        Function.PatchHere(prepare);
        Function.Emit(Op.ForLoop, first, 0, prepare + 1);
        Function.SetLine(line);
    }

    private void ParseGenericFor(LuaString name)
    {
        int first = Function.FreeRegister;
        Hide("(for generator)", 0);
        Hide("(for state)", 1);
        Hide("(for control)", 2);
        Function.Declare(name, 3);
        int count = 4;
        while (TryTake(',')) Function.Declare(TakeName(), count++);
        Take(TokenKind.In);
        int line = Lexer.Line;
        Operand last = ParseList(out int given);
        Adjust(3, given, ref last);
        Function.EnsureRegisters(3);
        Function.Activate(3);
        Take(TokenKind.Do);
        int start = Function.EmitJump();
        ParseForBlock(count - 3);
        Function.PatchHere(start);
        Function.Emit(Op.ForIn, first, count - 3, start + 1);
        Function.SetLine(line);
    }

    private void ParseForBlock(int variableCount)
    {
        Function.Enter(false);
        Function.Activate(variableCount);
        Function.Reserve(variableCount);
        ParseBlock();
        Function.Leave();
    }

    private void Hide(string name, int index) => Function.Declare(Lexer.Unique(LuaString.From(name)), index);

    private void ParseToRegister()
    {
        Operand e = ParseExpression();
        Function.ToNextRegister(ref e);
    }

    // Makes the values of a list as many as there are variables.
    protected void Adjust(int wanted, int given, ref Operand last)
    {
        int missing = wanted - given;
        if (last.IsMultiple)
        {
            missing = Math.Max(missing + 1, 0);
            Function.SetValueCount(last, missing);
            if (missing > 1) Function.Reserve(missing - 1);
            return;
        }

        if (last.Kind != OperandKind.None) Function.ToNextRegister(ref last);
        if (missing <= 0) return;
        int register = Function.FreeRegister;
        Function.Reserve(missing);
        Function.EmitNil(register, missing);
    }
}
