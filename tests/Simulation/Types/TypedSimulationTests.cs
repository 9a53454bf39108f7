using System;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Simulation.Histories;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>All types under simulation; CINNABAR_SEED replays a seed that failed.</summary>
public sealed class TypedSimulationTests
{
    private const int CanarySeedCountMax = 60;
    private const int PathSeedCountMax = 400;

    [Fact]
    public void EverySeedIsExplained()
    {
        long endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L * 3 / 16);
        int runCount = 0;
        int conclusiveCount = 0;
        long replyCount = 0;
        var paths = new TakenPaths();
        Seeded.RunWhile(_ => Environment.TickCount64 < endMs, seed =>
        {
            var simulator = new TypedSimulator(seed, new SimulationOptions());
            conclusiveCount += simulator.Run() == Verdict.Linearizable ? 1 : 0;
            simulator.DisposeAndCheck();
            replyCount += simulator.ReplyCount;
            paths.Add(simulator.Paths);
            runCount++;
        });
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{runCount} seeds, {conclusiveCount} decided, {replyCount} replies; {paths}");
        if (SimulationTests.Variable("CINNABAR_SEED") is null)
            SimulationTests.AssertDecided(conclusiveCount, runCount);
    }

    /// <summary>The same seeds each time: together they take all paths through the server.</summary>
    [Fact]
    public void EveryPathIsTaken()
    {
        var paths = new TakenPaths();
        for (ulong seed = 1; seed <= PathSeedCountMax && paths.Missing.Any(); seed++)
        {
            var simulator = new TypedSimulator(seed, new SimulationOptions());
            simulator.Run();
            simulator.DisposeAndCheck();
            paths.Add(simulator.Paths);
        }

        Assert.Empty(paths.Missing);
    }

    [Fact]
    public void SeedReplays() => Seeded.Run(1, static seed => Assert.Equal(Traces(seed), Traces(seed)));

    /// <summary>The canaries: a deliberate fault must be found, or the simulation proves nothing.</summary>
    [Fact]
    public void SwappedScoresAreFound() => AssertFound(new SimulationOptions { SwapsScores = true });

    /// <summary>As <see cref="SwappedScoresAreFound"/>, for fields that stay past their deadline.</summary>
    [Fact]
    public void LateFieldsAreFound() => AssertFound(new SimulationOptions { DelaysFields = true });

    /// <summary>As <see cref="SwappedScoresAreFound"/>, for a last waiter that is served first.</summary>
    [Fact]
    public void ReversedQueuesAreFound() => AssertFound(new SimulationOptions { ReversesQueues = true });

    private static (long, ulong, string) Traces(ulong seed)
    {
        var simulator = new TypedSimulator(seed, new SimulationOptions());
        simulator.Run();
        return (simulator.ReplyCount, simulator.ReplyDigest, simulator.Paths.ToString());
    }

    private static void AssertFound(SimulationOptions options)
    {
        for (ulong seed = 1; seed <= CanarySeedCountMax; seed++)
        {
            var simulator = new TypedSimulator(seed, options);
            try
            {
                simulator.Run();
            }
            catch (InvalidDataException)
            {
                return;
            }
        }

        Assert.Fail($"{CanarySeedCountMax} seeds have not found what was broken on purpose.");
    }
}
