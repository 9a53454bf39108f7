using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>INFO's memory figures match the data, and fall to the start when the data are removed.</summary>
public sealed class MemoryAccountTests
{
    private const int ElementCount = 20_000;
    private const int ClientCount = 30;

    [Fact]
    public void ManyLongRepliesAtOnceLeaveNothingBehind()
    {
        using var server = new TestServer();
        TestClient first = server.Connect();
        Fill(first);
        first.Call("SORT", "list", "LIMIT", "0", "1");
        first.Call("FLUSHALL");
        server.Run();
        long usedBytes = server.Engine.Keyspace.UsedBytes;

        Fill(first);
        TestClient[] clients = [.. Enumerable.Range(0, ClientCount).Select(_ => server.Connect())];
        foreach (TestClient client in clients)
            client.Send("SORT", "list", "LIMIT", "0", "1");
        server.Run();
        foreach (TestClient client in clients)
            Assert.Equal("*[$0]", client.Shown());
        first.Call("FLUSHALL");
        server.Run();
        Assert.InRange(server.Engine.Keyspace.UsedBytes - usedBytes, long.MinValue, 64 << 10);
    }

    [Fact]
    public void PagesOfBigCollectionsAreData()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Fill(client);
        string info = client.Call("INFO", "memory").Text;
        long listBytes = long.Parse(client.Call("MEMORY", "USAGE", "list").ToString()[1..],
            CultureInfo.InvariantCulture);
        Assert.InRange(listBytes, ElementCount * 3, long.MaxValue);
        // The key's slot of the table, 9 bytes, counts as overhead.
        Assert.InRange(Field(info, "used_memory_dataset"), listBytes - 9, Field(info, "used_memory"));
    }

    // The names and their order are those of Redis 8.
    [Fact]
    public void MemoryStatsHasTheFieldsOfRedisInItsOrder()
    {
        using var server = new TestServer();
        TestClient client = server.Connect(protocol: 3);
        client.Call("SET", "key", "v");
        client.Call("SELECT", "3");
        client.Call("SET", "key", "v");
        RespValue stats = client.Call("MEMORY", "STATS");
        string[] names = [.. stats.Items.Where(static (_, index) => index % 2 == 0)
            .Select(static item => item.Text)];
        const string wanted = "peak.allocated total.allocated startup.allocated replication.backlog "
            + "replica.fullsync.buffer clients.slaves clients.normal cluster.links aof.buffer lua.caches "
            + "functions.caches script.VMs db.0 db.3 overhead.db.hashtable.lut "
            + "overhead.db.hashtable.rehashing overhead.total db.dict.rehashing.count keys.count "
            + "keys.bytes-per-key dataset.bytes dataset.percentage peak.percentage allocator.allocated "
            + "allocator.active allocator.resident allocator.muzzy allocator-fragmentation.ratio "
            + "allocator-fragmentation.bytes allocator-rss.ratio allocator-rss.bytes rss-overhead.ratio "
            + "rss-overhead.bytes fragmentation fragmentation.bytes";
        Assert.Equal(wanted.Split(' '), names);
        long tables = stats["db.0"]!["overhead.hashtable.main"]!.Integer
            + stats["db.3"]!["overhead.hashtable.main"]!.Integer;
        Assert.InRange(tables, 1, stats["overhead.total"]!.Integer);
        Assert.Equal(tables, stats["overhead.db.hashtable.lut"]!.Integer);
        client.Call("FLUSHALL");
        Assert.Equal(0, client.Call("MEMORY", "STATS")["overhead.db.hashtable.lut"]!.Integer);
    }

    [Fact]
    public void FiguresOfTheAllocatorAddUp()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Fill(client);
        string info = client.Call("INFO", "memory").Text;
        long allocated = Field(info, "allocator_allocated");
        long active = Field(info, "allocator_active");
        long resident = Field(info, "allocator_resident");
        Assert.Equal(Field(info, "used_memory"), allocated);
        Assert.InRange(active, allocated, resident);
        Assert.InRange(resident, active, server.Engine.Keyspace.MappedBytes);
        Assert.Equal(active - allocated, Field(info, "allocator_frag_bytes"));
        Assert.Equal(resident - active, Field(info, "allocator_rss_bytes"));
        Assert.Equal(Field(info, "used_memory_rss") - resident, Field(info, "rss_overhead_bytes"));
        Assert.Equal(Ratio(active, allocated), Text(info, "allocator_frag_ratio"));
        Assert.Equal(Ratio(resident, active), Text(info, "allocator_rss_ratio"));
    }

    [Fact]
    public void ThePeakHasItsTime()
    {
        var clock = new ManualClock();
        using var server = new TestServer(clock: clock);
        TestClient client = server.Connect();
        clock.Advance(500_000_000);
        Fill(client);
        long peakS = clock.UnixMicroseconds / 1_000_000;
        Assert.Equal(peakS, Field(client.Call("INFO", "memory").Text, "used_memory_peak_time"));
        client.Call("FLUSHALL");
        clock.Advance(60_000_000);
        Assert.Equal(peakS, Field(client.Call("INFO", "memory").Text, "used_memory_peak_time"));
    }

    private static void Fill(TestClient client)
    {
        string[] elements = [.. Enumerable.Range(0, ElementCount).Select(static number =>
            number.ToString(CultureInfo.InvariantCulture))];
        client.Call(["RPUSH", "list", .. elements]);
    }

    private static long Field(string info, string name) =>
        long.Parse(Text(info, name), CultureInfo.InvariantCulture);

    private static string Ratio(long whole, long part) =>
        ((double)whole / part).ToString("F2", CultureInfo.InvariantCulture);

    private static string Text(string info, string name) => info.Split("\r\n")
        .Single(line => line.StartsWith(name + ":", StringComparison.Ordinal))[(name.Length + 1)..];
}
