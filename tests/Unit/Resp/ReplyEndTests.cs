using System;
using System.Text;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Resp;

public sealed class ReplyEndTests
{
    [Theory]
    [MemberData(nameof(ReplyReaderTests.Replies), MemberType = typeof(ReplyReaderTests))]
    public void TheEndIsFoundWhenItHasComeAndNotBefore(string input, string expected)
    {
        Assert.NotEmpty(expected);
        byte[] bytes = Encoding.Latin1.GetBytes(input + "+next\r\n");
        var end = new ReplyEnd();
        // Byte by byte, with one that remembers; and the same again: nothing of the first is left.
        for (int round = 0; round < 2; round++)
        {
            for (int length = 0; length < input.Length; length++)
                Assert.False(end.TryFind(bytes.AsSpan(0, length)), $"{length} bytes of {input}");
            Assert.True(end.TryFind(bytes));
        }
    }

    [Theory]
    [InlineData("\r\n")]
    [InlineData("$x\r\n")]
    [InlineData("*2\r\n+a\r\n$-2\r\n")]
    [InlineData("%99999999999\r\n")]
    public void InvalidRepliesAreLeftToTheReader(string input)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(input);
        Assert.True(new ReplyEnd().TryFind(bytes));
        Assert.Equal(ReplyReadOutcome.Malformed, ReplyReader.Read(bytes, out _, out _));
    }
}
