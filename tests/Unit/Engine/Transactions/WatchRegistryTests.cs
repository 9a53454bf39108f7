using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Engine.Sessions;
using Cinnabar.Keyspace;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Transactions;

/// <summary>WATCH, when changes are reported while a session ends its watches.</summary>
public sealed class WatchRegistryTests
{
    [Fact]
    public void AChangeReportedWhileTheWatchEndsRefusesNoLaterTransaction()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run("WATCH a");
        // Another loop has seen that the watch lives and is about to mark it...
        Watch watch = client.Session!.Watches!.Watches.Single();
        client.Run("UNWATCH");
        client.Run("WATCH b");
        // ...and does so now.
        watch.List.MarkDirty();
        client.Run("MULTI");
        client.Run("SET b 1");
        Assert.Equal("*[+OK]", client.Run("EXEC"));
    }

    [Fact]
    public void AChangeOfAWatchedKeyRefusesTheTransactionAndNoOther()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect(0);
        TestClient other = server.Connect(1);
        client.Run("WATCH a b");
        other.Run("SET b 2");
        Assert.True(client.Session!.IsWatchDirty);
        client.Run("WATCH c");
        client.Run("MULTI");
        Assert.Equal("_", client.Run("EXEC"));
        Assert.False(client.Session.IsWatchDirty);
        client.Run("MULTI");
        Assert.Equal("*", client.Run("EXEC"));
    }

    /// <summary>A session with many watches is not searched for each key.</summary>
    [Fact]
    public void AKeyIsSoughtAmongItsOwnWatchesWhereTheseAreFewer()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Run("WATCH a b");
        Assert.Equal("+OK", client.Run("WATCH b a b"));
        WatchList list = client.Session!.Watches!;
        Assert.Equal(2, list.Watches.Count);
        Watch first = list.Watches[0];
        Assert.True(list.Contains(first.Key, [first]));
        Assert.True(list.Contains(first.Key, [.. list.Watches]));
        // The given watches of the key: none.
        Assert.False(list.Contains(first.Key, []));
    }

    /// <summary>Removing dead watches visits all watches of the stripe: it waits until half of them are
    /// dead.</summary>
    [Fact]
    public void DeadWatchesAreRemovedTogether()
    {
        using var server = new TestServer();
        string[] keys = [.. KeysOfAStripe(server).Take(5)];
        TestClient many = server.Connect();
        TestClient other = server.Connect();
        many.Run($"WATCH {string.Join(' ', keys[..4])}");
        for (int count = 1; count <= 3; count++)
        {
            other.Run($"WATCH {keys[4]}");
            other.Run("UNWATCH");
            Assert.Equal(4 + count, WatchCount(server));
        }

        // Living watches are still marked.
        other.Run($"WATCH {keys[4]}");
        many.Run($"SET {keys[4]} 1");
        Assert.True(other.Session!.IsWatchDirty);
        Assert.False(many.Session!.IsWatchDirty);
        many.Run("UNWATCH");
        other.Run("UNWATCH");
        server.Run();
        Assert.Equal(0, WatchCount(server));
    }

    private static IEnumerable<string> KeysOfAStripe(TestServer server)
    {
        int stripe = server.Engine.Keyspace.StripeIndex(server.Engine.Keyspace.Hash("0"u8));
        for (int number = 0; ; number++)
        {
            string key = number.ToString(CultureInfo.InvariantCulture);
            if (server.Engine.Keyspace.StripeIndex(
                server.Engine.Keyspace.Hash(Encoding.ASCII.GetBytes(key))) == stripe)
                yield return key;
        }
    }

    private static int WatchCount(TestServer server)
    {
        int count = 0;
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            count += server.Engine.Watches.CountOf(stripe);
        return count;
    }
}
