using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Simulation.Tracking;

/// <summary>As <see cref="TrackingSimulationTests"/>, with real threads and sockets and more loops than
/// cores: writes come between the commands of a turn.</summary>
public sealed class TrackingStressTests
{
    private const int ClientCount = 8;
    private const int KeyCount = 3;
    private const int DepthMax = 12;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void CachesAreNeverStale(bool isSlow) => Seeded.Run(1, seed =>
    {
        using var server = new StressServer(isSlow);
        CachingClient[] clients = new CachingClient[ClientCount];
        long endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L / 16);
        Task[] tasks = [.. Enumerable.Range(0, ClientCount).Select(number => Task.Factory.StartNew(
            () => clients[number] = Run(server, (int)seed + number, endMs),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        Task.WaitAll(tasks);
        Assert.Empty(server.Faults);
        foreach (CachingClient client in clients)
            client.Check(clients.SelectMany(static one => one.Writes));
        Assert.True(clients.Sum(static client => client.InvalidationCount) > 0, "nothing was invalidated");
    });

    private static CachingClient Run(StressServer server, int seed, long endMs)
    {
        using RespClient socket = server.Connect();
        byte[] batch = [];
        var client = new CachingClient(bytes => batch = [.. batch, .. bytes], seed, KeyCount);
        var random = new Random(seed);
        do
        {
            for (int depth = random.Next(DepthMax); depth >= 0; depth--)
                client.Ask();
            socket.SendRaw(batch);
            batch = [];
            while (client.SentCount > 0)
                client.Accept(socket.Read());
        }
        while (Environment.TickCount64 < endMs);
        client.EndCaching();
        return client;
    }
}
