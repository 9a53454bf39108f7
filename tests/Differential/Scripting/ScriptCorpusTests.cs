using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Scripting;

/// <summary>Scripts and functions whose replies, errors included, are those of redis-server, letter for
/// letter.</summary>
public sealed class ScriptCorpusTests
{
    private static readonly string[] s_preparation =
        ["FLUSHALL", "SET mystr x", "HSET h a 1", "ZADD z 1.5 m", "SADD s m", "RPUSH l a b c"];

    /// <summary>A line is a command; tabs part its words, a backslash escapes.</summary>
    [Theory]
    [InlineData(2, "corpus.txt")]
    [InlineData(3, "corpus.txt")]
    [InlineData(2, "functions.txt")]
    [InlineData(3, "functions.txt")]
    public void RepliesAreThoseOfRedis(int protocol, string name)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer();
        RespClient ours = server.Connect(protocol);
        redis.Call("HELLO", $"{protocol}");
        foreach (string line in s_preparation)
        {
            redis.Call(line.Split(' '));
            ours.Call(line.Split(' '));
        }

        string file = Path.Combine(System.AppContext.BaseDirectory, "Scripting", name);
        string[] lines = File.ReadAllLines(file);
        Assert.True(lines.Length > 200);
        foreach (string line in lines)
        {
            string[] words = [.. line.Split('\t').Select(Regex.Unescape)];
            Assert.Equal($"{line} => {redis.Call(words)}", $"{line} => {ours.Call(words)}");
        }
    }
}
