using System;
using System.Linq;
using System.Text;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Resp;

public sealed class ReplyReaderTests
{
    public static TheoryData<string, string> Replies => new()
    {
        { "+OK\r\n", "+OK" },
        { "-ERR no\r\n", "-ERR no" },
        { ":-12\r\n", ":-12" },
        { "$0\r\n\r\n", "$\"\"" },
        { "$4\r\na\r\n\"\r\n", "$\"a\\x0d\\x0a\\x22\"" },
        { "$-1\r\n", "$-1" },
        { "*-1\r\n", "*-1" },
        { "*0\r\n", "*[]" },
        { "*3\r\n:1\r\n*1\r\n$1\r\na\r\n$-1\r\n", "*[:1, *[$\"a\"], $-1]" },
        { "_\r\n", "_" },
        { ",1.5e+30\r\n", ",1.5e+30" },
        { ",-inf\r\n", ",-inf" },
        { ",nan\r\n", ",nan" },
        { "#t\r\n", "#t" },
        { "(123456789012345678901234567890\r\n", "(123456789012345678901234567890" },
        { "=6\r\ntxt:hi\r\n", "=\"txt:hi\"" },
        { "!5\r\nERR x\r\n", "!\"ERR x\"" },
        { "%2\r\n+a\r\n:1\r\n+b\r\n*0\r\n", "%[+a, :1, +b, *[]]" },
        { "~1\r\n+a\r\n", "~[+a]" },
        { ">2\r\n+pong\r\n$0\r\n\r\n", ">[+pong, $\"\"]" },
        { "|1\r\n+ttl\r\n:3\r\n$1\r\nv\r\n", "|[+ttl, :3]$\"v\"" },
        { "*1\r\n|1\r\n+k\r\n+v\r\n:3\r\n", "*[|[+k, +v]:3]" },
    };

    [Theory]
    [MemberData(nameof(Replies))]
    public void ReadsWholeRepliesAndAsksForTheRestOfOthers(string input, string expected)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(input + "+next\r\n");
        Assert.Equal(ReplyReadOutcome.Complete, ReplyReader.Read(bytes, out Reply? reply, out int consumed));
        Assert.Equal(expected, reply!.ToString());
        Assert.Equal(input.Length, consumed);
        for (int length = 0; length < input.Length; length++)
        {
            ReplyReadOutcome outcome = ReplyReader.Read(bytes.AsSpan(0, length), out reply, out consumed);
            Assert.Equal(ReplyReadOutcome.NeedMore, outcome);
            Assert.Null(reply);
            Assert.Equal(0, consumed);
        }
    }

    [Theory]
    [InlineData("OK\r\n")]
    [InlineData("+OK\rX")]
    [InlineData(":1x\r\n")]
    [InlineData(":\r\n")]
    [InlineData("$-2\r\n")]
    [InlineData("$2\r\nabcd")]
    [InlineData("$99999999999\r\n")]
    [InlineData("=-1\r\n")]
    [InlineData("=2\r\nab\r\n")]
    [InlineData("%-1\r\n")]
    [InlineData("#x\r\n")]
    [InlineData("_x\r\n")]
    [InlineData(",\r\n")]
    [InlineData("(1x\r\n")]
    [InlineData("*1\r\n?\r\n")]
    public void RefusesInvalidReplies(string input)
    {
        ReplyReadOutcome outcome = ReplyReader.Read(Encoding.Latin1.GetBytes(input), out _, out _);
        Assert.Equal(ReplyReadOutcome.Malformed, outcome);
    }

    [Fact]
    public void LimitsDepth()
    {
        byte[] deep = Encoding.Latin1.GetBytes(string.Concat(Enumerable.Repeat("*1\r\n", 100_000)));
        Assert.Equal(ReplyReadOutcome.Malformed, ReplyReader.Read(deep, out _, out _));
        byte[] allowed = [.. deep.AsSpan(0, ReplyReader.DepthMax * 4), .. ":1\r\n"u8];
        Assert.Equal(ReplyReadOutcome.Complete, ReplyReader.Read(allowed, out _, out _));
    }

    [Fact]
    public void GivesValues()
    {
        Assert.Equal(-7, Read(":-7\r\n").Integer);
        Assert.Equal(1.5, Read(",1.5\r\n").Double);
        Assert.True(double.IsNaN(Read(",nan\r\n").Double));
        Assert.True(Read("#t\r\n").Boolean);
        Assert.True(Read("-ERR\r\n").IsError);
        Assert.True(Read("*-1\r\n").IsNull);
        Assert.Throws<FormatException>(() => Read("+x\r\n").Integer);
        Assert.Throws<FormatException>(() => Read("+x\r\n").Double);
    }

    private static Reply Read(string input)
    {
        ReplyReader.Read(Encoding.Latin1.GetBytes(input), out Reply? reply, out _);
        return reply!;
    }
}
