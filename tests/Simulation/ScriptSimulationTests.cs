using System;
using Cinnabar.Tests.Simulation.Histories;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Simulation;

/// <summary>Scripts and functions under simulation: their histories are strictly serializable, and what they
/// publish comes once and in order, also where each call makes them run again.</summary>
public sealed class ScriptSimulationTests
{
    [Fact]
    public void EverySeedEndsWell()
    {
        long endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L / 4);
        (int runCount, int decidedCount) = (0, 0);
        (long messageCount, long errorCount, long rerunCount) = (0, 0, 0);
        Seeded.RunWhile(_ => Environment.TickCount64 < endMs, seed =>
        {
            var simulator = new Simulator(seed, new SimulationOptions { RunsScripts = true });
            decidedCount += simulator.Run() == Verdict.Linearizable ? 1 : 0;
            messageCount += simulator.ToldNumberCount;
            errorCount += simulator.ScriptErrorCount;
            rerunCount += simulator.RerunCount;
            simulator.DisposeAndCheck();
            runCount++;
        });
        TestContext.Current.TestOutputHelper?.WriteLine($"{runCount} seeds, {decidedCount} decided, "
            + $"{messageCount} messages, {errorCount} errors, {rerunCount} reruns");
        if (SimulationTests.Variable("CINNABAR_SEED") is not null)
            return;
        SimulationTests.AssertDecided(decidedCount, runCount);
        Assert.True(messageCount > 0 && errorCount > 0 && rerunCount > 0);
    }

    /// <summary>The canary: a write of a script that gets lost is found.</summary>
    [Fact]
    public void MisplacedWriteIsFound() => SimulationTests.AssertFound(
        new SimulationOptions { RunsScripts = true, MisplacesWrites = true });

    /// <summary>The canary: a message of a script that gets lost is found.</summary>
    [Fact]
    public void LostMessageIsFound() => SimulationTests.AssertFound(
        new SimulationOptions { RunsScripts = true, LosesMessage = true });
}
