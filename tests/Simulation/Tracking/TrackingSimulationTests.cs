using System;
using System.IO;
using System.Linq;
using Cinnabar.Commands;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Simulation.Tracking;

/// <summary>Clients that cache by the rules of CLIENT TRACKING never have a stale value, whatever the loops,
/// the slow lane and the connections do in which order.</summary>
public sealed class TrackingSimulationTests
{
    private const int StepCount = 4000;
    private const int DrainStepCount = 2000;
    private const int ClientCount = 6;
    private const int CanarySeedCount = 20;

    [Fact]
    public void CachesAreNeverStale()
    {
        long endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L / 8);
        long invalidationCount = 0;
        Seeded.RunWhile(_ => Environment.TickCount64 < endMs, seed => invalidationCount += Run(seed, false));
        Assert.True(invalidationCount > 0, "nothing was invalidated");
    }

    /// <summary>The canary: clients that ignore what they are told must be found.</summary>
    [Fact]
    public void IgnoredInvalidationsAreFound()
    {
        for (ulong seed = 1; seed <= CanarySeedCount; seed++)
        {
            try
            {
                Run(seed, isDeaf: true);
            }
            catch (InvalidDataException)
            {
                return;
            }
        }

        Assert.Fail($"{CanarySeedCount} seeds have not found what was broken on purpose.");
    }

    private static long Run(ulong seed, bool isDeaf)
    {
        var random = new Random((int)seed);
        (string, string)[] limit = random.Next(2) == 0 ? [("tracking-table-max-keys", "2")] : [];
        var server = new SimulatedServer(
            seed, new SimulationOptions(), [-1, Execution.LoopCostNsDefault], disk: null, limit);
        var clients = new SimulatedCache[ClientCount];
        for (int index = 0; index < ClientCount; index++)
        {
            SimulatedConnection connection =
                server.Transports[server.RandomLoop()].Open($"127.0.0.1:{index + 1000}");
            clients[index] = new SimulatedCache(connection, random.Next(), 1 + random.Next(5), isDeaf);
        }

        for (int step = 0; step < StepCount; step++)
        {
            Step(server, random, clients[random.Next(ClientCount)]);
            server.CheckLog();
            foreach (SimulatedCache client in clients)
                client.Receive();
        }

        Drain(server, clients);
        foreach (SimulatedCache client in clients)
            client.Client.Check(clients.SelectMany(static one => one.Client.Writes));
        server.CloseAll();
        server.DisposeAndCheck();
        return clients.Sum(static client => client.Client.InvalidationCount);
    }

    private static void Step(SimulatedServer server, Random random, SimulatedCache client)
    {
        switch (random.Next(12))
        {
            case 0 or 1 or 2:
                client.Client.Ask();
                break;
            case 3 or 4 or 5:
                server.Deliver(client.Connection, random.Next(2) == 0 ? 1 << 20 : 1 + random.Next(64));
                break;
            case 6 or 7 or 8:
                server.TryTurn(server.RandomLoop());
                break;
            case 9:
                server.DrainSome(1 + random.Next(2000));
                break;
            case 10:
                server.RunSlowLane();
                break;
            default:
                if (random.Next(3) == 0)
                    server.HoldStripe();
                else
                    server.ReleaseStripe();
                server.Clock.Advance(random.Next(3000));
                break;
        }
    }

    private static void Drain(SimulatedServer server, SimulatedCache[] clients)
    {
        server.ReleaseStripes();
        for (int step = 0, doneCount = 0; step < DrainStepCount && doneCount < 3; step++)
        {
            bool isDone = server.IsQuiet && clients.All(static client => client.Client.SentCount == 0);
            doneCount = isDone ? doneCount + 1 : 0;
            server.Clock.Advance(5000);
            foreach (SimulatedCache client in clients)
                server.Deliver(client.Connection, 1 << 20);
            server.RunAll();
            server.RunSlowLane();
            foreach (SimulatedCache client in clients)
                client.Receive();
        }

        if (clients.Any(static client => client.Client.SentCount > 0))
            throw new InvalidDataException("Requests were forgotten.");
    }
}
