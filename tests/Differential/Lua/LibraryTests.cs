using System;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>The libraries beside Debian's lua5.1 and redis-server, call by call.</summary>
public sealed class LibraryTests
{
    private const int CaseCount = 3_000;

    [Fact]
    public void Patterns_match_as_in_lua() => WithLua(cases => [.. cases.Patterns(2 * CaseCount)]);

    [Fact]
    public void Formats_are_those_of_lua() => WithLua(cases => [.. cases.Formats(CaseCount)]);

    [Fact]
    public void Strings_are_those_of_lua() => WithLua(cases => [.. cases.Strings(CaseCount)]);

    [Fact]
    public void Math_is_that_of_lua() => WithLua(cases => [.. cases.Maths(CaseCount)]);

    [Fact]
    public void Tables_are_those_of_lua() => WithLua(cases => [.. cases.Tables(CaseCount)]);

    [Fact]
    public void Bits_are_those_of_redis() => WithRedis(cases => [.. cases.Bits(CaseCount)]);

    [Fact]
    public void Structs_are_those_of_redis() => WithRedis(cases => [.. cases.Structs(CaseCount)]);

    [Fact]
    public void Random_numbers_are_those_of_redis() => WithRedis(cases => [.. cases.Randoms(CaseCount)]);

    [Fact]
    public void Json_is_that_of_redis() => WithRedis(
        cases => [.. new MessageCases(cases).JsonTexts(CaseCount),
            .. new MessageCases(cases).JsonValues(CaseCount)]);

    [Fact]
    public void Settings_of_json_are_those_of_redis() =>
        WithRedis(cases => [.. new MessageCases(cases).JsonSettings(CaseCount)]);

    [Fact]
    public void Message_pack_is_that_of_redis() =>
        WithRedis(cases => [.. new MessageCases(cases).Packs(CaseCount)]);

    private static void WithLua(Func<LibraryCases, LibraryCase[]> make)
    {
        Assert.SkipUnless(LuaProgram.IsInstalled, "lua5.1 is not installed");
        Seeded.Run(1, seed => LuaOracle.CompareWithLua(make(new LibraryCases(new Random((int)seed)))));
    }

    private static void WithRedis(Func<LibraryCases, LibraryCase[]> make)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        Seeded.Run(1, seed => LuaOracle.CompareWithRedis(make(new LibraryCases(new Random((int)seed)))));
    }
}
