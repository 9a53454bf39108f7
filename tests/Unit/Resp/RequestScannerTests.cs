using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Resp;

public sealed class RequestScannerTests
{
    private static readonly string s_long = new('x', 1234);

    public static TheoryData<string, string[]> Commands => new()
    {
        { "*1\r\n$4\r\nPING\r\n", ["PING"] },
        { "*2\r\n$3\r\nGET\r\n$1\r\na\r\n", ["GET", "a"] },
        { "*2\r\n$3\r\nGET\r\n$0\r\n\r\n", ["GET", ""] },
        { "*2\r\n$3\r\nGET\r\n$16\r\n0123456789abcdef\r\n", ["GET", "0123456789abcdef"] },
        { $"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$256\r\n{s_long[..256]}\r\n", ["SET", "k", s_long[..256]] },
        { $"*3\r\n$3\r\nSET\r\n$1234\r\n{s_long}\r\n$1\r\nv\r\n", ["SET", s_long, "v"] },
        { "*12\r\n" + Repeat("$2\r\n\r\n\r\n", 12), [.. Enumerable.Repeat("\r\n", 12)] },
        { "*3\r\n$3\r\nSET\r\n$4\r\n$1\r\n\r\n$3\r\n*1\r\r\n", ["SET", "$1\r\n", "*1\r"] },
        { "*100\r\n" + Repeat("$1\r\n*\r\n", 100), [.. Enumerable.Repeat("*", 100)] },
        { "*1\rX$4\rYPINGab", ["PING"] },
        { "PING\r\n", ["PING"] },
        { "PING\n", ["PING"] },
        { "  SET \t a\v\fb  \r\n", ["SET", "a\v\fb"] },
        { "\v\fPING\r\r\n", ["PING"] },
        { "ECHO \"\\x41\\n\\r\\t\\b\\a\\q\\\"\\\\\\xZZ\"\r\n", ["ECHO", "A\n\r\t\b\aq\"\\xZZ"] },
        { "ECHO 'a\\'b\\n' \"\"\r\n", ["ECHO", "a'b\\n", ""] },
        { "ECHO a\"b c\" 'd'\r\n", ["ECHO", "ab c", "d"] },
        { "ECHO \"a\"\v\r\n", ["ECHO", "a"] },
        { "ECHO a\rb\r\n", ["ECHO", "a", "b"] },
        { "\"\"\r\n", [""] },
    };

    public static TheoryData<string, string> Errors => new()
    {
        { "*x\r\n", "Protocol error: invalid multibulk length" },
        { "*\r\n", "Protocol error: invalid multibulk length" },
        { "*01\r\n", "Protocol error: invalid multibulk length" },
        { "*+1\r\n", "Protocol error: invalid multibulk length" },
        { "*2147483648\r\n", "Protocol error: invalid multibulk length" },
        { "*99999999999999999999\r\n", "Protocol error: invalid multibulk length" },
        { "*1\r\nPING\r\n", "Protocol error: expected '$', got 'P'" },
        { "*1\r\n\r\n", "Protocol error: expected '$', got ' '" },
        { "*1\r\n\n\r\n", "Protocol error: expected '$', got ' '" },
        { "*1\r\n\u00ff\r\n", "Protocol error: expected '$', got '\u00ff'" },
        { "*2\r\n$4\r\nPING\r\n*4\r\n", "Protocol error: expected '$', got '*'" },
        { "*1\r\n$-1\r\n", "Protocol error: invalid bulk length" },
        { "*1\r\n$x\r\n", "Protocol error: invalid bulk length" },
        { "*1\r\n$\r\n", "Protocol error: invalid bulk length" },
        { "*1\r\n$04\r\nPING\r\n", "Protocol error: invalid bulk length" },
        { "*1\r\n$4 \r\nPING\r\n", "Protocol error: invalid bulk length" },
        { "*1\r\n$536870913\r\n", "Protocol error: invalid bulk length" },
        { "*" + new string('1', 65536), "Protocol error: too big mbulk count string" },
        { "*1\r\n$" + new string('1', 65536), "Protocol error: too big bulk count string" },
        { new string('a', 65537), "Protocol error: too big inline request" },
        { "SET a \"b\r\n", "Protocol error: unbalanced quotes in request" },
        { "SET a 'b\r\n", "Protocol error: unbalanced quotes in request" },
        { "SET a \"b\"c\r\n", "Protocol error: unbalanced quotes in request" },
        { "ECHO ab\\\"c\r\n", "Protocol error: unbalanced quotes in request" },
        { "ECHO \"a\\\r\n", "Protocol error: unbalanced quotes in request" },
    };

    public static TheoryData<string> Unfinished => new(
        "*2147483647\r\n",
        "*1048577\r\n",
        "*" + new string('1', 65535),
        "*1\r\n$" + new string('1', 65535),
        "*1\r\n$536870912\r\n",
        "*1\r\nX",
        "*1\r\nX\r",
        "*1\r\n$4\r\nPING\r",
        new string('a', 65536));

    [Theory]
    [MemberData(nameof(Commands))]
    public void FindsTheArgumentsHoweverTheInputIsCut(string input, string[] expected)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(input + "*1\r\n");
        int length = input.Length;
        for (int cut = 1; cut <= bytes.Length; cut++)
        {
            using ScanRun run = new(bytes);
            run.Feed(cut);
            run.Feed(bytes.Length);
            Assert.Equal(ScanOutcome.Command, run.Outcome);
            Assert.Equal(expected, run.Arguments());
            Assert.Equal(length, run.Result.Consumed);
            Assert.True(run.State.IsFresh);
        }
    }

    [Theory]
    [MemberData(nameof(Commands))]
    public void FindsTheArgumentsByteByByte(string input, string[] expected)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(input);
        using ScanRun run = new(bytes);
        for (int length = 1; length < bytes.Length; length++)
        {
            run.Feed(length);
            Assert.Equal(ScanOutcome.NeedMore, run.Outcome);
            Assert.InRange(run.Result.BytesNeededMin, 1, bytes.Length - length);
        }

        run.Feed(bytes.Length);
        Assert.Equal(ScanOutcome.Command, run.Outcome);
        Assert.Equal(expected, run.Arguments());
        Assert.Equal(bytes.Length, run.Result.Consumed);
    }

    [Theory]
    [MemberData(nameof(Errors))]
    public void ReportsTheErrorHoweverTheInputIsCut(string input, string expected)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(input);
        int step = Math.Max(1, bytes.Length / 50);
        for (int cut = 1; cut <= bytes.Length; cut += step)
        {
            using ScanRun run = new(bytes);
            run.Feed(cut);
            run.Feed(bytes.Length);
            Assert.Equal(ScanOutcome.ProtocolError, run.Outcome);
            Assert.Equal("-ERR " + expected + "\r\n", run.ErrorReply());
            Assert.Equal(0, run.Buffer.Count);
            Assert.True(run.State.IsFresh);
        }
    }

    [Theory]
    [MemberData(nameof(Unfinished))]
    public void WaitsForTheRest(string input)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(input);
        using ScanRun run = new(bytes) { Limits = new ScanLimits(bigArgumentBytes: int.MaxValue) };
        run.Feed(bytes.Length);
        Assert.Equal(ScanOutcome.NeedMore, run.Outcome);
        Assert.True(run.Result.BytesNeededMin >= 1);
    }

    [Theory]
    [InlineData("*0\r\n")]
    [InlineData("*-1\r\n")]
    [InlineData("*-5\r\n")]
    [InlineData("\r\n")]
    [InlineData("\n")]
    [InlineData("  \t \r\n")]
    public void SkipsEmptyCommands(string input)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(input + "*1\r\n$4\r\nPING\r\n");
        for (int cut = 1; cut <= bytes.Length; cut++)
        {
            using ScanRun run = new(bytes);
            run.Feed(cut);
            run.Feed(bytes.Length);
            Assert.Equal(ScanOutcome.Empty, run.Outcome);
            Assert.Equal(input.Length, run.Result.Consumed);
            Assert.True(run.State.IsFresh);
        }
    }

    [Theory]
    [InlineData("*11\r\n$4\r\nPING\r\n", "-ERR Protocol error: unauthenticated multibulk length\r\n")]
    [InlineData("*1\r\n$16385\r\nabc", "-ERR Protocol error: unauthenticated bulk length\r\n")]
    [InlineData("*1\r\n$536870913\r\n", "-ERR Protocol error: invalid bulk length\r\n")]
    [InlineData("*2147483648\r\n", "-ERR Protocol error: invalid multibulk length\r\n")]
    [InlineData("*10\r\n$4\r\nPING\r\n", null)]
    [InlineData("*1\r\n$16384\r\nabc", null)]
    public void IsNarrowBeforeAuthentication(string input, string? expected)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(input);
        using ScanRun run = new(bytes) { Limits = new ScanLimits(isAuthenticationPending: true) };
        run.Feed(bytes.Length);
        Assert.Equal(expected == null ? ScanOutcome.NeedMore : ScanOutcome.ProtocolError, run.Outcome);
        Assert.True(expected == null || run.ErrorReply() == expected);
    }

    [Fact]
    public void ObeysTheConfiguredBulkLimit()
    {
        byte[] bytes = Encoding.Latin1.GetBytes("*1\r\n$20001\r\n");
        using ScanRun run = new(bytes) { Limits = new ScanLimits(bulkBytesMax: 20_000) };
        run.Feed(bytes.Length);
        Assert.Equal("-ERR Protocol error: invalid bulk length\r\n", run.ErrorReply());
    }

    [Fact]
    public void MovesHalfACommandToAnotherBuffer()
    {
        byte[] bytes = Encoding.Latin1.GetBytes("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\nvalue\r\n");
        using ScanRun loop = new(Encoding.Latin1.GetBytes("PING\r\n"));
        loop.Feed(6);
        using ScanRun session = new(bytes);
        session.FeedInto(loop.Buffer, bytes.Length - 4);
        Assert.Equal(3, loop.Buffer.Count);
        Assert.Equal(2, session.State.ArgumentsFound);
        loop.Buffer.MoveTailTo(session.Buffer, session.State.ArgumentsFound);
        Assert.Equal(["PING"], loop.Arguments());
        session.Feed(bytes.Length);
        Assert.Equal(["SET", "k", "value"], session.Arguments());
    }

    [Theory]
    [InlineData("$1\r\nk\r\n", "", 2)]
    [InlineData("", "$3\r\nend\r\n", 2)]
    [InlineData("$1\r\nk\r\n", "$3\r\nend\r\n", 3)]
    public unsafe void ReceivesABigArgumentElsewhere(string before, string after, int count)
    {
        const int size = 100_000;
        byte[] big = new byte[size];
        new Random(1).NextBytes(big);
        string head = $"*{count}\r\n{before}${size}\r\n";
        for (int available = 0; available < size; available += 9_999)
        {
            byte[] first = [.. Encoding.Latin1.GetBytes(head), .. big.AsSpan(0, available)];
            using ScanRun run = new(first);
            run.Feed(first.Length);
            Assert.Equal(ScanOutcome.BigArgument, run.Outcome);
            Assert.Equal(size, run.Result.BigLength);
            Assert.Equal(head.Length, run.Result.BigOffset);
            Assert.Equal(available, run.Result.BigAvailable);
            fixed (byte* block = big)
            {
                run.State.CompleteBigArgument(run.Buffer, block);
                run.Replace(Encoding.Latin1.GetBytes(head + "\r\n" + after));
                for (int length = head.Length; length < head.Length + 2 + after.Length; length++)
                {
                    run.Feed(length);
                    Assert.Equal(ScanOutcome.NeedMore, run.Outcome);
                }

                run.Feed(head.Length + 2 + after.Length);
                Assert.Equal(ScanOutcome.Command, run.Outcome);
                List<string> arguments = [.. run.Arguments()];
                Assert.Equal(count, arguments.Count);
                Assert.Equal(Encoding.Latin1.GetString(big), arguments[before.Length == 0 ? 0 : 1]);
            }
        }
    }

    [Fact]
    public void SaysBigArgumentAgainWhenTheInputGrowsInstead()
    {
        byte[] bytes = Encoding.Latin1.GetBytes("*1\r\n$70000\r\n" + new string('v', 70000) + "\r\n");
        using ScanRun run = new(bytes);
        run.Feed(1000);
        Assert.Equal(ScanOutcome.BigArgument, run.Outcome);
        run.Feed(2000);
        Assert.Equal(ScanOutcome.BigArgument, run.Outcome);
        Assert.Equal(2000 - 12, run.Result.BigAvailable);
        run.Feed(bytes.Length - 1);
        Assert.Equal(ScanOutcome.NeedMore, run.Outcome);
        Assert.Equal(1, run.Result.BytesNeededMin);
        run.Feed(bytes.Length);
        Assert.Equal([new string('v', 70000)], run.Arguments());
    }

    [Fact]
    public void RefusesABlockThatWasNotAskedFor()
    {
        using ScanRun run = new(Encoding.Latin1.GetBytes("*1\r\n"));
        run.Feed(4);
        Assert.Throws<InvalidOperationException>(run.CompleteWithNothing);
    }

    [Fact]
    public unsafe void ScansWithoutManagedAllocation()
    {
        byte[] bytes = Encoding.Latin1.GetBytes("*2\r\n$3\r\nGET\r\n$1\r\nk\r\nECHO 'a b'\r\n*1\r\n$4");
        using ArgumentBuffer arguments = new();
        ScanResult result = default;
        long before = 0;
        fixed (byte* start = bytes)
        {
            for (int round = 0; round < 200; round++)
            {
                // The first rounds compile the code.
                before = round == 100 ? GC.GetAllocatedBytesForCurrentThread() : before;
                ScanState state = default;
                ScanOutcome outcome = ScanOutcome.Command;
                for (int at = 0; outcome == ScanOutcome.Command; at += result.Consumed)
                {
                    outcome = RequestScanner.Scan(
                        ref state, start + at, bytes.Length - at, arguments, default, ref result);
                }

                arguments.Clear();
            }
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }

    private static string Repeat(string piece, int count) => string.Concat(Enumerable.Repeat(piece, count));
}
