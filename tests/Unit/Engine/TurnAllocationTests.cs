using System;
using System.Collections.Generic;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine;

// SAFETY: the loop says where there is room for a session's bytes, and segments live while they are sent.
/// <summary>
/// Whole turns give the garbage collector nothing to do: input, scan, prefetch, execution, replies, output
/// and housekeeping, with several sessions whose commands come pipelined. Time stands still, so the cron,
/// which does allocate ten times a second, does not run.
/// </summary>
public sealed unsafe class TurnAllocationTests
{
    private const int SessionCount = 4;
    private const int Depth = 30;
    private const int RoundCount = 300;
    private const int WarmUpCount = 100;

    [Theory]
    [InlineData("GET key:{0}")]
    [InlineData("GET missing:{0}")]
    [InlineData("SET key:{0} another-value")]
    [InlineData("SET key:{0} v PX 100000")]
    [InlineData("INCR number:{0}")]
    [InlineData("MGET key:1 key:{0} missing number:{0}")]
    [InlineData("MSET key:{0} a key:9 b key:11 c")]
    [InlineData("DEL missing:{0}")]
    [InlineData("EXISTS key:{0}")]
    [InlineData("EXPIRE key:{0} 1000")]
    [InlineData("PING")]
    [InlineData("HSET hash {0} value")]
    [InlineData("HGET hash {0}")]
    [InlineData("SADD set member:{0}")]
    [InlineData("SISMEMBER set member:{0}")]
    [InlineData("ZADD zset {0} member:{0}")]
    [InlineData("ZSCORE zset member:{0}")]
    public void NothingIsAllocated(string line)
    {
        (long allocated, long sent) = Measure(line, RoundCount);
        Assert.True(sent >= RoundCount * SessionCount * Depth * "+\r\n".Length);
        Assert.Equal(0, allocated);
    }

    [Theory]
    [InlineData("GET key:{0}")]
    [InlineData("SET key:{0} another-value")]
    [InlineData("HGET hash {0}")]
    [InlineData("MGET key:1 key:{0} missing number:{0}")]
    [InlineData("PING")]
    public void NothingIsAllocatedForARestrictedUser(string line)
    {
        (long allocated, long sent) = Measure(line, RoundCount, rules: ["resetkeys", "~key*", "~[m-z]*",
            "~hash", "-@dangerous"]);
        Assert.True(sent >= RoundCount * SessionCount * Depth * "+\r\n".Length);
        Assert.Equal(0, allocated);
    }

    /// <summary>The session that watches is one of those that change.</summary>
    [Theory]
    [InlineData("SET key:{0} another-value")]
    [InlineData("HSET hash {0} value")]
    public void NothingIsAllocatedWhileKeysAreWatched(string line)
    {
        (long allocated, _) = Measure(line, RoundCount, preparation: "WATCH key:{0}");
        Assert.Equal(0, allocated);
    }

    [Theory]
    [InlineData("SET key:{0} another-value")]
    [InlineData("SET key:{0} v PX 100000")]
    [InlineData("INCR number:{0}")]
    [InlineData("MSET key:{0} a key:9 b key:11 c")]
    [InlineData("EXPIRE key:{0} 1000")]
    [InlineData("GETEX key:{0} EX 1000")]
    [InlineData("INCRBYFLOAT number:{0} 1")]
    [InlineData("HSET hash {0} value")]
    [InlineData("HSETEX hash EX 1000 FIELDS 1 {0} value")]
    [InlineData("ZINCRBY zset 1 member:{0}")]
    public void NothingIsAllocatedWhileItIsRecorded(string line)
    {
        using var journal = new NullJournal();
        (long allocated, _) = Measure(line, RoundCount, journal);
        Assert.True(journal.Count >= RoundCount * SessionCount * Depth);
        Assert.Equal(0, allocated);
    }

    /// <summary>INFO may allocate, but not its text, and nothing for each field or client.</summary>
    [Fact]
    public void InfoAllocatesLessThanASixthOfItsText()
    {
        const int InfoRoundCount = 20;
        (long allocated, long sent) = Measure("INFO", InfoRoundCount);
        Assert.True(sent >= InfoRoundCount * SessionCount * Depth * 4000L);
        Assert.InRange(allocated, 0, sent / 6);
    }

    private static (long Allocated, long Sent) Measure(
        string line, int roundCount, IJournal? journal = null, string[]? rules = null,
        string preparation = "SET number:{0} 5")
    {
        using var engine = new ServerEngine(new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = new TestLog(),
            LoopCount = 1,
            Clock = new ManualClock(),
        });
        engine.Keyspace.Recording.Journal = journal;
        Assert.Null(engine.Access.Change("default", rules ?? []));
        Loop loop = engine.Loops[0];
        var transport = new CountingTransport();
        loop.Attach(transport);
        var sessions = new Session[SessionCount];
        for (int index = 0; index < SessionCount; index++)
            sessions[index] = loop.OpenSession(
                new SessionEndpoint("127.0.0.1:1", "127.0.0.1:2", index, ConnectionKind.Tcp, true), out _)!;
        Send(loop, sessions[0], Pipeline("SET key:{0} value"));
        Send(loop, sessions[1], Pipeline("SET number:{0} 5"));
        Send(loop, sessions[2], Pipeline(preparation));
        loop.Turn();

        byte[] pipeline = Pipeline(line);
        long before = 0;
        long sentBefore = 0;
        for (int round = -WarmUpCount; round < roundCount; round++)
        {
            if (round == 0)
                (before, sentBefore) = (GC.GetAllocatedBytesForCurrentThread(), transport.ByteCount);
            foreach (Session session in sessions)
                Send(loop, session, pipeline);
            loop.Turn();
            loop.BeginWait();
            loop.EndWait();
        }

        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        long sent = transport.ByteCount - sentBefore;
        foreach (Session session in sessions)
            loop.Disconnected(session);
        loop.Turn();
        return (allocated, sent);
    }

    private static byte[] Pipeline(string line)
    {
        List<byte> bytes = [];
        for (int index = 0; index < Depth; index++)
            bytes.AddRange(RespClient.Encode(string.Format(null, line, index).Split(' ')));
        return [.. bytes];
    }

    private static void Send(Loop loop, Session session, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (loop.IsInputFull)
                loop.Turn();
            loop.Receive(session, out byte* place, out int room);
            int count = Math.Min(room, bytes.Length);
            bytes[..count].CopyTo(new Span<byte>(place, count));
            loop.Received(session, count);
            bytes = bytes[count..];
        }
    }

    private sealed class CountingTransport : LoopTransport
    {
        public long ByteCount { get; private set; }

        public override long Send(Session session, OutputSegment* segments, int count)
        {
            long total = 0;
            for (int index = 0; index < count; index++)
                total += segments[index].Length;
            ByteCount += total;
            return total;
        }

        public override void SetReading(Session session, bool isReading)
        {
        }

        public override void Close(Session session)
        {
        }

        public override void WakeUp()
        {
        }
    }
}
