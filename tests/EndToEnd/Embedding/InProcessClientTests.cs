using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading.Tasks;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Embedding;

/// <summary>Clients without a socket, which only an embedded server has: what the server sends unasked, and
/// passwords.</summary>
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
        await isComplete.Task.WaitAsync(TimeSpan.FromMinutes(5), TestContext.Current.CancellationToken);
        int expected = 0;
        foreach (string message in messages)
            Assert.Equal($"{expected++}", message);
        Assert.Equal("PONG", subscriber.Call("PING").Text);
    }

    /// <summary>An unsubscription from all is confirmed once a channel; later calls get replies of their
    /// own.</summary>
    [Theory]
    [InlineData("")]
    [InlineData("P")]
    [InlineData("S")]
    public async Task UnsubscribingFromAllIsOneCall(string kind)
    {
        const int ChannelCount = 1000;
        await using CinnabarServer server = CinnabarServer.Start(new CinnabarServerOptions { LoopCount = 2 });
        using CinnabarClient client = server.Connect();
        await client.CallAsync("SUBSCRIBE", "another-kind");
        await client.CallAsync("PSUBSCRIBE", "another-kind");
        if (kind != "S")
            await client.CallAsync(kind + "UNSUBSCRIBE");
        string[] channels = [.. Enumerable.Range(0, ChannelCount).Select(static index => $"channel:{index}")];
        Task<Reply> all = client.CallAsync([kind + "SUBSCRIBE", .. channels]);
        Task<Reply> none = client.CallAsync(kind + "UNSUBSCRIBE");
        Task<Reply> again = client.CallAsync(kind + "SUBSCRIBE", "again");
        Task<Reply> two = client.CallAsync(kind + "UNSUBSCRIBE", "again", "other");
        Task<Reply> nothing = client.CallAsync(kind + "UNSUBSCRIBE");
        Task<Reply> pong = client.CallAsync("PING");
        Assert.Equal($"channel:{ChannelCount - 1}", (await all).Items[1].Text);
        string confirmed = (await none).Items[1].Text;
        Assert.StartsWith("channel:", confirmed, StringComparison.Ordinal);
        Assert.Equal((kind + "subscribe").ToLowerInvariant(), (await again).Items[0].Text);
        Assert.Equal("again", (await again).Items[1].Text);
        Assert.Equal("other", (await two).Items[1].Text);
        Assert.True((await nothing).Items[1].IsNull);
        Assert.Equal("PONG", (await pong).Text);
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
