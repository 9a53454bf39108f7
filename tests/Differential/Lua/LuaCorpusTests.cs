using System;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>Scripts of our own, by subject: what they print, every error message and every number's text
/// included, is what lua5.1 prints.</summary>
public class LuaCorpusTests
{
    [Theory]
    [InlineData("errors")]
    [InlineData("language")]
    [InlineData("metamethods")]
    [InlineData("coroutines")]
    [InlineData("numbers")]
    [InlineData("syntax")]
    public void Corpus_prints_what_Lua_prints(string name)
    {
        Assert.SkipUnless(LuaProgram.IsInstalled, "lua5.1 is not installed");
        string path = Path.Combine(AppContext.BaseDirectory, "Lua", "Corpus", $"{name}.lua");
        string text = File.ReadAllText(path);
        string[] parts = Regex.Split(text, "^-- # (.*)$", RegexOptions.Multiline);
        (string, string)[] scripts = [.. Enumerable.Range(0, (parts.Length - 1) / 2)
            .Select(index => ($"{name}:{parts[2 * index + 1]}", parts[2 * index + 2]))];
        Assert.NotEmpty(scripts);
        Assert.Equal("", string.Join('\n', ScriptOracle.Compare(scripts)));
    }
}
