using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>Has calls of libraries made by Debian's <c>lua5.1</c>, or by a redis-server's EVAL, and compares
/// the outcomes with ours.</summary>
internal static class LuaOracle
{
    private const int BatchSize = 400;

    /// <summary>Compares with <c>lua5.1</c>.</summary>
    internal static void CompareWithLua(IReadOnlyList<LibraryCase> cases)
    {
        string source = LibraryOutcome.Prelude + string.Concat(cases.Select(item => item.ToSource()))
            + "io.write(table.concat(r, '\\n'), '\\n')";
        Compare(cases, RunLua(source));
    }

    /// <summary>Compares with EVAL.</summary>
    internal static void CompareWithRedis(IReadOnlyList<LibraryCase> cases)
    {
        using OracleServer server = OracleServer.Start();
        using RespClient client = server.Connect();
        var outcome = new LibraryOutcome();
        foreach (LibraryCase[] batch in cases.Chunk(BatchSize))
        {
            string source = LibraryOutcome.Prelude + string.Concat(batch.Select(item => item.ToSource()))
                + "return r";
            RespValue reply = client.Call("EVAL", source, "0");
            Assert.True(reply.Items.Count > 0, reply.Text);
            Compare(batch, [.. reply.Items.Select(item => item.Text)], outcome);
        }
    }

    private static void Compare(
        IReadOnlyList<LibraryCase> cases, string[] expected, LibraryOutcome? outcome = null)
    {
        Assert.Equal(cases.Count, expected.Length);
        outcome ??= new LibraryOutcome();
        for (int index = 0; index < cases.Count; index++)
        {
            string ours = outcome.Of(cases[index]);
            Assert.True(ours == expected[index],
                $"{cases[index].ToSource()}expected {expected[index]}\nbut got  {ours}");
        }
    }

    /// <summary>The lines that a script prints in <c>lua5.1</c>.</summary>
    internal static string[] RunLua(string source) => LuaProgram.Run(source).TrimEnd('\n').Split('\n');
}
