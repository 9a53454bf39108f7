using System.Linq;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>SLOWLOG and COMMANDLOG: what is logged, and how.</summary>
public sealed class CommandLogTests
{
    private static readonly string s_megabytes = new('v', 2 << 20);

    [Fact]
    public void AThresholdOfZeroLogsEveryCommandButExec()
    {
        using var server = new ObservedServer(("slowlog-log-slower-than", "0"));
        server.Call("SET", "a", "b");
        server.Call("MULTI");
        server.Call("GET", "a");
        server.Call("EXEC");
        server.Call("SLOWLOG", "LEN");
        string entries = server.Call("SLOWLOG", "GET");
        Assert.Equal(4, entries.Split("127.0.0.1:50000").Length - 1);
        Assert.Contains("*[$SET, $a, $b]", entries);
        Assert.Contains("*[$MULTI]", entries);
        Assert.Contains("*[$GET, $a]", entries);
        Assert.Contains("*[$SLOWLOG, $LEN]", entries);
        Assert.DoesNotContain("EXEC", entries);
    }

    [Fact]
    public void TheCommandThatSetsAThresholdIsMeasuredByIt()
    {
        using var server = new ObservedServer(("slowlog-log-slower-than", "10000"));
        server.Call("CONFIG", "SET", "slowlog-log-slower-than", "0");
        server.Call("SET", "a", "b");
        Assert.Equal(":2", server.Call("SLOWLOG", "LEN"));
        Assert.Contains("*[$CONFIG, $SET, $slowlog-log-slower-than, $0]", server.Call("SLOWLOG", "GET"));
        server.Call("CONFIG", "SET", "slowlog-log-slower-than", "10000");
        Assert.Equal(":4", server.Call("SLOWLOG", "LEN"));
    }

    [Fact]
    public void ArgumentsAreTrimmedAndPasswordsLeftOut()
    {
        using var server = new ObservedServer(("slowlog-log-slower-than", "0"));
        server.Call(["MGET", .. Enumerable.Range(0, 40).Select(static number => $"k{number}")]);
        server.Call("ECHO", new string('x', 130));
        server.Call("AUTH", "secret");
        server.Call("HELLO", "2", "AUTH", "who", "secret");
        string entries = server.Call("SLOWLOG", "GET", "-1");
        Assert.Contains("$k29, $... (10 more arguments)]", entries);
        Assert.Contains($"${new string('x', 128)}... (2 more bytes)]", entries);
        Assert.Contains("*[$AUTH, $(redacted)]", entries);
        Assert.Contains("*[$HELLO, $2, $AUTH, $(redacted), $(redacted)]", entries);
        Assert.DoesNotContain("secret", entries);
    }

    [Fact]
    public void ARunThatTookLongIsPutDownToItsLastCommand()
    {
        using var server = new ObservedServer(("slowlog-log-slower-than", "10000"));
        server.Call("SET", "a", "b");
        Assert.Equal(":0", server.Call("SLOWLOG", "LEN"));
        server.Clock.StepUs = 20_000;
        server.CallAll(["GET", "a"], ["GET", "b"], ["GET", "c"]);
        server.Clock.StepUs = 0;
        string entries = server.Call("SLOWLOG", "GET");
        Assert.Contains(":20000, *[$GET, $c]", entries);
        Assert.Equal(":1", server.Call("SLOWLOG", "LEN"));
        Assert.Equal("+OK", server.Call("SLOWLOG", "RESET"));
        Assert.Equal(":0", server.Call("SLOWLOG", "LEN"));
    }

    [Fact]
    public void EachRunOfALongPipelineIsSeen()
    {
        const int CommandCount = 80; // more than a batch, less than two
        using var server = new ObservedServer(("slowlog-log-slower-than", "10000"));
        server.Clock.StepUs = 20_000;
        server.CallAll(
            [.. Enumerable.Range(0, CommandCount).Select(static key => new[] { "GET", $"k{key}" })]);
        server.Clock.StepUs = 0;
        Assert.Contains(":20000, *[$GET, $k79]", server.Call("SLOWLOG", "GET"));
        Assert.Equal(":2", server.Call("SLOWLOG", "LEN"));
    }

    [Fact]
    public void TheOldestEntryMakesRoom()
    {
        using var server = new ObservedServer(("slowlog-log-slower-than", "0"), ("slowlog-max-len", "2"));
        for (int number = 0; number < 5; number++)
            server.Call("ECHO", $"{number}");
        string entries = server.Call("SLOWLOG", "GET", "1");
        Assert.StartsWith("*[*[:4, ", entries);
        Assert.Contains("*[$ECHO, $4]", entries);
        Assert.Equal(":2", server.Call("SLOWLOG", "LEN"));
    }

    [Theory]
    [InlineData("100", 150)]
    [InlineData("1048576", 2 << 20)]
    public void LargeRequestsAndRepliesAreLoggedWithTheirSize(string threshold, int size)
    {
        using var server = new ObservedServer(
            ("commandlog-request-larger-than", threshold), ("commandlog-reply-larger-than", threshold));
        string value = s_megabytes[..size];
        server.Call("SET", "big", value);
        server.Call("GET", "none");
        server.Call("GET", "big");
        int replyBytes = $"${size}\r\n".Length + size + 2;
        int requestBytes = "*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n".Length + replyBytes;
        string requests = server.Call("COMMANDLOG", "GET", "-1", "large-request");
        Assert.Contains($":{requestBytes}, *[$SET, $big, $vv", requests);
        Assert.Equal(":1", server.Call("COMMANDLOG", "LEN", "large-request"));
        string replies = server.Call("COMMANDLOG", "GET", "-1", "large-reply");
        Assert.Contains($":{replyBytes}, *[$GET, $big]", replies);
        Assert.Equal("+OK", server.Call("COMMANDLOG", "RESET", "large-request"));
        Assert.Equal(":0", server.Call("COMMANDLOG", "LEN", "large-request"));
    }

    [Fact]
    public void TheCommandThatLowersTheThresholdIsLoggedByIt()
    {
        using var server = new ObservedServer(("slowlog-log-slower-than", "10000"));
        server.Call("CONFIG", "SET", "slowlog-log-slower-than", "0");
        server.Call("CONFIG", "SET", "slowlog-log-slower-than", "10000");
        Assert.Equal(":1", server.Call("SLOWLOG", "LEN"));
        Assert.Contains("*[$CONFIG, $SET, $slowlog-log-slower-than, $0]", server.Call("SLOWLOG", "GET"));
    }

    [Fact]
    public void ALogOfNoEntriesGivesNoIds()
    {
        using var server = new ObservedServer(("slowlog-log-slower-than", "0"), ("slowlog-max-len", "0"));
        server.Call("PING");
        server.Call("CONFIG", "SET", "slowlog-max-len", "10");
        Assert.StartsWith("*[*[:0, ", server.Call("SLOWLOG", "GET"));
    }

    [Theory]
    [InlineData("COMMANDLOG GET 1 slow x", "-ERR wrong number of arguments for 'commandlog|get' command")]
    [InlineData("COMMANDLOG LEN", "-ERR wrong number of arguments for 'commandlog|len' command")]
    [InlineData("SLOWLOG GET x", "-ERR count should be greater than or equal to -1")]
    [InlineData("SLOWLOG GET -2", "-ERR count should be greater than or equal to -1")]
    [InlineData("COMMANDLOG GET -2 slow", "-ERR count should be greater than or equal to -1")]
    [InlineData("COMMANDLOG LEN x",
        "-ERR type should be one of the following: slow, large-request, large-reply")]
    [InlineData("SLOWLOG GET 1 2",
        "-ERR unknown subcommand or wrong number of arguments for 'GET'. Try SLOWLOG HELP.")]
    public void ErrorsAreRedisOwn(string command, string error)
    {
        using var server = new ObservedServer();
        Assert.Equal(error, server.Call(command.Split(' ')));
    }

    [Fact]
    public void ALogThatHoldsNothingNumbersNothing()
    {
        using var server = new ObservedServer(("slowlog-log-slower-than", "0"), ("slowlog-max-len", "0"));
        server.Call("PING");
        server.Call("CONFIG", "SET", "slowlog-max-len", "5");
        Assert.StartsWith("*[*[:0, ", server.Call("SLOWLOG", "GET", "1"));
    }
}
