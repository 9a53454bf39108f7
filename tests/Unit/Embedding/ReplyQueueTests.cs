using System;
using System.Text;
using Cinnabar.Resp;
using Cinnabar.Wire;
using Xunit;

namespace Cinnabar.Tests.Unit.Embedding;

/// <summary>Replies that come in pieces.</summary>
public sealed class ReplyQueueTests
{
    /// <summary>Objects are not made for each piece of all that has come before it.</summary>
    [Fact]
    public void ManyPiecesCostNoMoreThanOne()
    {
        const int MemberCount = 20_000;
        const int PieceSize = 500;
        var text = new StringBuilder($"~{MemberCount}\r\n");
        for (int member = 0; member < MemberCount; member++)
            text.Append($"$7\r\n{1_000_000 + member}\r\n");
        text.Append("+next\r\n");
        byte[] bytes = Encoding.ASCII.GetBytes(text.ToString());
        long whole = AllocatedBy(bytes, bytes.Length, MemberCount);
        long pieces = AllocatedBy(bytes, PieceSize, MemberCount);
        Assert.InRange(pieces, 0, 3 * whole);
    }

    [Fact]
    public void AnInvalidReplyIsReported()
    {
        var replies = new ReplyQueue();
        replies.Bytes.Append("*2\r\n+a\r\n"u8);
        Assert.Equal(ReplyReadOutcome.NeedMore, replies.Take(out _));
        replies.Bytes.Append("?\r\n"u8);
        Assert.Equal(ReplyReadOutcome.Malformed, replies.Take(out Reply? reply));
        Assert.Null(reply);
    }

    private static long AllocatedBy(byte[] bytes, int pieceSize, int memberCount)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        var replies = new ReplyQueue();
        int memberSum = 0;
        int replyCount = 0;
        for (int start = 0; start < bytes.Length; start += pieceSize)
        {
            replies.Bytes.Append(bytes.AsSpan(start, Math.Min(pieceSize, bytes.Length - start)));
            while (replies.Take(out Reply? reply) == ReplyReadOutcome.Complete)
            {
                memberSum += reply!.Items.Count;
                replyCount++;
            }
        }

        Assert.Equal((memberCount, 2), (memberSum, replyCount));
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
