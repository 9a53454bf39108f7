using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Unit.Engine.Server;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

// SAFETY: the loop says where there is room for a session's bytes.
/// <summary>
/// A turn's replies are sent several sessions' together, over the whole turn: also after the first of them
/// have waited long enough to be sent within it.
/// </summary>
public sealed unsafe class PostponedRepliesTests
{
    private const int SessionCount = 60;

    // As many as a batch has: time is looked at between batches.
    private const int Depth = 64;

    [Fact]
    public void RepliesCollectAgainOnceSomeHaveBeenSent()
    {
        var clock = new SteppingClock { StepUs = 10 };
        using var engine = new ServerEngine(new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = new TestLog(),
            LoopCount = 1,
            Clock = clock,
        });
        Loop loop = engine.Loops[0];
        var transport = new TimingTransport(clock);
        loop.Attach(transport);
        byte[] pipeline = [.. Enumerable.Repeat(RespClient.Encode(["GET", "k"]), Depth).SelectMany(x => x)];
        var sessions = new List<Session>();
        for (int index = 0; index < SessionCount; index++)
        {
            Session session = loop.OpenSession(
                new SessionEndpoint("127.0.0.1:1", "127.0.0.1:2", index, ConnectionKind.Tcp, true), out _)!;
            sessions.Add(session);
            loop.Receive(session, out byte* place, out int room);
            pipeline.CopyTo(new Span<byte>(place, room));
            loop.Received(session, pipeline.Length);
        }

        loop.Turn();
        Assert.Equal(SessionCount, transport.SendTimesUs.Count);
        int[] together = [.. transport.SendTimesUs.GroupBy(time => time).Select(sends => sends.Count())];
        Assert.True(together.Length >= 3, $"{together.Length} times");
        Assert.All(together[..^1], count => Assert.True(count >= 4, $"{count} together"));
        foreach (Session session in sessions)
            loop.Disconnected(session);
        loop.Turn();
    }

    private sealed class TimingTransport(SteppingClock clock) : LoopTransport
    {
        public List<long> SendTimesUs { get; } = [];

        public override long Send(Session session, OutputSegment* segments, int count)
        {
            SendTimesUs.Add(clock.UnixMicroseconds);
            long total = 0;
            for (int index = 0; index < count; index++)
                total += segments[index].Length;
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
