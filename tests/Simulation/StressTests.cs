using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Platform;
using Cinnabar.Tests.Simulation.Histories;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Simulation;

/// <summary>
/// Real threads, real sockets, more loops than cores: one order must explain the replies of many concurrent
/// clients.
/// </summary>
public sealed class StressTests
{
    private const int ClientCount = 8;
    private const int OperationsPerClient = 16;
    private const int KeyCount = 3;
    private const int MemberKeyCount = 4;
    private const int PipelineDepthMax = 3;
    private const int TimeoutMsMax = 10;

    // Commands as scripts: a test's switch has every run begin again.
    private const int RerunInterval = 1;

    private delegate IRecordingWorkload MakeWorkload(int client, string prefix, ulong seed, Func<long> now);

    [Fact]
    public void ConcurrentHistoriesAreStrictlySerializable() => Stress(new KeyValueModel(),
        static (client, prefix, seed, now) => new HistoryWorkload(client, prefix, KeyCount, seed, now));

    [Fact]
    public void ConcurrentPopsAndMovesThatWaitAreStrictlySerializable() => Stress(new ListModel(),
        static (client, prefix, seed, now) => new ListWorkload(client, prefix, KeyCount, seed, now)
        {
            TimeoutMsMax = TimeoutMsMax,
        });

    [Fact]
    public void ConcurrentPopsAndMovesOfMembersAreStrictlySerializable() => Stress(new MemberModel(),
        static (client, prefix, seed, now) => new MemberWorkload(client, prefix, MemberKeyCount, seed, now)
        {
            TimeoutMsMax = TimeoutMsMax,
        });

    [Fact]
    public void ConcurrentScriptsAreStrictlySerializable() => Stress(new KeyValueModel(),
        static (client, prefix, seed, now) => new HistoryWorkload(client, prefix, KeyCount, seed, now)
        {
            UsesScripts = true,
        }, RerunInterval);

    /// <summary>Scripts of all loops move amounts between undeclared keys: none is lost.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(RerunInterval)]
    public void SumsAreRight(int rerunInterval) => MoveAmounts(rerunInterval);

    private static void MoveAmounts(int rerunInterval)
    {
        const int accountCount = 40;
        const string script = """
            local from, to, amount = 'account' .. ARGV[1], 'account' .. ARGV[2], tonumber(ARGV[3])
            redis.call('DECRBY', from, amount)
            if amount % 7 == 0 then redis.call('INCRBY', to, amount) return redis.error_reply('ERR kept') end
            redis.call('RPUSH', 'log' .. ARGV[1], amount)
            redis.call('LPOP', 'log' .. ARGV[1])
            return redis.call('INCRBY', to, amount)
            """;
        using var server = new StressServer(isSlow: false, rerunInterval);
        long endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L / 8);
        long runCount = 0;
        Task[] tasks = [.. Enumerable.Range(0, ClientCount).Select(number => Task.Factory.StartNew(
            () =>
            {
                using RespClient client = server.Connect();
                var random = new Random(number);
                while (Environment.TickCount64 < endMs)
                {
                    string text = random.Next(4) == 0 ? $"{script} -- {random.Next(1000)}" : script;
                    client.Call("EVAL", text, "0", $"{random.Next(accountCount)}",
                        $"{random.Next(accountCount)}", $"{random.Next(100)}");
                    Interlocked.Increment(ref runCount);
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        Task.WaitAll(tasks);
        using RespClient reader = server.Connect();
        Assert.Empty(server.Faults);
        Assert.True(runCount > ClientCount);
        const string sum = "local sum = 0 for i = 0, 39 do "
            + "sum = sum + (redis.call('GET', 'account' .. i) or 0) end return sum";
        Assert.Equal("0", reader.Call("EVAL", sum, "0").Text);
        Assert.Equal("0", reader.Call("EVAL", "return #redis.call('KEYS', 'log*')", "0").Text);
    }

    private static void Stress(
        ISequentialModel model, MakeWorkload make, int rerunInterval = 0) => Seeded.Run(1, seed =>
    {
        var random = new RandomSource(seed);
        using var server = new StressServer(isSlow: random.NextBelow(2) == 0, rerunInterval);
        RespSocket[] sockets = [.. Enumerable.Range(0, ClientCount).Select(_ => new RespSocket(server.Port))];
        long endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L / 4);
        int roundCount = 0;
        int conclusiveCount = 0;
        do
        {
            List<Operation> history = RunRound(sockets, make, $"r{roundCount}:", random.Next());
            Assert.Empty(server.Faults);
            roundCount++;
            Verdict verdict = LinearizabilityChecker.Check(history, model);
            conclusiveCount += verdict == Verdict.Linearizable ? 1 : 0;
            if (verdict == Verdict.Violation)
                Assert.Fail("No order explains:\n" + string.Join('\n', history));
        }
        while (Environment.TickCount64 < endMs);
        foreach (RespSocket socket in sockets)
            socket.Dispose();
        TestContext.Current.TestOutputHelper?.WriteLine($"{roundCount} rounds, {conclusiveCount} decided");
        SimulationTests.AssertDecided(conclusiveCount, roundCount);
    });

    private static List<Operation> RunRound(
        RespSocket[] sockets, MakeWorkload make, string prefix, ulong seed)
    {
        long time = 0;
        using var start = new Barrier(sockets.Length);
        var workloads = new IRecordingWorkload[sockets.Length];
        for (int client = 0; client < sockets.Length; client++)
        {
            workloads[client] =
                make(client, prefix, seed + (ulong)client, () => Interlocked.Increment(ref time));
        }

        Task[] tasks = [.. workloads.Select((workload, client) => Task.Factory.StartNew(
            () =>
            {
                start.SignalAndWait();
                Drive(sockets[client], workload, seed + (ulong)client);
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        Task.WaitAll(tasks);
        return [.. workloads.SelectMany(static workload => workload.Operations)
            .OrderBy(static operation => operation.InvokedAt)];
    }

    private static void Drive(RespSocket socket, IRecordingWorkload workload, ulong seed)
    {
        var random = new RandomSource(~seed);
        for (int done = 0; done < OperationsPerClient;)
        {
            var sent = new List<Request>();
            for (int depth = 1 + (int)random.NextBelow(PipelineDepthMax); depth > 0; depth--, done++)
                sent.Add(workload.Next());
            socket.Send([.. sent.SelectMany(static request => request.Bytes)]);
            foreach (Request request in sent)
                request.Accept([.. Enumerable.Range(0, request.ReplyCount).Select(_ => socket.Read())]);
        }

        // A watch must not reach into the next round, whose history begins without any.
        socket.Send(RespClient.Encode(["UNWATCH"]));
        if (socket.Read().Text != "OK")
            throw new InvalidDataException("UNWATCH was not answered with OK.");
    }

    private sealed class RespSocket : IDisposable
    {
        private readonly TcpClient _client = new() { NoDelay = true };
        private readonly RespReader _replies;

        public RespSocket(int port)
        {
            _client.Connect(IPAddress.Loopback, port);
            _client.ReceiveTimeout = 300_000;
            _replies = new RespReader(new BufferedStream(_client.GetStream()));
        }

        public void Send(byte[] bytes) => _client.GetStream().Write(bytes);

        public RespValue Read() => _replies.Read();

        public void Dispose() => _client.Dispose();
    }
}
