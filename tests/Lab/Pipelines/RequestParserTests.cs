using System;
using System.Buffers;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Lab;
using Cinnabar.Lab.Pipelines;
using Xunit;

namespace Cinnabar.Tests.Lab.Pipelines;

public sealed class RequestParserTests
{
    private const string Requests =
        "*3\r\n$3\r\nSET\r\n$4\r\nk\r\ny\r\n$0\r\n\r\n*1\r\n$4\r\nPING\r\n\r\nGET  k \r\n*0\r\nPING\n"
        + "*5\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd\r\n$1\r\ne\r\n";

    private static readonly string[] s_commands = ["SET|k\r\ny|", "PING", "GET|k", "PING", "a|b|c|d|e"];

    /// <summary>At every split of the bytes into two arrivals, in buffers of every small size.</summary>
    [Fact]
    public void EverySplitGivesTheSameCommands()
    {
        for (int bufferSize = 1; bufferSize <= 8; bufferSize++)
            for (int split = 0; split <= Requests.Length; split++)
            {
                var parser = new RequestParser();
                var commands = new List<string>();
                ReadOnlySequence<byte> unread = Buffers(Requests[..split], bufferSize);
                Take(parser, ref unread, commands);
                string rest = Encoding.Latin1.GetString(unread) + Requests[split..];
                unread = Buffers(rest, bufferSize);
                Take(parser, ref unread, commands);
                Assert.Equal(s_commands, commands);
                Assert.Equal(0, unread.Length);
            }
    }

    [Theory]
    [InlineData("*x\r\n")]
    [InlineData("*-1\r\n")]
    [InlineData("*1025\r\n")]
    [InlineData("*1\r\n:1\r\n")]
    [InlineData("*1\r\n$-1\r\n")]
    [InlineData("*1\r\n$16777217\r\n")]
    [InlineData("*2\r\n$3\r\nGET\r\n$16777214\r\n")]
    [InlineData("*1\r\n$4\r\nPINGxx")]
    [InlineData("*1\r\n$ 4\r\nPING\r\n")]
    public void WhatIsNoCommand(string request) => Assert.Throws<ProtocolException>(() =>
    {
        ReadOnlySequence<byte> unread = Buffers(request, 3);
        new RequestParser().TryRead(ref unread, out _);
    });

    [Theory]
    [InlineData("")]
    [InlineData("*")]
    [InlineData("*1\r\n$")]
    public void LinesHaveALimit(string start)
    {
        ReadOnlySequence<byte> unread = Buffers(start + new string('1', 60_000), 4096);
        Assert.False(new RequestParser().TryRead(ref unread, out _));
        Assert.Throws<ProtocolException>(() =>
        {
            ReadOnlySequence<byte> tooLong = Buffers(start + new string('1', 70_000), 4096);
            new RequestParser().TryRead(ref tooLong, out _);
        });
    }

    private static void Take(RequestParser parser, ref ReadOnlySequence<byte> unread, List<string> commands)
    {
        while (parser.TryRead(ref unread, out ReadOnlySpan<ReadOnlySequence<byte>> arguments))
        {
            var texts = new List<string>();
            foreach (ReadOnlySequence<byte> argument in arguments)
                texts.Add(Encoding.Latin1.GetString(argument));
            commands.Add(string.Join('|', texts));
        }
    }

    private static ReadOnlySequence<byte> Buffers(string text, int bufferSize)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        if (bytes.Length == 0) return default;
        var first = new BufferPiece(bytes.AsMemory(0, Math.Min(bufferSize, bytes.Length)));
        BufferPiece last = first;
        for (int at = bufferSize; at < bytes.Length; at += bufferSize)
            last = last.Append(bytes.AsMemory(at, Math.Min(bufferSize, bytes.Length - at)));
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class BufferPiece : ReadOnlySequenceSegment<byte>
    {
        public BufferPiece(ReadOnlyMemory<byte> memory) => Memory = memory;

        public BufferPiece Append(ReadOnlyMemory<byte> memory)
        {
            var added = new BufferPiece(memory) { RunningIndex = RunningIndex + Memory.Length };
            Next = added;
            return added;
        }
    }
}
