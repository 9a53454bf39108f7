using System;
using System.IO;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Simulation.Snapshots;

/// <summary>Snapshots under simulation; CINNABAR_SEED replays a seed that failed.</summary>
public sealed class SnapshotSimulationTests
{
    private const int CanarySeedCountMax = 60;
    private const int PathSeedCountMax = 60;

    [Fact]
    public void EverySnapshotHasWhatTheKeysHad()
    {
        long endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L * 3 / 16);
        (int runs, int files, int bases, int loads, long replies) = (0, 0, 0, 0, 0);
        Seeded.RunWhile(_ => Environment.TickCount64 < endMs, seed =>
        {
            SnapshotSimulator simulator = Run(seed);
            runs++;
            files += simulator.FileCount;
            bases += simulator.BaseCount;
            loads += simulator.LoadCount;
            replies += simulator.ReplyCount;
        });
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{runs} seeds, {files} files, {bases} of them bases, {loads} append-only files loaded, "
            + $"{replies} replies");
    }

    /// <summary>The same seeds each time: together they write snapshots, bases and append-only files, and
    /// make writers wait.</summary>
    [Fact]
    public void EveryPathIsTaken()
    {
        bool hasSnapshot = false;
        bool hasBase = false;
        bool hasLoad = false;
        bool hasHeld = false;
        for (ulong seed = 1; seed <= PathSeedCountMax; seed++)
        {
            if (hasSnapshot && hasBase && hasLoad && hasHeld)
                break;
            SnapshotSimulator simulator = Run(seed);
            // The last of them is written when all is quiet.
            hasSnapshot |= simulator.FileCount - simulator.BaseCount > 1;
            hasBase |= simulator.BaseCount > 0;
            hasLoad |= simulator.LoadCount > 0;
            hasHeld |= simulator.HasHeldWriters;
        }

        Assert.True(hasSnapshot && hasBase && hasLoad && hasHeld);
    }

    /// <summary>The canary: changes that a snapshot does not notice are found in its file, or the simulation
    /// proves nothing.</summary>
    [Fact]
    public void LostPreImagesAreFound()
    {
        for (ulong seed = 1; seed <= CanarySeedCountMax; seed++)
        {
            try
            {
                new SnapshotSimulator(seed, losesPreImages: true).Run();
            }
            catch (InvalidDataException)
            {
                return;
            }
        }

        Assert.Fail($"{CanarySeedCountMax} seeds have not found what was broken on purpose.");
    }

    private static SnapshotSimulator Run(ulong seed)
    {
        var simulator = new SnapshotSimulator(seed);
        simulator.Run();
        return simulator;
    }
}
