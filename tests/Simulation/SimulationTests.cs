using System;
using System.Globalization;
using Cinnabar.Tests.Simulation.Histories;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Simulation;

/// <summary>The engine under simulation; CINNABAR_SEED replays a seed that failed.</summary>
public sealed class SimulationTests
{
    private const int CanarySeedCountMax = 60;

    /// <summary>How long the tests of this project may take: CINNABAR_TEST_SECONDS, or a few
    /// seconds.</summary>
    internal static int Seconds =>
        int.TryParse(Variable("CINNABAR_TEST_SECONDS"), CultureInfo.InvariantCulture, out int seconds)
            ? seconds
            : 16;

    [Fact]
    public void EverySeedEndsWell()
    {
        long endMs = Environment.TickCount64 + (Seconds * 1000L * 5 / 16);
        int runCount = 0;
        int conclusiveCount = 0;
        long replyCount = 0;
        long messageCount = 0;
        long heldCount = 0;
        long blockedCount = 0;
        long moveCount = 0;
        Seeded.RunWhile(_ => Environment.TickCount64 < endMs, seed =>
        {
            var simulator = new Simulator(seed, new SimulationOptions());
            conclusiveCount += simulator.Run() == Verdict.Linearizable ? 1 : 0;
            replyCount += simulator.ReplyCount;
            messageCount += simulator.MessageCount;
            heldCount += simulator.HeldCount;
            blockedCount += simulator.BlockedCount;
            moveCount += simulator.MoveCount;
            simulator.DisposeAndCheck();
            runCount++;
        });
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{runCount} seeds, {conclusiveCount} decided, {replyCount} replies, {messageCount} messages, "
            + $"{heldCount} held by a pause, {blockedCount} blocked, "
            + $"{moveCount} moves");
        if (Variable("CINNABAR_SEED") is not null)
            return;
        AssertDecided(conclusiveCount, runCount);
        Assert.True(replyCount > 0 && messageCount > 0 && blockedCount > 0 && moveCount > 0);
    }

    [Fact]
    public void SeedReplays() => Seeded.Run(1, static seed => Assert.Equal(Traces(seed), Traces(seed)));

    /// <summary>The canaries: a deliberate fault must be found, or the simulation proves nothing.</summary>
    [Fact]
    public void LostByteIsFound() => AssertFound(new SimulationOptions { DropsByte = true });

    /// <summary>As <see cref="LostByteIsFound"/>, for a transaction that ignores its watches.</summary>
    [Fact]
    public void IgnoredWatchIsFound() => AssertFound(new SimulationOptions { OmitsWatch = true });

    /// <summary>As <see cref="LostByteIsFound"/>, for a pause that holds nothing back.</summary>
    [Fact]
    public void IgnoredPauseIsFound() => AssertFound(new SimulationOptions { OmitsPause = true });

    /// <summary>As <see cref="LostByteIsFound"/>, for waiters that get the wrong element.</summary>
    [Fact]
    public void SwappedEndsAreFound() => AssertFound(new SimulationOptions { SwapsEnds = true });

    /// <summary>As <see cref="LostByteIsFound"/>, for a message that does not come.</summary>
    [Fact]
    public void LostMessageIsFound() => AssertFound(new SimulationOptions { LosesMessage = true });

    /// <summary>Fails where too many searches for an order were given up: a busy machine runs but a few, and
    /// two may be given up in any case.</summary>
    internal static void AssertDecided(int decidedCount, int count) => Assert.True(
        count - decidedCount <= 2 + (count / 10), $"{decidedCount} of {count} histories decided");

    internal static string? Variable(string name) => Environment.GetEnvironmentVariable(name);

    private static (long, long, ulong) Traces(ulong seed)
    {
        var simulator = new Simulator(seed, new SimulationOptions());
        simulator.Run();
        return (simulator.ReplyCount, simulator.EscalationCount, simulator.ReplyDigest);
    }

    /// <summary>Fails where no seed finds what is broken on purpose.</summary>
    internal static void AssertFound(SimulationOptions options)
    {
        for (ulong seed = 1; seed <= CanarySeedCountMax; seed++)
        {
            var simulator = new Simulator(seed, options);
            try
            {
                simulator.Run();
            }
            catch (System.IO.InvalidDataException)
            {
                return;
            }
        }

        Assert.Fail($"{CanarySeedCountMax} seeds have not found what was broken on purpose.");
    }
}
