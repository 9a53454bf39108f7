using System;
using System.Linq;
using System.Text;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>
/// Writes a random program of Lua 5.1. It ends: loops are short and functions call only those before them.
/// Its operands are of all types, so most programs run into errors; each part is a protected call that prints
/// the message.
/// </summary>
internal sealed class LuaProgramWriter(Random random)
{
    private const int DepthMax = 3;
    private static readonly string[] s_locals = ["a", "b", "c", "d"];
    private static readonly string[] s_globals = ["x", "y", "z"];
    private static readonly string[] s_constants =
    [
        "nil", "true", "false", "0", "1", "2", "-1", "3.5", "0.1", "1e15", "'s'", "'10'", "''", "'0x1'", "{}",
        "{1, 2, 3}",
        "{k = 1, n = {k = 2}}", "(1/0)", "(0/0)", "-0", "'a b'", "100",
    ];

    private static readonly string[] s_operators =
        ["+", "-", "*", "/", "%", "^", "==", "~=", "<", "<=", ">", ">=", "and", "or"];

    private readonly StringBuilder _text = new();
    private int _functionCount;
    private int _loopDepth;

    /// <summary>A program.</summary>
    public string Write()
    {
        _text.Append("local a, b, c, d = 1, 'two', {k = 3, n = {}, 4, 5}, nil\nx, y = 7, {n = {k = 8}}\n");
        _text.Append("local m = setmetatable({}, {__index = function(t, k) return k end, ");
        _text.Append("__add = function() return 'sum' end, ");
        _text.Append("__concat = function() return 'cat' end, __call = function(_, v) return v end, ");
        _text.Append("__eq = function() return true end, __lt = function() return false end})\n");
        int parts = random.Next(3, 8);
        for (int part = 0; part < parts; part++)
        {
            if (random.Next(3) == 0) WriteFunction();
            _text.Append("print(pcall(function()\n");
            WriteStatements(0);
            _text.Append($"return {Expression(0)}, {Expression(1)}\nend))\n");
        }

        _text.Append("print(a, b, c, d, x, y, z, #c == 2)\n");
        return _text.ToString();
    }

    private void WriteFunction()
    {
        int number = _functionCount++;
        string parameters = Pick("p, q", "p", "...", "p, ...", "");
        _text.Append($"local function f{number}({parameters})\nlocal p = p or {Expression(2)}\n");
        WriteStatements(2);
        _text.Append(Pick("return p\n", "return p, 1\n", "return\n", $"return {Expression(1)}\n"));
        _text.Append("end\n");
    }

    private void WriteStatements(int depth)
    {
        for (int count = random.Next(1, 5); count > 0; count--) WriteStatement(depth);
    }

    private void WriteStatement(int depth)
    {
        int kind = random.Next(depth < DepthMax && _loopDepth < 2 ? 16 : 9);
        switch (kind)
        {
            case < 4:
                _text.Append($"{Target()} = {Expression(depth)}\n");
                break;
            case 4:
                _text.Append($"{Target()}, {Target()} = {Expression(depth)}, {Expression(depth)}\n");
                break;
            case 5:
                _text.Append($"local {Pick(s_locals)} = {Expression(depth)}\n");
                break;
            case 6:
                _text.Append($"local {Pick(s_locals)}, {Pick(s_locals)} = {Call(depth)}\n");
                break;
            case 7:
                _text.Append($"print({Expression(depth)}, {Expression(depth)})\n");
                break;
            case 8:
                _text.Append($"{Call(depth)};\n");
                break;
            case 9 or 10:
                _text.Append($"if {Expression(depth)} then\n");
                WriteStatements(depth + 1);
                if (random.Next(2) == 0)
                {
                    _text.Append($"elseif not {Operand(depth)} then\n");
                    WriteStatements(depth + 1);
                    _text.Append("else\n");
                    WriteStatements(depth + 1);
                }

                _text.Append("end\n");
                break;
            case 15:
                _text.Append("do\n");
                WriteStatements(depth + 1);
                _text.Append("end\n");
                break;
            default:
                WriteLoop(kind, depth);
                break;
        }
    }

    private void WriteLoop(int kind, int depth)
    {
        _loopDepth++;
        string end = "end\n";
        switch (kind)
        {
            case 11:
                _text.Append($"for i = 1, {random.Next(4)} do\n");
                break;
            case 12:
                _text.Append($"for i, {Pick(s_locals)} in ipairs({{{Expression(1)}, {Operand(1)}}}) do\n");
                break;
            case 13:
                _text.Append("local n = 0\nwhile n < 2 do\nn = n + 1\n");
                break;
            default:
                _text.Append("local r = 0\nrepeat\nr = r + 1\n");
                end = $"until r > 1 or {Expression(1)}\n";
                break;
        }

        WriteStatements(depth + 1);
        if (random.Next(4) == 0) _text.Append($"if {Expression(1)} then break end\n");
        if (random.Next(4) == 0)
            _text.Append($"local e = {Operand(0)} z = function() e = {Expression(2)} return e end\n");
        _text.Append(end);
        _loopDepth--;
    }

    private string Target() => random.Next(6) switch
    {
        0 => Pick(s_globals),
        1 => $"{Pick(s_locals)}.{Pick("k", "n", "n.k")}",
        2 => $"{Pick(s_locals)}[{Operand(2)}]",
        3 => $"{Pick(s_globals)}.{Pick("k", "n")}",
        _ => Pick(s_locals),
    };

    private string Call(int depth) => random.Next(8) switch
    {
        0 => $"tostring({Expression(depth + 1)})",
        1 => $"tonumber({Expression(depth + 1)})",
        2 => $"select({random.Next(-1, 4)}, {Expression(depth + 1)}, {Expression(depth + 1)})",
        3 => $"{Pick(s_locals)}({Expression(depth + 1)})",
        4 => $"{Pick(s_locals)}:{Pick("k", "n")}({Expression(depth + 1)})",
        5 => $"{Pick(s_globals)}.{Pick("k", "n")}({Expression(depth + 1)})",
        6 => $"m({Expression(depth + 1)})",
        _ => _functionCount == 0 ? $"type({Expression(depth + 1)})"
            : $"f{random.Next(_functionCount)}({Expression(depth + 1)}, {Operand(depth)})",
    };

    private string Expression(int depth)
    {
        if (depth > DepthMax) return Operand(depth);
        return random.Next(10) switch
        {
            < 4 => $"{Operand(depth)} {Pick(s_operators)} {Operand(depth)}",
            4 => $"({Expression(depth + 1)} {Pick(s_operators)} {Expression(depth + 1)})",
            5 => $"{Pick("not ", "-", "#")}{Operand(depth)}",
            6 => $"{Operand(depth)} .. {Pick("'s'", "1", "m", "nil")}",
            7 => Call(depth),
            _ => Operand(depth),
        };
    }

    private string Operand(int depth) => random.Next(9) switch
    {
        < 3 => Pick(s_locals),
        3 => Pick(s_globals),
        4 => $"{Pick(s_locals)}.{Pick("k", "n", "n.k")}",
        5 => depth < DepthMax ? $"({Expression(depth + 1)})" : "m",
        6 => $"c[{random.Next(1, 4)}]",
        _ => Pick(s_constants),
    };

    private string Pick(params ReadOnlySpan<string> choices) => choices[random.Next(choices.Length)];
}
