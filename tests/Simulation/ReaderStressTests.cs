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
/// Long readers that release their keys, under real threads: others change, delete and flush the data being
/// read, and readers vanish. Every command that can goes to the slow lane.
/// </summary>
public sealed class ReaderStressTests
{
    private const int WriterCount = 3;
    private const int ReaderCount = 3;
    private const int StayingCount = 2000;
    private const int PairCount = 1500;
    private const int PassingCount = 6000;
    private const int VanishEvery = 9;

    private readonly long _endMs = Environment.TickCount64 + (SimulationTests.Seconds * 1000L / 8);

    private bool IsOver => Environment.TickCount64 > _endMs;

    /// <summary>KEYS and SCAN: lasting keys are returned, and none twice.</summary>
    [Fact]
    public async Task WalksReturnAllLastingKeysOnce()
    {
        using var server = new StressServer(isSlow: true);
        using (RespClient admin = server.Connect())
        {
            for (int index = 0; index < StayingCount; index++)
                admin.Call("SET", $"staying:{index}", "1");
        }

        await RunAll(server, Churn, Walk);
    }

    /// <summary>Each writer changes two members or fields of a collection at once; a reader sees both, or
    /// none.</summary>
    [Fact]
    public async Task CollectionsAreReadAsTheyWereAtOneMoment()
    {
        using var server = new StressServer(isSlow: true);
        await RunAll(server, ChangePairs, ReadPairs);
    }

    private static async Task RunAll(
        StressServer server, Action<RespClient, Random> write, Action<RespClient, Random> read)
    {
        List<Task> tasks = [];
        for (int index = 0; index < WriterCount + ReaderCount; index++)
        {
            int number = index;
            tasks.Add(Task.Factory.StartNew(
                () =>
                {
                    using RespClient client = server.Connect();
                    (number < WriterCount ? write : read)(client, new Random(number));
                    if (number >= WriterCount)
                        Vanish(server);
                },
                CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
        }

        await Task.WhenAll(tasks);
        Assert.Empty(server.Faults);
    }

    private static void Vanish(StressServer server)
    {
        for (int count = 0; count < VanishEvery; count++)
        {
            using RespClient client = server.Connect();
            client.Send("KEYS", "*");
            client.Send("SMEMBERS", "s");
        }
    }

    private static string[] Texts(RespValue reply) => [.. reply.Items.Select(static item => item.Text)];

    private void Churn(RespClient client, Random random)
    {
        while (!IsOver)
        {
            int first = random.Next(PassingCount);
            switch (random.Next(6))
            {
                case 0:
                    client.CallAll(Enumerable.Range(first, 500).Select(static index =>
                        Bytes("DEL", $"passing:{index}", $"moved:{index}")));
                    break;
                case 1:
                    client.Call("RENAME", $"passing:{first}", $"moved:{first}");
                    break;
                case 2:
                    client.Call("SET", $"passing:{first}", "1", "PX", "2");
                    break;
                case 3:
                    client.CallAll(Enumerable.Range(0, PassingCount).Select(static index =>
                        Bytes("DEL", $"passing:{index}")));
                    break;
                default:
                    client.CallAll(Enumerable.Range(first, 800).Select(static index =>
                        Bytes("SET", $"passing:{index}", "1")));
                    break;
            }
        }
    }

    private void Walk(RespClient client, Random random)
    {
        while (!IsOver)
        {
            switch (random.Next(4))
            {
                case 0:
                    Check(Texts(client.Call("KEYS", "*")));
                    break;
                case 1:
                    Check(Texts(client.Call("KEYS", "staying:*")));
                    break;
                case 2:
                    CheckScan(client, random.Next(1, 4000));
                    break;
                default:
                    client.Call("MULTI");
                    client.Call("KEYS", "*");
                    client.Call("KEYS", "*");
                    RespValue both = client.Call("EXEC");
                    Assert.Equal(Texts(both.Items[0]), Texts(both.Items[1]));
                    Check(Texts(both.Items[0]));
                    break;
            }
        }
    }

    private static void CheckScan(RespClient client, int count)
    {
        List<string> names = [];
        string cursor = "0";
        do
        {
            RespValue reply = client.Call("SCAN", cursor, "COUNT", $"{count}");
            cursor = reply.Items[0].Text;
            names.AddRange(Texts(reply.Items[1]));
        }
        while (cursor != "0");
        Check([.. names]);
    }

    private static void Check(string[] names)
    {
        var seen = new HashSet<string>(names);
        Assert.Equal(names.Length, seen.Count);
        int stayingCount = names.Count(static name => name.StartsWith("staying:", StringComparison.Ordinal));
        Assert.Equal(StayingCount, stayingCount);
    }

    private void ChangePairs(RespClient client, Random random)
    {
        while (!IsOver)
        {
            string pair = random.Next(PairCount).ToString(CultureInfo.InvariantCulture);
            string value = random.Next().ToString(CultureInfo.InvariantCulture);
            client.Call("SADD", "s", $"a{pair}", $"b{pair}");
            client.Call("HSET", "h", $"a{pair}", value, $"b{pair}", value);
            client.Call("ZADD", "z", value, $"a{pair}", value, $"b{pair}");
            client.Call("RPUSH", "l", $"a{pair}", $"b{pair}");
            client.Call("MSET", "t", new string('a', 1 + (random.Next() % 200_000)), "u", value);
            if (random.Next(3) == 0)
            {
                client.Call("SREM", "s", $"a{pair}", $"b{pair}");
                client.Call("HDEL", "h", $"a{pair}", $"b{pair}");
                client.Call("ZREM", "z", $"a{pair}", $"b{pair}");
                client.Call("LPOP", "l", "2");
            }

            if (random.Next(2000) == 0)
                Erase(client, random);
        }
    }

    private static void Erase(RespClient client, Random random)
    {
        if (random.Next(3) == 0)
            client.Call("FLUSHALL");
        else
            client.Call("DEL", "s", "l", "t");
    }

    private void ReadPairs(RespClient client, Random random)
    {
        while (!IsOver)
        {
            CheckPairs(Texts(client.Call("SMEMBERS", "s")));
            CheckPairs(Texts(client.Call("SUNION", "s", "s")));
            CheckPairs(Texts(client.Call("ZRANGE", "z", "0", "-1")));
            CheckFields(Texts(client.Call("HGETALL", "h")));
            CheckFields(Texts(client.Call("ZUNION", "1", "z", "WITHSCORES")));
            string[] list = Texts(client.Call("LRANGE", "l", "0", "-1"));
            for (int index = 0; index < list.Length; index += 2)
                Assert.Equal($"b{list[index][1..]}", list[index + 1]);
            long bitCount = client.Call("BITCOUNT", "t").Integer;
            Assert.Equal(0, bitCount % 3);
        }
    }

    private static void CheckPairs(string[] members)
    {
        var seen = new HashSet<string>(members);
        Assert.Equal(members.Length, seen.Count);
        foreach (string member in members)
            Assert.Contains((member[0] == 'a' ? "b" : "a") + member[1..], seen);
    }

    private static void CheckFields(string[] fieldsAndValues)
    {
        var values = new Dictionary<string, string>();
        for (int index = 0; index < fieldsAndValues.Length; index += 2)
            values.Add(fieldsAndValues[index], fieldsAndValues[index + 1]);
        foreach ((string field, string value) in values)
            Assert.Equal(value, values[(field[0] == 'a' ? "b" : "a") + field[1..]]);
    }

    private static byte[][] Bytes(params string[] words) => Array.ConvertAll(words,
        System.Text.Encoding.Latin1.GetBytes);
}
