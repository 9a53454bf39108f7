using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Access;

/// <summary>ACL LOG over time, and ACL GENPASS.</summary>
public sealed class AccessLogTests
{
    private const long UsPerMs = 1000;

    [Fact]
    public void EqualDenialsOfOneMinuteAreOneEntry()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock);
        TestClient client = server.Connect();
        client.Run("AUTH nobody x");
        long createdMs = clock.UnixMicroseconds / UsPerMs;
        clock.Advance(60_000 * UsPerMs);
        client.Run("AUTH nobody x");
        long updatedMs = clock.UnixMicroseconds / UsPerMs;
        clock.Advance(1_500 * UsPerMs);
        RespValue entry = Assert.Single(client.Call("ACL", "LOG").Items);
        Assert.Equal(":2", Field(entry, "count"));
        Assert.Equal("$1.5", Field(entry, "age-seconds"));
        Assert.Equal(":0", Field(entry, "entry-id"));
        Assert.Equal($":{createdMs}", Field(entry, "timestamp-created"));
        Assert.Equal($":{updatedMs}", Field(entry, "timestamp-last-updated"));
        // A minute after the last of them, and a moment more.
        clock.Advance(58_501 * UsPerMs);
        client.Run("AUTH nobody x");
        IReadOnlyList<RespValue> entries = client.Call("ACL", "LOG").Items;
        Assert.Equal([":1", ":2"], entries.Select(static one => Field(one, "count")));
        Assert.Equal([":1", ":0"], entries.Select(static one => Field(one, "entry-id")));
        Assert.Equal("$0", Field(entries[0], "age-seconds"));
        Assert.Equal("+OK", client.Run("ACL LOG RESET"));
        Assert.Equal("*", client.Run("ACL LOG"));
    }

    [Fact]
    public void AnEntryBeyondTenOthersIsNotCountedOn()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        for (int user = 0; user < 11; user++)
            client.Run($"AUTH user{user} x");
        client.Run("AUTH user0 x");
        client.Run("AUTH user5 x");
        IReadOnlyList<RespValue> entries = client.Call("ACL", "LOG", "100").Items;
        Assert.Equal(["$user5", "$user0", "$user10"],
            entries.Take(3).Select(static entry => Field(entry, "username")));
        Assert.Equal([":2", ":1"], entries.Take(2).Select(static entry => Field(entry, "count")));
        Assert.Equal(12, entries.Count);
    }

    [Theory]
    [InlineData("ACL GENPASS", 64)]
    [InlineData("ACL GENPASS 1", 1)]
    [InlineData("ACL GENPASS 4", 1)]
    [InlineData("ACL GENPASS 5", 2)]
    [InlineData("ACL GENPASS 128", 32)]
    [InlineData("ACL GENPASS 4096", 1024)]
    public void APasswordHasADigitForFourBits(string command, int length)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        HashSet<string> all = [];
        HashSet<char> digits = [];
        for (int count = 0; count < 200; count++)
        {
            string password = client.Call(command.Split(' ')).Text;
            Assert.Equal(length, password.Length);
            all.Add(password);
            digits.UnionWith(password);
        }

        Assert.Equal("0123456789abcdef", string.Concat(digits.Order()));
        Assert.True(length < 32 || all.Count == 200);
    }

    private static string Field(RespValue entry, string name) => entry[name]!.ToString();
}
