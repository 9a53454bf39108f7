using Cinnabar.Lua.Syntax;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>Takes tokens one by one, and counts how deep the parser's calls are nested.</summary>
internal abstract class TokenParser(Lexer lexer)
{
    private const int DepthMax = 200;
    private int _depth;

    protected Lexer Lexer { get; } = lexer;

    protected TokenKind Kind => Lexer.Token.Kind;

    /// <summary>Counts a level of nesting: the parser calls itself.</summary>
    protected void EnterLevel()
    {
        if (++_depth > DepthMax) throw Lexer.Error("chunk has too many syntax levels", 0);
    }

    protected void LeaveLevel() => _depth--;

    protected bool TryTake(TokenKind kind)
    {
        if (Kind != kind) return false;
        Lexer.Next();
        return true;
    }

    protected bool TryTake(char kind) => TryTake((TokenKind)kind);

    protected void Check(TokenKind kind)
    {
        if (Kind != kind) throw Lexer.SyntaxError($"'{Lexer.TextOf(kind)}' expected");
    }

    protected void Take(TokenKind kind)
    {
        Check(kind);
        Lexer.Next();
    }

    protected void Take(char kind) => Take((TokenKind)kind);

    /// <summary>Takes what ends something that began at a line.</summary>
    protected void TakeEnd(TokenKind kind, TokenKind start, int line)
    {
        if (TryTake(kind)) return;
        if (line == Lexer.Line) Check(kind);
        throw Lexer.SyntaxError(
            $"'{Lexer.TextOf(kind)}' expected (to close '{Lexer.TextOf(start)}' at line {line})");
    }

    protected LuaString TakeName()
    {
        Check(TokenKind.Name);
        LuaString name = Lexer.Token.Text!;
        Lexer.Next();
        return name;
    }
}
