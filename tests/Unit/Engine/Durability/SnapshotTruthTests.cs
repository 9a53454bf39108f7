using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace.Moving;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Whatever commands do meanwhile, and while entries and pages are moved, a snapshot has what the
/// keys had at its moment: byte for byte, each key once.</summary>
public sealed class SnapshotTruthTests
{
    private const int RoundCount = 12;

    [Fact]
    public void ASnapshotHasWhatTheKeysHad() => Seeded.Run(2, seed => Run(seed, loopCostNsMax: 200_000));

    [Fact]
    public void ASnapshotHasWhatTheKeysHadWhileTheSlowLaneWorks() =>
        Seeded.Run(2, seed => Run(seed, loopCostNsMax: -1));

    private static void Run(ulong seed, long loopCostNsMax)
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCostNsMax, 2, clock);
        var writes = new RandomWrites(seed);
        var moves = new MovingRound(server.Engine.Keyspace);
        server.Engine.Keyspace.Pages.MovesAll = true;
        TestClient[] clients = [server.Connect(), server.Connect(loop: 1), server.Connect()];
        clients[1].Run("SELECT 1");
        clients[2].Run("SELECT 2");
        foreach (string[] command in writes.Population())
            clients[0].Call(command);
        for (int round = 0; round < RoundCount; round++)
        {
            Write(server, clients, writes, clock, 200);
            using var expected = new EntryCollector();
            using var actual = new EntryCollector();
            SnapshotJob? job = null;
            Assert.True(AllStripes.TryRun(server.Engine.Keyspace, () =>
            {
                expected.CollectAll(server.Engine.Keyspace);
                job = server.Engine.Data.Snapshots.Begin(SnapshotKind.Rdb, _ => actual, static _ => { });
            }));
            bool isCancelled = round % 4 == 3;
            SlowWalk.Budget budget = SlowWalk.SlowDown(server.Engine.Keyspace);
            for (int step = 0; !job!.IsSettled && step < 300; step++)
            {
                Write(server, clients, writes, clock, 4);
                if (writes.Below(20) == 0)
                    clients[writes.Below(3)].Run("FLUSHDB");
                budget.Left = writes.Below(3);
                for (int count = writes.Below(40); count > 0; count--)
                    moves.Step(scanFieldsMax: 50);
                server.Run();
                if (isCancelled && step == 2)
                    job.Cancel();
            }

            budget.Left = int.MaxValue;
            server.Run();
            Assert.False(server.Engine.Data.Snapshots.IsBusy);
            Assert.NotEqual(isCancelled, actual.HasEnded);
            if (!isCancelled)
                EntryCollector.Compare(expected.Entries, actual.Entries);
        }

        Assert.True(moves.Counts.Moved > 0);
    }

    private static void Write(
        TestServer server, TestClient[] clients, RandomWrites writes, ManualClock clock, int count)
    {
        for (int index = 0; index < count; index++)
        {
            TestClient client = clients[writes.Below(clients.Length)];
            bool isTransaction = writes.Below(8) == 0;
            if (isTransaction)
                client.Send("MULTI");
            for (int nested = isTransaction ? 3 : 1; nested > 0; nested--)
                client.Send(writes.Next());
            if (isTransaction)
                client.Send("EXEC");
            if (writes.Below(4) == 0)
                clock.Advance(writes.Below(20_000));
            server.Run();
        }

        foreach (TestClient client in clients)
            client.Take();
    }
}
