using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Simulation;

/// <summary>
/// Commands that build their result without their keys, under real threads: no change of others is lost, and
/// a stored result is a consistent snapshot of the sources. Every command that can goes to the slow lane.
/// </summary>
public sealed class StoreStressTests
{
    private const int ClientCount = 4;
    private const int FirstCount = 3000;
    private const int ValueCount = 40;
    private const int PlaceCount = 900;
    private readonly long _endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L / 8);

    // The lengths that the list and the sorted set must have, by the clients' replies.
    private long _listCount;
    private long _memberCount;

    private bool IsOver => Environment.TickCount64 > _endMs;

    /// <summary>LREM, LINSERT and ZREMRANGEBYSCORE among each other and among pushes and pops.</summary>
    [Fact]
    public async Task NoEditIsLost()
    {
        using var server = new StressServer(isSlow: true);
        using RespClient admin = server.Connect();
        admin.Call(["RPUSH", "l", .. Enumerable.Range(0, FirstCount).Select(Value)]);
        _listCount = FirstCount;
        await RunAll(server, Edit);
        Assert.Equal(_listCount, admin.Call("LLEN", "l").Integer);
        Assert.Equal(_memberCount, admin.Call("ZCARD", "z").Integer);
        Assert.Empty(server.Faults);
    }

    /// <summary>Writers change two things at once; a stored result has both, or none.</summary>
    [Fact]
    public async Task StoredResultsAreConsistentSnapshots()
    {
        using var server = new StressServer(isSlow: true);
        await RunAll(server, static (client, random, number, isOver) =>
        {
            while (!isOver())
            {
                if (number % 2 == 0)
                    ChangePairs(client, random);
                else
                    StorePairs(client, number);
            }
        });
        Assert.Empty(server.Faults);
    }

    private static string Value(int index) => $"v{index % ValueCount}:{new string('x', index % 30)}";

    private async Task RunAll(StressServer server, Action<RespClient, Random, int, Func<bool>> run)
    {
        List<Task> tasks = [];
        for (int index = 0; index < ClientCount; index++)
        {
            int number = index;
            tasks.Add(Task.Factory.StartNew(
                () =>
                {
                    using RespClient client = server.Connect();
                    run(client, new Random(number), number, () => IsOver);
                },
                CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
        }

        await Task.WhenAll(tasks);
    }

    private void Edit(RespClient client, Random random, int number, Func<bool> isOver)
    {
        while (!isOver())
        {
            int index = random.Next(FirstCount);
            string score = random.Next(1000).ToString(CultureInfo.InvariantCulture);
            switch (random.Next(7))
            {
                case 0:
                    string count = $"{random.Next(-9, 9)}";
                    Add(ref _listCount, -client.Call("LREM", "l", count, Value(index)).Integer);
                    break;
                case 1:
                    // The length that is replied is one more than it was.
                    bool isThere = client.Call("LINSERT", "l", "AFTER", Value(index), "new").Integer > 0;
                    Add(ref _listCount, isThere ? 1 : 0);
                    break;
                case 2:
                    client.Call("RPUSH", "l", Value(index), Value(index + 1));
                    Add(ref _listCount, 2);
                    break;
                case 3:
                    Add(ref _listCount, client.Call("LPOP", "l").Kind == '$' ? -1 : 0);
                    break;
                case 4:
                    string to = $"({random.Next(1000)}";
                    Add(ref _memberCount, -client.Call("ZREMRANGEBYSCORE", "z", score, to).Integer);
                    break;
                default:
                    string[] members = [.. Enumerable.Range(index, 40).SelectMany(
                        each => new[] { score, $"{number}:{each}" })];
                    Add(ref _memberCount, client.Call(["ZADD", "z", .. members]).Integer);
                    break;
            }
        }
    }

    private static void Add(ref long count, long change) => Interlocked.Add(ref count, change);

    private static void ChangePairs(RespClient client, Random random)
    {
        string text = new((char)('a' + random.Next(26)), 1 + random.Next(150_000));
        client.Call("MSET", "one", text, "same", text);
        string place = $"{random.Next(PlaceCount)}";
        string where = $"{random.Next(80)}";
        client.Call("GEOADD", "g", where, where, $"a{place}", where, where, $"b{place}");
        client.Call("RPUSH", "pairs", $"{place}", $"{place}");
        client.Call("MSET", $"w{place}", where, $"W{place}", where);
        if (random.Next(3) != 0)
            return;
        client.Call("ZREM", "g", $"a{place}", $"b{place}");
        client.Call("LPOP", "pairs", "2");
        client.Call("LTRIM", "pairs", "0", "1999");
    }

    // What is stored is of no other client's.
    private static void StorePairs(RespClient client, int number)
    {
        string target = $"d{number}";
        client.Call("BITOP", "XOR", target, "one", "same");
        Assert.Equal(0, client.Call("BITCOUNT", target).Integer);
        client.Call("GEOSEARCHSTORE", target, "g", "FROMLONLAT", "40", "40", "BYRADIUS", "2000", "km");
        Assert.Equal(0, client.Call("ZCARD", target).Integer % 2);
        client.Call("SORT", "pairs", "STORE", target);
        string[] sorted = Texts(client.Call("LRANGE", target, "0", "-1"));
        for (int index = 0; index < sorted.Length; index += 2)
            Assert.Equal(sorted[index], sorted[index + 1]);
        client.Call("SORT", "pairs", "ALPHA", "STORE", target);
        Assert.Equal(0, client.Call("LLEN", target).Integer % 2);
        string[] reply = Texts(client.Call("SORT", "pairs", "BY", "w*", "GET", "w*", "GET", "W*"));
        for (int index = 0; index < reply.Length; index += 2)
            Assert.Equal(reply[index], reply[index + 1]);
    }

    private static string[] Texts(RespValue reply) => [.. reply.Items.Select(static item => item.Text)];
}
