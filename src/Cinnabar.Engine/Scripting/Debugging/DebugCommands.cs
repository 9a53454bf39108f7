using Cinnabar.Engine.Scripts;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>The commands of a debugging client.</summary>
internal sealed class DebugCommands(ScriptDebugger debugger, LuaMachine lua)
{
    private const int ListedLines = 5;

    private readonly ScriptDebugger _debugger = debugger;
    private readonly DebugLog _log = debugger.Log;
    private readonly DebugSource _source = debugger.Source;
    private readonly LuaMachine _lua = lua;

    private static string[] Help =>
    [
        "Redis Lua debugger help:",
        "[h]elp               Show this help.",
        "[s]tep               Run current line and stop again.",
        "[n]ext               Alias for step.",
        "[c]ontinue           Run till next breakpoint.",
        "[l]ist               List source code around current line.",
        "[l]ist [line]        List source code around [line].",
        "                     line = 0 means: current position.",
        "[l]ist [line] [ctx]  In this form [ctx] specifies how many lines",
        "                     to show before/after [line].",
        "[w]hole              List all source code. Alias for 'list 1 1000000'.",
        "[p]rint              Show all the local variables.",
        "[p]rint <var>        Show the value of the specified variable.",
        "                     Can also show global vars KEYS and ARGV.",
        "[b]reak              Show all breakpoints.",
        "[b]reak <line>       Add a breakpoint to the specified line.",
        "[b]reak -<line>      Remove breakpoint from the specified line.",
        "[b]reak 0            Remove all breakpoints.",
        "[t]race              Show a backtrace.",
        "[e]val <code>        Execute some Lua code (in a different callframe).",
        "[r]edis <cmd>        Execute a Redis command.",
        "[m]axlen [len]       Trim logged Redis replies and Lua var dumps to len.",
        "                     Specifying zero as <len> means unlimited.",
        "[a]bort              Stop the execution of the script. In sync",
        "                     mode dataset changes will be retained.",
        "",
        "Debugger functions you can call from Lua scripts:",
        "redis.debug()        Produce logs in the debugger console.",
        "redis.breakpoint()   Stop execution like if there was a breakpoint in the",
        "                     next line of code.",
    ];

    /// <summary>Runs a command; the log has its lines.</summary>
    public DebugCommandOutcome Run(ReadOnlySpan<string> words)
    {
        Debug.Assert(words.Length > 0, "a command has a word");
        switch (words[0].ToLowerInvariant())
        {
            case "s" or "step" or "n" or "next":
                return DebugCommandOutcome.Step;
            case "c" or "continue":
                return DebugCommandOutcome.Continue;
            case "a" or "abort":
                return DebugCommandOutcome.Abort;
            case "h" or "help":
                foreach (string line in Help)
                    _log.Add(line);
                break;
            case "l" or "list":
                List(words);
                break;
            case "w" or "whole":
                List(1, int.MaxValue);
                break;
            case "p" or "print":
                Print(words);
                break;
            case "b" or "break":
                Break(words[1..]);
                break;
            case "t" or "trace":
                Trace();
                break;
            case "m" or "maxlen":
                BoundLength(words);
                break;
            case "e" or "eval" when words.Length > 1:
                Evaluate(string.Join(' ', words[1..]!));
                break;
            case "r" or "redis" when words.Length > 1:
                CallCommand(words[1..]);
                break;
            default:
                _log.Add("<error> Unknown Redis Lua debugger command or wrong number of arguments.");
                break;
        }

        return DebugCommandOutcome.Stay;
    }

    // As C's atoi: the digits that a word begins with.
    private static int LeadingInteger(string word)
    {
        ReadOnlySpan<char> text = word.AsSpan().TrimStart(" \t\n\v\f\r");
        int end = text is ['-' or '+', ..] ? 1 : 0;
        while (end < text.Length && char.IsAsciiDigit(text[end]))
            end++;
        return int.TryParse(text[..end], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture,
            out int value) ? value : 0;
    }

    private void List(ReadOnlySpan<string> words)
    {
        int line = words.Length > 1 ? LeadingInteger(words[1]) : 0;
        int range = words.Length > 2 ? LeadingInteger(words[2]) : ListedLines;
        List(line > 0 ? line : _debugger.Line, range);
    }

    private void List(int around, long range)
    {
        for (int line = 1; line <= _source.LineCount; line++)
        {
            if (Math.Abs((long)line - around) <= range)
                _log.Add(_source.Show(line, _debugger.Line));
        }
    }

    private void Print(ReadOnlySpan<string> words)
    {
        if (words.Length == 2)
        {
            PrintVariable(words[1]);
            return;
        }

        var locals = _lua.Locals(0);
        foreach ((string name, LuaValue value) in locals)
            _log.AddCut($"<value> {name} = {DebugText.Of(value)}");
        if (locals.Count == 0)
            _log.Add("No local variables in the current context.");
    }

    // The innermost function that has such a variable.
    private void PrintVariable(string name)
    {
        for (int level = 0; _lua.HasLevel(level); level++)
        {
            foreach ((string local, LuaValue value) in _lua.Locals(level))
            {
                if (local != name)
                    continue;
                _log.AddCut("<value> " + DebugText.Of(value));
                return;
            }
        }

        if (name is "KEYS" or "ARGV")
            _log.AddCut("<value> " + DebugText.Of(_lua.Globals.Get(LuaString.From(name))));
        else
            _log.Add("No such variable.");
    }

    private void Break(ReadOnlySpan<string> words)
    {
        if (words.IsEmpty)
        {
            ShowBreakpoints();
            return;
        }

        foreach (string word in words)
        {
            if (!RedisNumber.TryParseInt64(Encoding.Latin1.GetBytes(word), out long line))
            {
                _log.Add($"Invalid argument:'{word}'");
            }
            else if (line == 0)
            {
                _source.RemoveAll();
                _log.Add("All breakpoints removed.");
            }
            else if (line < 0)
            {
                _log.Add(line != long.MinValue && _source.TryRemove(-line)
                    ? "Breakpoint removed." : "No breakpoint in the specified line.");
            }
            else
            {
                AddBreakpoint(line);
            }
        }
    }

    private void AddBreakpoint(long line)
    {
        if (_source.IsFull)
            _log.Add("Too many breakpoints set.");
        else if (_source.TryAdd(line))
            List((int)line, 1);
        else
            _log.Add("Wrong line number.");
    }

    private void ShowBreakpoints()
    {
        if (_source.Breakpoints.Count == 0)
        {
            _log.Add("No breakpoints set. Use 'b <line>' to add one.");
            return;
        }

        _log.Add($"{_source.Breakpoints.Count} breakpoints set:");
        foreach (int line in _source.Breakpoints)
            _log.Add(_source.Show(line, _debugger.Line));
    }

    private void Trace()
    {
        for (int level = 0; _lua.HasLevel(level); level++)
        {
            if (_lua.CurrentChunk(level)?.ToString() != Script.ChunkName)
                continue;
            _log.Add($"{(level == 0 ? "In" : "From")} {_lua.FunctionName(level) ?? "top level"}:");
            _log.Add(_source.Show(_lua.CurrentLine(level), _debugger.Line));
        }
    }

    private void BoundLength(ReadOnlySpan<string> words)
    {
        if (words.Length == 2)
            _log.SetLengthMax(LeadingInteger(words[1]));
        _log.Add(_log.LengthMax == 0 ? "<value> replies are unlimited."
            : $"<value> replies are truncated at {_log.LengthMax} bytes.");
    }

    // An expression, or statements.
    private void Evaluate(string code)
    {
        try
        {
            LuaClosure function;
            try
            {
                function = Load("return " + code);
            }
            catch (LuaException)
            {
                function = Load(code);
            }

            LuaValue[] results = _debugger.WithCallsShown(
                _lua, isShown: false, () => _lua.Call(LuaValue.From(function)));
            _log.AddCut("<retval> " + DebugText.Of(results.Length > 0 ? results[0] : LuaValue.Nil));
        }
        catch (LuaException exception)
        {
            _log.Add("<error> " + LuaErrorText.Of(exception.Value));
        }
    }

    private LuaClosure Load(string code) => _lua.Load(Encoding.Latin1.GetBytes(code), "@ldb_eval");

    private void CallCommand(ReadOnlySpan<string> words)
    {
        var arguments = new LuaValue[words.Length];
        for (int index = 0; index < words.Length; index++)
            arguments[index] = _lua.NewString(Encoding.Latin1.GetBytes(words[index]));
        LuaValue call = _lua.Globals.Get(LuaString.From("redis")).Table.Get(LuaString.From("pcall"));
        _debugger.WithCallsShown(_lua, isShown: true, () => _lua.Call(call, arguments));
    }
}
