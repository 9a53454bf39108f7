using Cinnabar.Lua.Syntax;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>Parses expressions and has their code made.</summary>
internal abstract class ExpressionParser(Lexer lexer, LuaString chunk) : TokenParser(lexer)
{
    private const int UnaryPriority = 8;
    private const int FieldsPerStore = 50;

    protected LuaString Chunk { get; } = chunk;

    protected FunctionBuilder Function { get; set; } = null!;

    /// <summary>Parses the statements of a function.</summary>
    protected abstract void ParseStatements();

    protected Operand ParseExpression()
    {
        ParseOperators(0, out Operand e);
        return e;
    }

    /// <summary>Parses expressions between commas; all but the last are put into registers.</summary>
    protected Operand ParseList(out int count)
    {
        count = 1;
        Operand e = ParseExpression();
        while (TryTake(','))
        {
            Function.ToNextRegister(ref e);
            e = ParseExpression();
            count++;
        }

        return e;
    }

    /// <summary>A variable, a call, or an expression in parentheses.</summary>
    protected Operand ParsePrimary()
    {
        Operand e = ParsePrefix();
        while (true)
            switch (Kind)
            {
                case (TokenKind)'.':
                    ParseField(ref e);
                    break;
                case (TokenKind)'[':
                    Function.ToAnyRegister(ref e);
                    Operand key = ParseBracket();
                    Function.Index(ref e, ref key);
                    break;
                case (TokenKind)':':
                    Lexer.Next();
                    int name = Function.AddConstant(TakeName());
                    Function.Self(ref e, name);
                    ParseArguments(ref e);
                    break;
                case (TokenKind)'(' or (TokenKind)'{' or TokenKind.String:
                    Function.ToNextRegister(ref e);
                    ParseArguments(ref e);
                    break;
                default:
                    return e;
            }
    }

    /// <summary>.name</summary>
    protected void ParseField(ref Operand e)
    {
        Function.ToAnyRegister(ref e);
        Lexer.Next();
        var key = new Operand(OperandKind.Constant, Function.AddConstant(TakeName()));
        Function.Index(ref e, ref key);
    }

    /// <summary>Parameters and statements of a function.</summary>
    protected Operand ParseBody(bool isMethod, int line)
    {
        Function = new FunctionBuilder(Lexer, Chunk, Function, line);
        Take('(');
        if (isMethod)
        {
            Function.Declare(Lexer.Unique(LuaString.From("self")), 0);
            Function.Activate(1);
        }

        ParseParameters();
        Take(')');
        ParseStatements();
        int lastLine = Lexer.Line;
        TakeEnd(TokenKind.End, TokenKind.Function, line);
        Prototype prototype = Function.Finish(lastLine);
        Function = Function.Outer!;
        int index = Function.AddChild(prototype);
        return new Operand(OperandKind.Relocatable, Function.Emit(Op.Closure, 0, 0, index));
    }

    private void ParseParameters()
    {
        int count = 0;
        if (Kind != (TokenKind)')')
            do
            {
                if (Kind == TokenKind.Name)
                {
                    Function.Declare(TakeName(), count++);
                }
                else if (TryTake(TokenKind.Dots))
                {
                    // The surplus arguments are in a table, as in 5.0, where the function does not use "...".
                    Function.Declare(Lexer.Unique(LuaString.From("arg")), count++);
                    Function.IsVararg = true;
                    Function.NeedsArgumentTable = true;
                }
                else
                {
                    throw Lexer.SyntaxError("<name> or '...' expected");
                }
            }
            while (!Function.IsVararg && TryTake(','));
        Function.Activate(count);
        Function.ParameterCount = Function.ActiveCount - (Function.IsVararg ? 1 : 0);
        Function.Reserve(Function.ActiveCount);
    }

    private Operand ParsePrefix()
    {
        if (Kind == TokenKind.Name) return Function.Resolve(TakeName());
        if (Kind != (TokenKind)'(') throw Lexer.SyntaxError("unexpected symbol");
        int line = Lexer.Line;
        Lexer.Next();
        Operand e = ParseExpression();
        TakeEnd((TokenKind)')', (TokenKind)'(', line);
        Function.Load(ref e);
        return e;
    }

    private Operand ParseBracket()
    {
        Lexer.Next();
        Operand e = ParseExpression();
        Function.ToValue(ref e);
        Take(']');
        return e;
    }

    private void ParseArguments(ref Operand function)
    {
        int line = Lexer.Line;
        var last = new Operand(OperandKind.None);
        switch (Kind)
        {
            case (TokenKind)'(':
                if (line != Lexer.LastLine)
                    throw Lexer.SyntaxError("ambiguous syntax (function call x new statement)");
                Lexer.Next();
                if (Kind != (TokenKind)')')
                {
                    last = ParseList(out _);
                    if (last.IsMultiple) Function.SetValueCount(last, -1);
                }

                TakeEnd((TokenKind)')', (TokenKind)'(', line);
                break;
            case (TokenKind)'{':
                last = ParseTable();
                break;
            case TokenKind.String:
                last = new Operand(OperandKind.Constant, Function.AddConstant(Lexer.Token.Text!));
                Lexer.Next();
                break;
            default:
                throw Lexer.SyntaxError("function arguments expected");
        }

        int first = function.Info;
        int count = -1;
        if (!last.IsMultiple)
        {
            if (last.Kind != OperandKind.None) Function.ToNextRegister(ref last);
            count = Function.FreeRegister - first - 1;
        }

        function = new Operand(OperandKind.Call, Function.Emit(Op.Call, first, count + 1, 2));
        Function.SetLine(line);
        Function.FreeRegister = first + 1;
    }

    private Operand ParseTable()
    {
        int line = Lexer.Line;
        int instruction = Function.Emit(Op.NewTable, 0, 0, 0);
        var table = new Operand(OperandKind.Relocatable, instruction);
        Function.ToNextRegister(ref table);
        var item = new Operand(OperandKind.None);
        int itemCount = 0;
        int pairCount = 0;
        int waiting = 0;
        Take('{');
        while (Kind != (TokenKind)'}')
        {
            if (item.Kind != OperandKind.None)
            {
                Function.ToNextRegister(ref item);
                item = new Operand(OperandKind.None);
                if (waiting == FieldsPerStore) StoreItems(table.Info, itemCount, ref waiting);
            }

            if (Kind == (TokenKind)'[' || (Kind == TokenKind.Name && Lexer.LookAhead() == (TokenKind)'='))
            {
                ParsePair(table);
                pairCount++;
            }
            else
            {
                item = ParseExpression();
                itemCount++;
                waiting++;
            }

            if (!TryTake(',') && !TryTake(';')) break;
        }

        TakeEnd((TokenKind)'}', (TokenKind)'{', line);
        if (item.IsMultiple)
        {
            Function.SetValueCount(item, -1);
            Function.Emit(Op.SetList, table.Info, 0, itemCount - waiting);
            Function.FreeRegister = table.Info + 1;
            itemCount--;
        }
        else if (waiting > 0)
        {
            if (item.Kind != OperandKind.None) Function.ToNextRegister(ref item);
            StoreItems(table.Info, itemCount, ref waiting);
        }

        Function.At(instruction).B = (ushort)Math.Min(RoundedSize(itemCount), ushort.MaxValue);
        Function.At(instruction).C = RoundedSize(pairCount);
        return table;
    }

    // 5.1 keeps sizes in a byte, as a number of three binary digits and an exponent.
    private static int RoundedSize(int size)
    {
        int exponent = 0;
        while (size >= 16)
        {
            size = (size + 1) >> 1;
            exponent++;
        }

        return size << exponent;
    }

    private void StoreItems(int table, int itemCount, ref int waiting)
    {
        Function.Emit(Op.SetList, table, waiting, itemCount - waiting);
        Function.FreeRegister = table + 1;
        waiting = 0;
    }

    private void ParsePair(Operand table)
    {
        int free = Function.FreeRegister;
        Operand key;
        if (Kind == TokenKind.Name) key = new Operand(OperandKind.Constant, Function.AddConstant(TakeName()));
        else key = ParseBracket();
        Take('=');
        Function.Index(ref table, ref key);
        Operand value = ParseExpression();
        Function.Store(table, ref value);
        Function.FreeRegister = free;
    }

    private Operand ParseSimple()
    {
        Operand e;
        switch (Kind)
        {
            case TokenKind.Number:
                e = new Operand(OperandKind.Number) { Number = Lexer.Token.Number };
                break;
            case TokenKind.String:
                e = new Operand(OperandKind.Constant, Function.AddConstant(Lexer.Token.Text!));
                break;
            case TokenKind.Nil:
                e = new Operand(OperandKind.Nil);
                break;
            case TokenKind.True:
                e = new Operand(OperandKind.True);
                break;
            case TokenKind.False:
                e = new Operand(OperandKind.False);
                break;
            case TokenKind.Dots:
                if (!Function.IsVararg)
                    throw Lexer.SyntaxError("cannot use '...' outside a vararg function");
                Function.NeedsArgumentTable = false;
                e = new Operand(OperandKind.Vararg, Function.Emit(Op.Vararg, 0, 2, 0));
                break;
            case (TokenKind)'{':
                return ParseTable();
            case TokenKind.Function:
                Lexer.Next();
                return ParseBody(false, Lexer.Line);
            default:
                return ParsePrimary();
        }

        Lexer.Next();
        return e;
    }

    // Takes operators that bind more than the limit; gives the first that does not.
    private Operator ParseOperators(int limit, out Operand e)
    {
        EnterLevel();
        TokenKind unary = Kind;
        if (unary is TokenKind.Not or (TokenKind)'-' or (TokenKind)'#')
        {
            Lexer.Next();
            ParseOperators(UnaryPriority, out e);
            if (unary == TokenKind.Not) Function.EmitInversion(ref e);
            else if (unary == (TokenKind)'-') Function.EmitNegation(ref e);
            else Function.EmitLength(ref e);
        }
        else
        {
            e = ParseSimple();
        }

        Operator found = OperatorOf(Kind);
        while (found != Operator.None && PriorityOf(found).Left > limit)
        {
            Lexer.Next();
            Function.Prepare(found, ref e);
            Operator next = ParseOperators(PriorityOf(found).Right, out Operand right);
            Function.Combine(found, ref e, ref right);
            found = next;
        }

        LeaveLevel();
        return found;
    }

    private static Operator OperatorOf(TokenKind kind) => kind switch
    {
        (TokenKind)'+' => Operator.Add,
        (TokenKind)'-' => Operator.Subtract,
        (TokenKind)'*' => Operator.Multiply,
        (TokenKind)'/' => Operator.Divide,
        (TokenKind)'%' => Operator.Modulo,
        (TokenKind)'^' => Operator.Power,
        TokenKind.Concat => Operator.Concatenate,
        TokenKind.NotEqual => Operator.NotEqual,
        TokenKind.Equal => Operator.Equal,
        (TokenKind)'<' => Operator.Less,
        TokenKind.LessOrEqual => Operator.LessOrEqual,
        (TokenKind)'>' => Operator.Greater,
        TokenKind.GreaterOrEqual => Operator.GreaterOrEqual,
        TokenKind.And => Operator.And,
        TokenKind.Or => Operator.Or,
        _ => Operator.None,
    };

    private static (int Left, int Right) PriorityOf(Operator kind) => kind switch
    {
        Operator.Add or Operator.Subtract => (6, 6),
        Operator.Multiply or Operator.Divide or Operator.Modulo => (7, 7),
        Operator.Power => (10, 9),
        Operator.Concatenate => (5, 4),
        Operator.And => (2, 2),
        Operator.Or => (1, 1),
        _ => (3, 3),
    };
}
