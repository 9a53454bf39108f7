using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>A server at its limit of memory under each policy, while clients write all kinds of values, in
/// transactions and scripts too, files are saved and the append-only file is rewritten. 2 seconds a policy
/// in CI; with <c>--long</c> half a minute each.</summary>
public sealed class LimitSoakTests
{
    private const int WriterCount = 3;
    private const int LoopCount = 2;
    private const int KeptCount = 500;
    private const int SecondsMin = 2;
    private const int TestPart = 40;
    private const int SaveEvery = 64;
    private const int SaveMsMax = 300_000;
    private const long LimitBytes = 32 << 20;
    private const long CommandBytesMax = 256 << 10;
    private const long LeftBytesMax = 20 << 20;

    private volatile bool _isOver;
    private long _writtenCount;

    /// <summary>The policies.</summary>
    public static TheoryData<string> Policies =>
    [
        "noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-lrm", "allkeys-random", "volatile-lru",
        "volatile-lfu", "volatile-lrm", "volatile-random", "volatile-ttl",
    ];

    private static int Seconds =>
        int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"),
            CultureInfo.InvariantCulture, out int seconds) && seconds > 0
            ? Math.Max(SecondsMin, seconds / TestPart) : SecondsMin;

    [Theory]
    [MemberData(nameof(Policies))]
    public async Task TheLimitHoldsAndNothingLeaks(string policy)
    {
        ulong seed = Seeded.Seed();
        // Evictions end when there is room, not with their time, which a busy machine spends elsewhere.
        using var server = new OwnServer(LoopCount, ("enable-debug-command", "local"), ("appendonly", "yes"),
            ("appendfsync", "no"), ("loop-placement", "all"), ("maxmemory-policy", policy),
            ("maxmemory-eviction-tenacity", "100"));
        using RespClient admin = server.Connect();
        long emptyBytes = FieldOf(admin, "used_memory");
        long emptyResident = FieldOf(admin, "used_memory_rss");
        for (int number = 0; number < KeptCount; number++)
            Assert.Equal("+OK", admin.Run($"SET kept:{number} {Kept(number)}"));
        Assert.Equal("+OK", admin.Run($"CONFIG SET maxmemory {LimitBytes}"));
        Task[] writers = [.. Enumerable.Range(0, WriterCount).Select(number => Task.Factory.StartNew(
            () => Write(server.Connect(), policy, new Random((int)(seed + (ulong)number))),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        try
        {
            Watch(admin);
        }
        finally
        {
            _isOver = true;
            await Task.WhenAll(writers);
        }

        CheckKeys(admin, policy);
        CheckRecord(admin);
        Assert.Equal("+OK", admin.Run("FLUSHALL"));
        AwaitSaves(admin);
        Await(() => FieldOf(admin, "used_memory") < emptyBytes + (LeftBytesMax / 4), admin);
        if (ServerProgram.IsNative && Environment.GetEnvironmentVariable("CINNABAR_CHECKED_MEMORY") != "1")
            Await(() => FieldOf(admin, "used_memory_rss") < emptyResident + LeftBytesMax, admin);
    }

    /// <summary>Looks at the use of memory until the time is over, and long enough for keys to go.</summary>
    private void Watch(RespClient admin)
    {
        var time = Stopwatch.StartNew();
        bool isFull = false;
        for (int look = 0; !isFull || time.Elapsed.TotalSeconds < Seconds; look++)
        {
            Assert.True(isFull || time.ElapsedMilliseconds < SaveMsMax, $"{_writtenCount} bytes are no load");
            string info = admin.Call("INFO", "memory").Text;
            long counted = FieldOf(info, "used_memory") - FieldOf(info, "mem_not_counted_for_evict");
            // What each loop runs may take more than there was, and what each frees is counted late.
            Assert.InRange(counted, 0, LimitBytes + (LoopCount * CommandBytesMax));
            isFull |= counted > LimitBytes - CommandBytesMax
                && Interlocked.Read(ref _writtenCount) > 2 * LimitBytes;
            if (look % SaveEvery == 0)
                admin.Run(look / SaveEvery % 2 == 0 ? "BGSAVE" : "BGREWRITEAOF");
        }
    }

    private void Write(RespClient client, string policy, Random random)
    {
        var load = new LimitLoad(random, IsVolatile: policy.StartsWith("volatile", StringComparison.Ordinal));
        while (!_isOver)
        {
            foreach (string[] command in load.Next())
            {
                string reply = client.Call(command).ToString();
                Interlocked.Add(ref _writtenCount, command.Sum(static word => (long)word.Length));
                bool isRefused = reply.Contains("OOM command not allowed", StringComparison.Ordinal)
                    || reply.StartsWith("-EXECABORT", StringComparison.Ordinal);
                Assert.False(isRefused && policy != "noeviction", $"{string.Join(' ', command)}: {reply}");
                Assert.True(isRefused || !reply.Contains("-ERR", StringComparison.Ordinal), reply);
                if (!isRefused)
                    continue;
                client.Call(load.Removal());
            }
        }
    }

    /// <summary>A key that the policy spares is there as it was.</summary>
    private static void CheckKeys(RespClient admin, string policy)
    {
        long evictedCount = FieldOf(admin, "evicted_keys", "stats");
        Assert.Equal(policy != "noeviction", evictedCount > 0);
        for (int number = 0; number < KeptCount; number++)
        {
            string value = admin.Run($"GET kept:{number}");
            if (value != "$" + Kept(number))
                Assert.True(value == "_" && policy.StartsWith("allkeys", StringComparison.Ordinal), value);
        }
    }

    /// <summary>The append-only file has every removal in its place: it makes the same keys again.</summary>
    private static void CheckRecord(RespClient admin)
    {
        AwaitSaves(admin);
        Assert.Equal("+OK", admin.Run("CONFIG SET maxmemory 0"));
        string digest = admin.Run("DEBUG DIGEST");
        Assert.Equal("+OK", admin.Run("DEBUG LOADAOF"));
        Assert.Equal(digest, admin.Run("DEBUG DIGEST"));
    }

    private static void AwaitSaves(RespClient admin) => Await(() =>
    {
        string info = admin.Call("INFO", "persistence").Text;
        return FieldOf(info, "rdb_bgsave_in_progress") == 0 && FieldOf(info, "aof_rewrite_in_progress") == 0
            && FieldOf(info, "aof_rewrite_scheduled") == 0;
    }, admin);

    private static void Await(Func<bool> holds, RespClient admin)
    {
        for (long endMs = Environment.TickCount64 + SaveMsMax; !holds(); Thread.Sleep(20))
            Assert.True(Environment.TickCount64 < endMs, admin.Call("INFO", "everything").Text);
    }

    private static string Kept(int number) => $"kept-{number}-{new string('k', number)}";

    private static long FieldOf(RespClient admin, string name, string section = "memory") =>
        FieldOf(admin.Call("INFO", section).Text, name);

    private static long FieldOf(string info, string name)
    {
        string start = name + ":";
        string line = info.Split('\n').First(line => line.StartsWith(start, StringComparison.Ordinal));
        return long.Parse(line.AsSpan(start.Length).Trim(), CultureInfo.InvariantCulture);
    }
}
