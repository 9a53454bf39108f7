using System;
using System.Runtime.Versioning;
using System.Threading;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class NullServerTests
{
    [Fact]
    public void AnswersEveryRequestByItsNumberOfWords()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the null server needs epoll");
        using var server = new NullServer(0, 100);
        AskWhile(server.Run, server.Port);
    }

    [Fact]
    [SupportedOSPlatform("linux")]
    public void OverARingItAnswersTheSame()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && NullRingServer.IsSupported, "there is no io_uring");
        using var server = new NullRingServer(0, 100);
        AskWhile(server.Run, server.Port);
    }

    private static void AskWhile(Action<CancellationToken> run, int port)
    {
        using var stop = new CancellationTokenSource();
        var thread = new Thread(() => run(stop.Token)) { IsBackground = true };
        thread.Start();
        try
        {
            Ask(port);
        }
        finally
        {
            stop.Cancel();
            thread.Join();
        }
    }

    private static void Ask(int port)
    {
        var address = new ServerAddress("127.0.0.1", port);
        using (var link = new ServerLink(address, new SessionOptions()))
        {
            Assert.Equal("PONG", link.Ask("PING"));
            Assert.Equal(new string('x', 100), link.Ask("GET", "key"));
            Assert.Equal("OK", link.Ask("SET", "key", ""));
        }
        // Requests and replies that fill the sockets' buffers, so that both are cut anywhere.
        using var generator = new LoadGenerator(new LoadOptions
        {
            Server = address,
            Commands = [CommandTemplate.Set(), CommandTemplate.Get(), CommandTemplate.Parse("PING")],
            Data = DataSizes.Range(0, 3000),
            ClientCount = 3,
            Depth = 6000,
            Seconds = null,
            RequestCount = 18_000,
            StallSecondsMax = 600,
        });
        LoadResult result = generator.Run();
        Assert.Equal((54_000, 0, 0), (result.RequestCount, result.ErrorCount, result.MissingCount));
        Assert.Equal(18_000 * (5 + 108 + 7), result.ReceivedBytes);
    }
}
