using System;
using Cinnabar.Engine.Replication.Streams;
using Cinnabar.Replication;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Replication;

/// <summary>History and backlog of a server move together.</summary>
public sealed class ReplicationStateTests
{
    private static readonly string s_otherId = new('a', ReplicationHistory.IdLength);

    [Fact]
    public void WhatIsAppliedIsKeptAndCounted()
    {
        using var server = new TestServer();
        ReplicationState state = server.Engine.Replication;
        int grownCount = 0;
        state.Grown = () => grownCount++;
        state.AppendApplied("PING\r\n"u8, database: 0);
        Assert.Null(state.Backlog);
        Assert.Equal(6, state.Offset);
        Assert.True(state.Begin());
        Assert.False(state.Begin());
        state.AppendApplied("SELECT 3\r\n"u8, database: 3);
        Assert.Equal((16, 16, 6), (state.Offset, state.Backlog!.EndOffset, state.Backlog.StartOffset));
        Assert.Equal((3, 2), (state.Database, grownCount));
    }

    [Fact]
    public void AMastersStreamReplacesTheOwn()
    {
        using var server = new TestServer();
        ReplicationState state = server.Engine.Replication;
        state.Begin();
        state.AppendApplied("PING\r\n"u8, database: 0);
        state.Adopt(s_otherId, 1000);
        Assert.Equal((s_otherId, 1000), (state.Id, state.Offset));
        Assert.Equal((1000, 1000), (state.Backlog!.StartOffset, state.Backlog.EndOffset));
        state.Shift();
        Assert.NotEqual(s_otherId, state.Id);
        Assert.True(state.History.Covers(s_otherId, first: 1001));
        state.End();
        Assert.Null(state.Backlog);
        Assert.False(state.History.Covers(s_otherId, first: 1001));
    }

    [Fact]
    public void TheJournalFeedsAMastersStream()
    {
        using var server = new TestServer();
        ReplicationState state = server.Engine.Replication;
        TestClient client = server.Connect();
        Assert.Equal("+OK", client.Run("SET before 1"));
        state.Begin();
        state.Stream.Attach();
        Assert.Equal("+OK", client.Run("SET a 1"));
        string expected = "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n";
        Assert.Equal(expected.Length, state.Offset);
        using BacklogReader reader = state.Backlog!.TryAddReader(0)!;
        Assert.True(reader.TryTake(int.MaxValue, out BacklogSegment segment));
        unsafe
        {
            // SAFETY: the segment has a reference of its block.
            var taken = new ReadOnlySpan<byte>(segment.Data, segment.Length);
            Assert.Equal(expected, System.Text.Encoding.ASCII.GetString(taken));
            segment.Block->Release();
        }

        state.Stream.Detach();
        Assert.Equal("+OK", client.Run("SET behind 1"));
        Assert.Equal(expected.Length, state.Offset);
    }
}
