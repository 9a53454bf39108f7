using System;
using System.Linq;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Unit.Persistence.Journal;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>
/// The disk becomes full of an append-only file that a rewrite makes small: the rewrite ends, the space
/// returns by it, and the server accepts writes again. Power is lost before every single operation.
/// </summary>
public sealed class FullDiskTests
{
    private const int RoomBytes = 20_000;

    [Fact]
    public void ARewriteFreesAFullDisk()
    {
        using var run = new FullDiskRun(seed: 1);
        var replicas = new CollectingSink();
        run.Server.Engine.Data.Journal.Drain!.Add(replicas);
        run.Files.Capacity = RoomBytes;
        FillUp(run);
        int before = run.ExecutedCount;
        Assert.Contains("aof_last_write_status:err", run.Info(), StringComparison.Ordinal);
        Assert.True(run.Server.Engine.Data.Journal.Writer!.PendingBytes > 0, "it could not be written");
        run.Server.IsSaverHeld = true;
        run.Rewrite();
        run.Turn(steps: 3);
        // What is behind the moment belongs in the next file.
        run.WriteNevertheless();
        run.Server.IsSaverHeld = false;
        run.Turn(steps: 30);
        Assert.Contains("aof_last_write_status:ok", run.Info(), StringComparison.Ordinal);
        Assert.Contains("aof_last_bgrewrite_status:ok", run.Info(), StringComparison.Ordinal);
        Assert.True(run.Files.UsedBytes < RoomBytes / 10, $"{run.Files.UsedBytes} bytes are still used");
        Assert.Equal(2, run.Files.Paths.Count(static path => path.Contains(".aof.", StringComparison.Ordinal)
            && !path.EndsWith(".manifest", StringComparison.Ordinal)));
        // The disk fills up again, and a second rewrite frees it again.
        FillUp(run);
        Assert.True(run.ExecutedCount > before, "writes have been accepted");
        run.Rewrite();
        run.Turn(steps: 30);
        Assert.Contains("aof_last_write_status:ok", run.Info(), StringComparison.Ordinal);
        run.Check();
        run.CheckAfterKill();
        string stream = string.Concat(replicas.Files.Select(Encoding.Latin1.GetString)) + replicas.Text;
        Assert.Equal(run.ExecutedCount, stream.Split("RPUSH").Length - 1);
    }

    /// <summary>The base does not fit: the file of before goes on, with all that waited.</summary>
    [Fact]
    public void ARewriteThatDoesNotFitLosesNothing()
    {
        using var run = new FullDiskRun(seed: 2);
        run.Files.Capacity = RoomBytes;
        FillUp(run);
        run.Files.Capacity = run.Files.UsedBytes + 50;
        run.Rewrite();
        run.Turn(steps: 1);
        run.WriteNevertheless();
        run.Turn(steps: 30);
        Assert.Contains("aof_last_bgrewrite_status:err", run.Info(), StringComparison.Ordinal);
        Assert.Contains("aof_last_write_status:err", run.Info(), StringComparison.Ordinal);
        Assert.DoesNotContain(run.Files.Paths, static path =>
            path.Contains("rewriteaof", StringComparison.Ordinal)
            || path.Contains(".2.base", StringComparison.Ordinal));
        run.Files.Capacity = long.MaxValue;
        run.Turn(steps: 30);
        Assert.Contains("aof_last_write_status:ok", run.Info(), StringComparison.Ordinal);
        run.Write();
        run.Check();
        run.CheckAfterKill();
    }

    /// <summary>Space comes back while the base is being written: the writes go on at once.</summary>
    [Fact]
    public void WritesGoOnBeforeTheBaseIsComplete()
    {
        using var run = new FullDiskRun(seed: 3);
        run.Files.Capacity = RoomBytes;
        FillUp(run);
        run.Server.IsSaverHeld = true;
        run.Rewrite();
        run.Turn(steps: 3);
        Assert.True(run.Server.Engine.Data.Journal.Writer!.IsSwitchStuck, "the file is not complete");
        run.WriteNevertheless();
        run.Files.Capacity = long.MaxValue;
        run.Turn(steps: 30);
        Assert.Contains("aof_last_write_status:ok", run.Info(), StringComparison.Ordinal);
        Assert.Contains("aof_rewrite_in_progress:1", run.Info(), StringComparison.Ordinal);
        int before = run.ExecutedCount;
        run.Write();
        Assert.Equal(before + 1, run.ExecutedCount);
        run.Server.IsSaverHeld = false;
        run.Turn(steps: 30);
        Assert.Contains("aof_last_bgrewrite_status:ok", run.Info(), StringComparison.Ordinal);
        run.Check();
        run.CheckAfterKill();
    }

    /// <summary>What waits does not fit, while the base does: the room is left to the base.</summary>
    [Fact]
    public void ARewriteHasTheRoomThatWritesDoNotFitIn()
    {
        using var run = new FullDiskRun(seed: 5);
        run.Files.Capacity = RoomBytes;
        FillUp(run);
        run.WriteNevertheless();
        run.Files.Capacity = run.Files.UsedBytes + (run.Server.Engine.Data.Journal.Writer!.PendingBytes / 2);
        run.Server.IsSaverHeld = true;
        run.Rewrite();
        run.Turn(steps: 3);
        int triedCount = 0;
        run.IsFailing = (operation, path) =>
        {
            bool isIncrement = path.EndsWith(".incr.aof", StringComparison.Ordinal);
            triedCount += operation == "write" && isIncrement ? 1 : 0;
            return false;
        };
        run.Turn(steps: 50);
        Assert.Equal(0, triedCount);
        run.Server.IsSaverHeld = false;
        run.Turn(steps: 30);
        Assert.Contains("aof_last_bgrewrite_status:ok", run.Info(), StringComparison.Ordinal);
        Assert.Contains("aof_last_write_status:ok", run.Info(), StringComparison.Ordinal);
        int before = run.ExecutedCount;
        run.Write();
        Assert.Equal(before + 1, run.ExecutedCount);
        run.Check();
        run.CheckAfterKill();
    }

    /// <summary>The manifest's name is replaced and not flushed: a power loss may bring back the files of
    /// before. So writes stay refused until another rewrite.</summary>
    [Fact]
    public void AManifestInDoubtKeepsWritesRefused()
    {
        using var run = new FullDiskRun(seed: 4);
        run.Files.Capacity = RoomBytes;
        FillUp(run);
        bool hasFailed = false;
        run.IsFailing = (operation, path) =>
        {
            bool isFailing = operation == "names" && !hasFailed
                && path.EndsWith("appendonlydir", StringComparison.Ordinal);
            hasFailed |= isFailing;
            return isFailing;
        };
        run.Rewrite();
        run.Turn(steps: 5);
        Assert.True(hasFailed, "the directory has been flushed");
        int before = run.ExecutedCount;
        run.Write();
        Assert.Equal(before, run.ExecutedCount);
        run.CheckAfterKill();
        // The old files still take their space.
        run.Files.Capacity = long.MaxValue;
        run.Turn(steps: 30);
        Assert.Contains("aof_last_write_status:ok", run.Info(), StringComparison.Ordinal);
        run.Write();
        Assert.Equal(before + 1, run.ExecutedCount);
        run.Check();
        run.CheckAfterKill();
    }

    /// <summary>Space comes and goes, operations fail, the policy changes.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(20)]
    public void NothingThatCountsAsDurableIsLost(int operationsPerFault) => Seeded.Run(4, seed =>
    {
        using var run = new FullDiskRun(seed);
        var random = new RandomSource(seed + 2);
        if (operationsPerFault > 0)
            run.IsFailing = (_, _) => random.NextBelow((ulong)operationsPerFault) == 0;
        run.Files.Capacity = RoomBytes;
        for (int count = 0; count < 60 && !run.HasEnded; count++)
        {
            if (random.NextBelow(4) == 0)
                run.WriteNevertheless();
            else
                run.Write();
            switch (random.NextBelow(8))
            {
                case 0:
                    run.Rewrite();
                    break;
                case 1:
                    run.Files.Capacity = run.Files.UsedBytes + (long)random.NextBelow(3000);
                    break;
                case 2:
                    run.Server.IsSaverHeld = !run.Server.IsSaverHeld;
                    break;
                case 3 when random.NextBelow(8) == 0:
                    run.SetAlways();
                    break;
                default:
                    run.Files.Capacity += (long)random.NextBelow(300);
                    break;
            }

            run.Turn(steps: (int)random.NextBelow(6));
        }

        run.IsFailing = null;
        run.Files.Capacity = long.MaxValue;
        run.Server.IsSaverHeld = false;
        // Rewrites that have failed thrice wait for a minute.
        run.Turn(steps: 700);
        if (!run.HasEnded)
            Assert.Contains("aof_last_write_status:ok", run.Info(), StringComparison.Ordinal);
        run.Check();
        if (!run.HasEnded)
            run.CheckAfterKill();
    });

    private static void FillUp(FullDiskRun run)
    {
        for (int count = run.RefusedCount; run.RefusedCount == count;)
            run.Write();
    }
}
