using System;
using System.Collections.Concurrent;
using System.Threading.Tasks;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Transport;

/// <summary>Clients without a socket: what the server sends unasked, and passwords.</summary>
public class InProcessClientTests
{
    /// <summary>A subscription is confirmed, and its messages arrive as pushes in order.</summary>
    [Fact]
    public async Task MessagesArriveAsPushes()
    {
        const int MessageCount = 100;
        await using CinnabarServer server = CinnabarServer.Start(new CinnabarServerOptions { LoopCount = 2 });
        using CinnabarClient subscriber = server.Connect();
        using CinnabarClient publisher = server.Connect();
        var messages = new ConcurrentQueue<string>();
        var isComplete = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        subscriber.Pushed += push =>
        {
            if (push.Items[0].Text != "message")
                return;
            messages.Enqueue(push.Items[2].Text);
            if (messages.Count == MessageCount)
                isComplete.SetResult();
        };
        Reply confirmation = await subscriber.CallAsync("SUBSCRIBE", "first", "second");
        Assert.Equal("second", confirmation.Items[1].Text);
        for (int index = 0; index < MessageCount; index++)
            Assert.Equal(1, publisher.Call("PUBLISH", "first", $"{index}").Integer);
        await isComplete.Task.WaitAsync(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken);
        int expected = 0;
        foreach (string message in messages)
            Assert.Equal($"{expected++}", message);
        Assert.Equal("PONG", subscriber.Call("PING").Text);
    }

    /// <summary>In-process clients need not know the password.</summary>
    [Fact]
    public void PasswordIsGiven()
    {
        using CinnabarServer server = CinnabarServer.Start(
            new CinnabarServerOptions { LoopCount = 1, Directives = [new("requirepass", "secret")] });
        using CinnabarClient client = server.Connect();
        Assert.Equal("PONG", client.Call("PING").Text);
    }
}
