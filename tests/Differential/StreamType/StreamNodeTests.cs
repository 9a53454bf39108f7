using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.StreamType;

/// <summary>How entries are laid out in nodes, which the limits of the configuration decide.</summary>
public sealed class StreamNodeTests
{
    [Theory]
    [InlineData("100", "4096")]
    [InlineData("7", "4096")]
    [InlineData("0", "300")]
    [InlineData("50", "1000")]
    public void NodesAreAsManyAsInRedis(string entriesMax, string bytesMax)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start(
            "--stream-node-max-entries", entriesMax, "--stream-node-max-bytes", bytesMax);
        using RespClient redis = oracle.Connect();
        using var server = new OwnServer(configuration:
            [("stream-node-max-entries", entriesMax), ("stream-node-max-bytes", bytesMax)]);
        RespClient ours = server.Connect();
        string[][] adds = [.. Enumerable.Range(1, 500).Select(static number => new[]
        {
            "XADD", "stream", $"{number}-1", number % 3 == 0 ? "field" : "other",
            new string('v', number % 90),
        })];
        foreach (string[] words in adds.Append(["XTRIM", "stream", "MAXLEN", "~", "300"]))
            Assert.Equal($"{redis.Call(words)}", $"{ours.Call(words)}");
        Assert.Equal(KeyCount(redis.Call("XINFO", "STREAM", "stream")),
            KeyCount(ours.Call("XINFO", "STREAM", "stream")));
    }

    private static long KeyCount(RespValue info)
    {
        int field = info.Items.ToList().FindIndex(static item => item.Text == "radix-tree-keys");
        return info.Items[field + 1].Integer;
    }
}
