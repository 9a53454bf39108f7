using System;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>Replicas of a simulated master; CINNABAR_SEED replays a seed that failed.</summary>
public sealed class ReplicaSimulationTests
{
    private const int CanarySeedCountMax = 60;
    private const int PathSeedCountMax = 60;

    [Fact]
    public void EveryReplicaHasTheDataOfItsMaster()
    {
        long endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L * 3 / 16);
        (int runs, int comparisons, int moments, long replies) = (0, 0, 0, 0);
        (int streamed, int stored, int continued, long evicted) = (0, 0, 0, 0);
        Seeded.RunWhile(_ => Environment.TickCount64 < endMs, seed =>
        {
            ReplicaSimulator simulator = Run(seed);
            runs++;
            comparisons += simulator.States.ComparisonCount;
            moments += simulator.States.MomentCount;
            replies += simulator.ReplyCount;
            evicted += simulator.EvictedCount;
            streamed += simulator.Replicas.Sum(static replica => replica.StreamedCount);
            stored += simulator.Replicas.Sum(static replica => replica.StoredCount);
            continued += simulator.Replicas.Sum(static replica => replica.ContinuedCount);
        });
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{runs} seeds, {comparisons} times all data compared, {moments} moments, "
            + $"{streamed} full synchronisations from memory, {stored} from files, "
            + $"{continued} partial ones, {replies} replies, {evicted} keys evicted");
    }

    /// <summary>The same seeds each time: together they synchronise in every way, cut replicas off at the
    /// limit, and let writers overtake a snapshot.</summary>
    [Fact]
    public void EveryPathIsTaken()
    {
        (bool isStreamed, bool isStored, bool isContinued) = (false, false, false);
        (bool isRefused, bool isOvertaken, bool isCompared) = (false, false, false);
        for (ulong seed = 1; seed <= PathSeedCountMax; seed++)
        {
            ReplicaSimulator simulator = Run(seed);
            isStreamed |= simulator.Replicas.Any(static replica => replica.StreamedCount > 0);
            isStored |= simulator.Replicas.Any(static replica => replica.StoredCount > 0);
            isContinued |= simulator.Replicas.Any(static replica => replica.ContinuedCount > 0);
            isRefused |= simulator.State.RefusedPartialCount > 0;
            isOvertaken |= simulator.HasOvertaken;
            isCompared |= simulator.States.ComparisonCount > 0;
            if (isStreamed && isStored && isContinued && isRefused && isOvertaken && isCompared)
                return;
        }

        Assert.Fail($"streamed {isStreamed}, stored {isStored}, continued {isContinued}, "
            + $"refused {isRefused}, overtaken {isOvertaken}, compared {isCompared}");
    }

    /// <summary>The canaries: what is broken on purpose must be found, or the simulation proves
    /// nothing.</summary>
    [Theory]
    [InlineData(nameof(ReplicaFault.LosesByte))]
    [InlineData(nameof(ReplicaFault.AsksTooFar))]
    [InlineData(nameof(ReplicaFault.SkipsCommand))]
    public void FaultIsFound(string name)
    {
        ReplicaFault fault = Enum.Parse<ReplicaFault>(name);
        for (ulong seed = 1; seed <= CanarySeedCountMax; seed++)
        {
            try
            {
                new ReplicaSimulator(seed, fault).Run();
            }
            catch (InvalidDataException found)
            {
                TestContext.Current.TestOutputHelper?.WriteLine($"Seed {seed}: {found.Message}");
                return;
            }
        }

        Assert.Fail($"{CanarySeedCountMax} seeds have not found what was broken on purpose.");
    }

    private static ReplicaSimulator Run(ulong seed)
    {
        var simulator = new ReplicaSimulator(seed);
        simulator.Run();
        return simulator;
    }
}
