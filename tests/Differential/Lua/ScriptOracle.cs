using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using Cinnabar.Lua.Libraries;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>
/// Debian's lua5.1 beside Cinnabar.Lua. Both run one text with many scripts in it, so that a comparison costs
/// one process: each script is a chunk with globals of its own, and what it prints is compared.
/// </summary>
internal static partial class ScriptOracle
{
    // A script that does not end must not hang the tests.
    private const int InterruptCountMax = 100_000;

    private const string Start = """
        local function run(name, source)
          print("== " .. name)
          local f, message = loadstring(source, "@" .. name)
          if not f then print("does not compile", message) return end
          setfenv(f, setmetatable({}, {__index = _G}))
          print("ended", pcall(f))
        end

        """;

    /// <summary>Runs scripts in both; gives of each that differs its name and both outputs.</summary>
    public static IReadOnlyList<string> Compare(IReadOnlyList<(string Name, string Source)> scripts)
    {
        string text = Start + string.Concat(scripts.Select(script =>
            $"run(\"{script.Name}\", [========[{script.Source}]========])\n"));
        string[] theirs = Split(LuaProgram.Run(text));
        string[] ours = Split(RunOurs(text));
        if (theirs.Length != scripts.Count + 1)
            throw new InvalidOperationException($"lua5.1 ended early: {theirs[^1]}");
        return [.. Enumerable.Range(0, theirs.Length)
            .Where(index => index >= ours.Length || ours[index] != theirs[index])
            .Select(index => Difference(theirs[index], index < ours.Length ? ours[index] : "nothing"))];
    }

    private static string Difference(string theirs, string ours)
    {
        string[] left = theirs.Split('\n');
        string[] right = ours.Split('\n');
        int line = Enumerable.Range(0, Math.Min(left.Length, right.Length))
            .FirstOrDefault(index => left[index] != right[index], Math.Min(left.Length, right.Length) - 1);
        return $"{left[0]}, line {line}: lua5.1 {left[line]} | ours {right[line]}";
    }

    private static string[] Split(string output) =>
        AddressPattern().Replace(output, "ADDRESS").Split("== ");

    private static string RunOurs(string text)
    {
        var output = new StringBuilder();
        int interrupts = 0;
        var machine = new LuaMachine(new LuaOptions
        {
            Print = line => output.Append(Encoding.Latin1.GetString(line.Span)).Append('\n'),
            Interrupt = () =>
            {
                if (++interrupts > InterruptCountMax) throw new LuaInterruptException("it does not end");
            },
        });
        BaseLibrary.Open(machine);
        CoroutineLibrary.Open(machine);
        var libraries = new StandardLibraries(machine);
        machine.Globals.Set("string", LuaValue.From(libraries.OpenString()));
        machine.Globals.Set("table", LuaValue.From(libraries.OpenTable()));
        machine.Globals.Set("math", LuaValue.From(libraries.OpenMath()));
        machine.Call(LuaValue.From(machine.Load(Encoding.Latin1.GetBytes(text), "@driver")));
        return output.ToString();
    }

    [GeneratedRegex("0x[0-9a-f]{6,}")]
    private static partial Regex AddressPattern();
}
