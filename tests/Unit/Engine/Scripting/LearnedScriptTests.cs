using Cinnabar.Engine.Scripts;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;
using Cinnabar.Memory;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Scripting;

/// <summary>What a script's runs teach, and how it is found.</summary>
public sealed class LearnedScriptTests
{
    [Fact]
    public void ShortRunsBringAScriptBack()
    {
        Script script = Make("return 1");
        script.LearnLong();
        script.NoteRun(isShort: true);
        Assert.True(script.IsLong);
        script.NoteRun(isShort: true);
        Assert.False(script.IsLong);
        // Twice as many, in a row.
        script.LearnLong();
        for (int run = 0; run < 3; run++)
            script.NoteRun(isShort: true);
        script.NoteRun(isShort: false);
        for (int run = 0; run < 7; run++)
        {
            script.NoteRun(isShort: true);
            Assert.True(script.IsLong);
        }

        script.NoteRun(isShort: true);
        Assert.False(script.IsLong);
    }

    [Fact]
    public void WhatCannotBeTakenBackStaysOffTheLoops()
    {
        Script script = Make("return 1");
        script.LearnNoUndo();
        for (int run = 0; run < 100; run++)
            script.NoteRun(isShort: true);
        Assert.True(script.IsLong);
        Assert.True(script.NeedsAllStripes);
    }

    [Fact]
    public void AFlushedScriptIsNotFoundByItsName()
    {
        using var pages = new PageSource(isChecked: true);
        var cache = new ScriptCache(loopCount: 2, new CountedMemory(pages, "scripts"));
        Script script = cache.Add(Make("return 1"), isPinned: false);
        Assert.Same(script, cache.Find(script.NameBytes, 1));
        Assert.Same(script, cache.Find(script.NameBytes, 1));
        Assert.Same(script, cache.Find("E0E1F9FABFC9D4800C877A703B823AC0578FF8DB"u8, 0));
        Assert.Null(cache.Find("e0e1"u8, 0));
        cache.Clear();
        Assert.Null(cache.Find(script.NameBytes, 1));
        for (int number = 0; number <= ScriptCache.EvalCountMax; number++)
        {
            Script other = Make($"return {number + 2}");
            other.UsedNs = number;
            cache.Add(other, isPinned: false);
            Assert.Same(other, cache.Find(other.NameBytes, 0));
        }

        Assert.Null(cache.Find(Make("return 2").NameBytes, 0));
    }

    /// <summary>Each run has KEYS and ARGV for itself, though the tables are the same.</summary>
    [Fact]
    public void ARunFindsNothingOfTheOneBefore()
    {
        using TestServer server = TestServer.Rerunning(0);
        TestClient client = server.Connect();
        Assert.Equal(":1", client.Call("EVAL", """
            KEYS[4] = 'more' KEYS.x = 1 ARGV[1] = nil setmetatable(KEYS, {__index = function() return 7 end})
            return KEYS.x
            """, "2", "a", "b", "c").ToString());
        Assert.Equal("nilnil", Text(client, "return tostring(KEYS.x) .. tostring(getmetatable(KEYS))"));
        Assert.Equal("2a1", Text(client, "return #KEYS .. KEYS[2] .. #ARGV", "2", "b", "a", "c"));
        Assert.Equal("nil", Text(client, "return tostring(ARGV[1])"));
    }

    private static string Text(TestClient client, string script, params string[] arguments) =>
        client.Call(["EVAL", script, .. arguments.Length == 0 ? ["0"] : arguments]).Text;

    private static Script Make(string source)
    {
        byte[] bytes = System.Text.Encoding.ASCII.GetBytes(source);
        return new Script(ScriptDigest.Of(bytes), bytes, default,
            LuaMachine.Compile(bytes, LuaString.From("@user_script")));
    }
}
