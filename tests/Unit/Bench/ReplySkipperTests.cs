using System.Linq;
using System.Text;
using Cinnabar.Load;
using Cinnabar.Load.Replies;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class ReplySkipperTests
{
    public static readonly TheoryData<string, int, int, int> Payloads = new()
    {
        { "+OK\r\n", 1, 0, 0 },
        { "-ERR no such thing, 12\r\n", 1, 1, 0 },
        { ":-1234\r\n:5\r\n", 2, 0, 0 },
        { "$5\r\nhello\r\n$0\r\n\r\n$-1\r\n", 3, 0, 1 },
        { "$13\r\n$1\r\n-ERR\r\n+\r\n\r\n", 1, 0, 0 },
        { "*0\r\n*-1\r\n*2\r\n$1\r\na\r\n$-1\r\n", 3, 0, 1 },
        { "*2\r\n*3\r\n:1\r\n:2\r\n*0\r\n%1\r\n+k\r\n*1\r\n-ERR inside\r\n:7\r\n", 2, 0, 0 },
        { "_\r\n#t\r\n#f\r\n,-1.5e10\r\n,inf\r\n(-34928903284098\r\n", 6, 0, 1 },
        { "!21\r\nSYNTAX invalid syntax\r\n=8\r\ntxt:abcd\r\n", 2, 1, 0 },
        { "%2\r\n+a\r\n:1\r\n+b\r\n~2\r\n:1\r\n:2\r\n%0\r\n~0\r\n", 3, 0, 0 },
        { ">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n+OK\r\n>0\r\n", 1, 0, 0 },
        { "|1\r\n+ttl\r\n:3600\r\n$-1\r\n", 1, 0, 1 },
        { "|1\r\n+a\r\n*2\r\n-ERR not a reply\r\n_\r\n-ERR this is\r\n|0\r\n:1\r\n", 2, 1, 0 },
        { "*2\r\n|1\r\n+a\r\n%1\r\n:1\r\n:2\r\n:3\r\n:4\r\n+next\r\n", 2, 0, 0 },
        { "$20\r\n" + "aaaaaaaaaaaaaaaaaaaa" + "\r\n:1\r\n-A\r\n_\r\n-B\r\n", 5, 2, 1 },
    };

    [Theory]
    [MemberData(nameof(Payloads))]
    public void CountsWholeSplitAnywhereAndByteByByte(string payload, int replies, int errors, int missing)
    {
        byte[] data = Encoding.Latin1.GetBytes(payload);
        Check([data.Length]);
        for (int split = 1; split < data.Length; split++) Check([split, data.Length]);
        Check([.. Enumerable.Range(1, data.Length)]);

        void Check(int[] ends)
        {
            var skipper = new ReplySkipper();
            int count = 0;
            for (int from = 0, index = 0; index < ends.Length; from = ends[index++])
                count += Consume(ref skipper, data[from..ends[index]]);
            Assert.Equal((replies, errors, missing),
                (count, (int)skipper.ErrorCount, (int)skipper.MissingCount));
        }
    }

    [Fact]
    public void AReplyCountsWhenItsLastByteIsThere()
    {
        var skipper = new ReplySkipper();
        Assert.Equal(0, Consume(ref skipper, "*2\r\n$1\r\na\r\n$3\r\nabc\r"u8.ToArray()));
        Assert.Equal(1, Consume(ref skipper, "\n"u8.ToArray()));
    }

    [Fact]
    public void KeepsTheFirstErrorsText()
    {
        var skipper = new ReplySkipper();
        Consume(ref skipper, "+OK\r\n-ERR fi"u8.ToArray());
        Consume(ref skipper, "rst\r\n-ERR second\r\n"u8.ToArray());
        Assert.Equal("ERR first", skipper.FirstError);
        Assert.Equal(2, skipper.ErrorCount);
    }

    [Theory]
    [InlineData("HTTP/1.1 400 Bad Request\r\n")]
    [InlineData("\r\n")]
    [InlineData("$3\r\nabcde")]
    [InlineData("$99999999999\r\n")]
    [InlineData("$?\r\n")]
    public void RefusesInvalidReplies(string payload)
    {
        var skipper = new ReplySkipper();
        byte[] data = Encoding.Latin1.GetBytes(payload);
        Assert.Throws<LoadException>(() => Consume(ref skipper, data));
    }

    // SAFETY: the array is pinned for the length of the call, which reads no further than its size.
    private static unsafe int Consume(ref ReplySkipper skipper, byte[] data)
    {
        fixed (byte* start = data) return skipper.Consume(start, data.Length);
    }
}
