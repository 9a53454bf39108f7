using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Waits;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class WaitProbeTests
{
    private const int StallMs = 300;

    [Fact]
    public void AStallIsSeenByEveryQuestionThatWasDueInIt()
    {
        using var server = new StallingServer(answersBefore: 100, StallMs);
        using var probe = new WaitProbe(Options(server.Port));
        WaitFigures figures = probe.BeginStretch();
        using (var thread = ProbeThread.Start(probe, []))
        {
            SpinWait.SpinUntil(() => figures.Waits.Count > 600, TimeSpan.FromMinutes(5));
            thread.Stop();
        }
        // The server sleeps for that long after its answer; the questions come each millisecond.
        Assert.True(figures.Waits.MaxNs >= (StallMs - 50) * 1_000_000L, $"{figures.Waits.MaxNs} ns");
        Assert.True(figures.Waits.CountFrom(100_000_000) > 100);
        // A client that waits for each answer has asked one question in the stall, and is stalled once.
        Assert.InRange(figures.InTurn.Count, 1, figures.Waits.Count - 100);
        // Which of the questions waited longest may be another one, where the probe itself had to wait.
        Assert.InRange(figures.InTurn.MaxNs, (StallMs - 50) * 1_000_000L, figures.Waits.MaxNs);
        Assert.True(figures.InTurn.CountFrom(100_000_000) < 100);
    }

    [Fact]
    public void AStandstillOfTheProbeIsCounted()
    {
        using var server = new StallingServer(answersBefore: int.MaxValue, StallMs);
        using var probe = new WaitProbe(Options(server.Port));
        WaitFigures before = probe.BeginStretch();
        probe.Start();
        while (before.Waits.Count < 50) probe.Step(isAsking: true);
        while (!probe.IsAnswered) probe.Step(isAsking: false);
        WaitFigures during = probe.BeginStretch();
        probe.Step(isAsking: true);
        Thread.Sleep(StallMs);
        while (during.Waits.Count < StallMs) probe.Step(isAsking: true);
        while (!probe.IsAnswered) probe.Step(isAsking: false);
        Assert.True(during.Waits.MaxNs >= (StallMs - 50) * 1_000_000L);
        Assert.True(during.Gaps.MaxNs >= (StallMs - 50) * 1_000_000L);
    }

    [Fact]
    public void ARestIsNoStandstillAndNothingIsDueInIt()
    {
        using var server = new StallingServer(answersBefore: int.MaxValue, StallMs);
        using var probe = new WaitProbe(Options(server.Port) with { Rate = 0.001 });
        WaitFigures figures = probe.BeginStretch();
        probe.Start();
        probe.Step(isAsking: true);
        while (!probe.IsAnswered) probe.Step(isAsking: false);
        long count = figures.Gaps.Count;
        long gapNs = (long)(figures.Gaps.MeanNs * count);
        Thread.Sleep(StallMs);
        probe.Skip();
        probe.Step(isAsking: true);
        // A rest that takes longer than it may is a standstill for the time beyond.
        long restNs = (StallMs * 1_000_000L) - ((long)(figures.Gaps.MeanNs * figures.Gaps.Count) - gapNs);
        Assert.Equal(count + 1, figures.Gaps.Count);
        Assert.True(restNs <= ProbeRest.RestNsMax, $"{restNs} ns");
        Assert.Equal(1, figures.Waits.Count);
    }

    [Fact]
    public void TheOldestKeyThatShouldHaveGoneIsLate()
    {
        using var server = new CountingServer(count: 12);
        long nowMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
        // Two others, five that have gone, and of the other ten the first was due two seconds ago.
        List<long> deadlines = [.. Enumerable.Range(0, 15).Select(key => nowMs - 7000 + (key * 1000))];
        var options = new LoadOptions { Server = new ServerAddress("127.0.0.1", server.Port) };
        using var probe = new LatenessProbe(options, deadlines, otherCount: 2);
        probe.Start();
        probe.Step(isAsking: true);
        while (!probe.IsAnswered) probe.Step(isAsking: false);
        Assert.Null(probe.FirstError);
        Assert.Equal(1, probe.Lateness.Count);
        Assert.InRange(probe.Lateness.MaxNs, 2_000_000_000, long.MaxValue);
    }

    private static LoadOptions Options(int port) => new()
    {
        Server = new ServerAddress("127.0.0.1", port),
        Commands = [CommandTemplate.Parse("PING")],
        Rate = 1000,
    };
}
