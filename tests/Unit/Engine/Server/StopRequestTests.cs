using Cinnabar.Engine;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>A signal's stop request: due at once, held by DEBUG PAUSE-CRON, cancelled by SHUTDOWN
/// ABORT.</summary>
public sealed class StopRequestTests
{
    private const string NoShutdown = "-ERR No shutdown in progress.";

    [Fact]
    public void ItIsDueOnceAndThenNotCalledOff()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        StopRequest stop = server.Engine.StopRequest;
        Assert.False(stop.TryBegin());
        stop.Make();
        Assert.True(stop.TryBegin());
        Assert.False(stop.TryBegin());
        Assert.Equal(NoShutdown, client.Run("SHUTDOWN ABORT"));
        Assert.True(stop.IsMade);
    }

    [Fact]
    public void WhileTheCronIsPausedItWaitsAndCanBeCalledOff()
    {
        using var server = new TestServer(configuration: ("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        StopRequest stop = server.Engine.StopRequest;
        int changeCount = 0;
        stop.Changed = () => changeCount++;
        Assert.Equal("+OK", client.Run("DEBUG PAUSE-CRON 1"));
        stop.Make();
        Assert.False(stop.TryBegin());
        Assert.True(stop.IsMade);
        Assert.Equal("+OK", client.Run("SHUTDOWN ABORT"));
        Assert.Contains("Shutdown manually aborted.", server.Log.Lines);
        Assert.Equal(NoShutdown, client.Run("SHUTDOWN ABORT"));
        Assert.False(stop.IsMade);
        stop.Make();
        changeCount = 0;
        Assert.Equal("+OK", client.Run("DEBUG PAUSE-CRON 0"));
        Assert.Equal(1, changeCount);
        Assert.True(stop.TryBegin());
    }
}
