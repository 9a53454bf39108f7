using System;
using System.Linq;
using System.Text;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Lab.Stations;

/// <summary>Every station does what it claims.</summary>
[Collection(StationCollection.Name)]
public sealed class StationConformanceTests(StationRuns runs)
{
    private const int PipelineCount = 30;

    private static readonly string s_lineSafe =
        new([.. Enumerable.Range(0, 256).Select(code => (char)code).Where(c => c is not ('\r' or '\n'))]);

    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void PingInlineAndInBulk(string name) => AssertAnswers(name,
        "PING\r\n*1\r\n$4\r\nPING\r\nping\r\n*1\r\n$4\r\nping\r\n" + Request("PING", "hi") + "PING you\r\n",
        "+PONG\r\n+PONG\r\n+PONG\r\n+PONG\r\n$2\r\nhi\r\n$3\r\nyou\r\n");

    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void GetOfAMissingKey(string name) =>
        AssertAnswers(name, Request("GET", "missing") + "get missing\r\n", "$-1\r\n$-1\r\n");

    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void SetGetAndSetAgain(string name) => AssertAnswers(name,
        Request("SET", "k", "first") + Request("GET", "k") + Request("set", "k", "") + Request("get", "k"),
        "+OK\r\n$5\r\nfirst\r\n+OK\r\n$0\r\n\r\n");

    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void EveryByteButLineEnds(string name) => AssertKeeps(name, s_lineSafe);

    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void AMebibyte(string name) => AssertKeeps(name, new string('x', 1 << 20));

    /// <summary>Who reads lines refuses what it would cut.</summary>
    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void LineEndsInValues(string name)
    {
        foreach (string value in (string[])["a\r\nb", "\r\n", "a\n", "\rb", "$3\r\n\r\n*1\r\n"])
        {
            if (Station.Of(name).Claims.Contains("binary"))
            {
                AssertKeeps(name, value);
                continue;
            }

            using RawClient client = new(runs.PortOf(name));
            client.Send(Request("SET", "cut", value));
            Assert.Equal("", client.ReadToEnd());
            AssertAnswers(name, Request("GET", "cut"), "$-1\r\n");
        }
    }

    /// <summary>In one piece, and byte by byte.</summary>
    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void ThirtyCommandsPipelined(string name)
    {
        string requests = string.Concat(Enumerable.Range(0, PipelineCount).Select(index => index % 2 == 0
            ? Request("SET", $"key:{index}", $"value of {index}") : Request("GET", $"key:{index - 1}")));
        string replies = string.Concat(Enumerable.Range(0, PipelineCount).Select(index => index % 2 == 0
            ? "+OK\r\n" : $"${$"value of {index - 1}".Length}\r\nvalue of {index - 1}\r\n"));
        AssertAnswers(name, requests, replies);
        using RawClient client = new(runs.PortOf(name));
        foreach (byte one in Encoding.Latin1.GetBytes(requests)) client.Send([one]);
        client.EndSending();
        Assert.Equal(replies, client.ReadToEnd());
    }

    /// <summary>More commands at once than any buffer or limit of a station holds.</summary>
    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void ThousandsOfKeys(string name)
    {
        const int KeyCount = 3000;
        using RespClient client = new(runs.PortOf(name));
        using RawClient sender = new(runs.PortOf(name));
        sender.Send(string.Concat(Enumerable.Range(0, KeyCount)
            .Select(index => Request("SET", $"many:{index}", $"{index * 7}"))) + "PING end\r\n");
        Assert.EndsWith("$3\r\nend\r\n", sender.ReadThrough("$3\r\nend\r\n"), StringComparison.Ordinal);
        bool isShared = Station.Of(name).Claims.Contains("shared");
        sender.Send(string.Concat(Enumerable.Range(0, KeyCount)
            .Select(index => Request("GET", $"many:{index}"))) + "PING end\r\n");
        Assert.Equal(string.Concat(Enumerable.Range(0, KeyCount)
                .Select(index => $"${$"{index * 7}".Length}\r\n{index * 7}\r\n")) + "$3\r\nend\r\n",
            sender.ReadThrough("$3\r\nend\r\n"));
        if (isShared) Assert.Equal("14", client.Call("GET", "many:2").Text);
    }

    /// <summary>One client in the middle of a command, the other goes on.</summary>
    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void TwoClientsAtOnce(string name)
    {
        using RawClient slow = new(runs.PortOf(name));
        using RespClient quick = new(runs.PortOf(name));
        string request = Request("SET", "of:slow", "abc");
        slow.Send(request[..^8]);
        Assert.Equal("OK", quick.Call("SET", "of:quick", "def").Text);
        Assert.Equal("def", quick.Call("GET", "of:quick").Text);
        slow.Send(request[^8..] + Request("GET", "of:slow"));
        Assert.Equal("+OK\r\n$3\r\nabc\r\n", slow.ReadThrough("abc\r\n"));
        if (Station.Of(name).Claims.Contains("shared"))
            Assert.Equal("abc", quick.Call("GET", "of:slow").Text);
    }

    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void UnknownCommandsAndWrongCounts(string name)
    {
        using RespClient client = new(runs.PortOf(name));
        Assert.StartsWith("ERR unknown command 'nonsense'", client.Call("nonsense", "a", "b").Text,
            StringComparison.Ordinal);
        Assert.Equal("ERR wrong number of arguments for 'get' command", client.Call("GET").Text);
        Assert.Equal("ERR wrong number of arguments for 'set' command", client.Call("SET", "k").Text);
        Assert.Equal("ERR wrong number of arguments for 'ping' command", client.Call("PING", "a", "b").Text);
        Assert.Equal("ERR syntax error", client.Call("SET", "k", "v", "NONSENSE").Text);
        Assert.Equal('-', client.Call(new string('n', 300)).Kind);
        if (Station.Of(name).Claims.Contains("binary"))
            Assert.Equal('-', client.Call("two\r\nlines").Kind);
        Assert.Equal("PONG", client.Call("PING").Text);
    }

    private static string Request(params string[] arguments) =>
        Encoding.Latin1.GetString(RespClient.Encode(arguments));

    private void AssertKeeps(string name, string value)
    {
        using RespClient client = new(runs.PortOf(name));
        Assert.Equal("OK", client.Call("SET", "kept", value).Text);
        Assert.Equal(value, client.Call("GET", "kept").Text);
    }

    private void AssertAnswers(string name, string requests, string replies)
    {
        using RawClient client = new(runs.PortOf(name));
        client.Send(requests);
        client.EndSending();
        Assert.Equal(replies, client.ReadToEnd());
    }
}
