using System;
using System.IO;
using System.Text;
using Cinnabar.Lua.Libraries;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;
using Xunit;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>Scripts that use the libraries, run by lua5.1 and by us: what they print is the same.</summary>
public sealed class LibraryScriptTests
{
    [Theory]
    [InlineData("errors")]
    [InlineData("patterns")]
    [InlineData("tables")]
    public void A_script_prints_what_it_prints_in_lua(string name)
    {
        Assert.SkipUnless(LuaProgram.IsInstalled, "lua5.1 is not installed");
        string path = Path.Combine(AppContext.BaseDirectory, "Lua", "Scripts", $"{name}.lua");
        string source = File.ReadAllText(path);
        // Both as a chunk of one name, because errors say it.
        string chunk = $"assert(loadstring([==[{source}]==], '@{name}'))()";
        string[] expected = LuaOracle.RunLua(chunk);
        string[] ours = Run(chunk);
        for (int line = 0; line < Math.Min(expected.Length, ours.Length); line++)
            Assert.True(expected[line] == ours[line],
                $"line {line + 1}: lua5.1 {expected[line]} ours {ours[line]}");
        Assert.Equal(expected.Length, ours.Length);
    }

    private static string[] Run(string source)
    {
        var output = new StringBuilder();
        var machine = new LuaMachine(new LuaOptions
        {
            Print = line => output.Append(Encoding.Latin1.GetString(line.Span)).Append('\n'),
        });
        var libraries = new StandardLibraries(machine);
        BaseLibrary.Open(machine);
        machine.Globals.Set("string", LuaValue.From(libraries.OpenString()));
        machine.Globals.Set("table", LuaValue.From(libraries.OpenTable()));
        machine.Globals.Set("math", LuaValue.From(libraries.OpenMath()));
        machine.Call(LuaValue.From(machine.Load(Encoding.Latin1.GetBytes(source), "@test")));
        return output.ToString().TrimEnd('\n').Split('\n');
    }
}
