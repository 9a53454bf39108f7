using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>What INFO says of memory is what the data takes, and nothing stays when they are gone.</summary>
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
        Assert.InRange(Field(info, "used_memory_dataset"), listBytes, Field(info, "used_memory"));
    }

    private static void Fill(TestClient client)
    {
        string[] elements = [.. Enumerable.Range(0, ElementCount).Select(static number =>
            number.ToString(CultureInfo.InvariantCulture))];
        client.Call(["RPUSH", "list", .. elements]);
    }

    private static long Field(string info, string name)
    {
        string line = info.Split("\r\n")
            .Single(line => line.StartsWith(name + ":", StringComparison.Ordinal));
        return long.Parse(line[(name.Length + 1)..], CultureInfo.InvariantCulture);
    }
}
