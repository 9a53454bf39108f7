using System;
using System.Linq;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>Random programs: what they print, with the messages of the errors that most of them make, is what
/// lua5.1 prints.</summary>
public class LuaProgramTests
{
    private const int ProgramCount = 400;

    [Fact]
    public void Random_programs_print_what_Lua_prints() => Seeded.Run(1, seed =>
    {
        Assert.SkipUnless(LuaProgram.IsInstalled, "lua5.1 is not installed");
        var random = new Random((int)seed);
        (string, string)[] programs = [.. Enumerable.Range(0, ProgramCount)
            .Select(index => ($"program {index}", new LuaProgramWriter(random).Write()))];
        Assert.Equal("", string.Join('\n', ScriptOracle.Compare(programs)));
    });
}
