using System.Linq;
using Cinnabar.Engine.Transactions;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Transactions;

/// <summary>WATCH, where changes are told while a session ends its watches.</summary>
public sealed class WatchRegistryTests
{
    [Fact]
    public void AChangeThatIsToldWhileTheWatchEndsRefusesNoLaterTransaction()
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
}
