using System;
using System.Collections.Concurrent;
using System.Runtime.Versioning;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>Where io_uring is denied epoll serves, and one line of the log says why. The thread that starts
/// the server is denied a call, as in a container, on a system that has switched io_uring off, or on one that
/// does not know it.</summary>
[SupportedOSPlatform("linux")]
public sealed class UringDenialTests
{
    private const int Setup = 425;
    private const int Enter = 426;
    private const int Register = 427;

    [Theory]
    [InlineData(Setup, 1, "Operation not permitted")]
    [InlineData(Setup, 12, "Cannot allocate memory")]
    [InlineData(Setup, 22, "Invalid argument")]
    [InlineData(Setup, 38, "Function not implemented")]
    [InlineData(Enter, 1, "Operation not permitted")]
    [InlineData(Enter, 38, "Function not implemented")]
    [InlineData(Register, 1, "Operation not permitted")]
    [InlineData(Register, 22, "Invalid argument")]
    public async Task EpollServesWhereACallIsDenied(int call, int error, string reason)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no seccomp");
        var lines = new ConcurrentQueue<string>();
        await using CinnabarServer server = StartDenied(call, error, lines);
        using CinnabarClient client = server.Connect();
        string info = (await client.CallAsync("INFO", "server")).Text;
        Assert.Contains("multiplexing_api:epoll\r\n", info, StringComparison.Ordinal);
        Assert.Equal("io_uring", (await client.CallAsync("CONFIG", "GET", "transport")).Items[1].Text);
        string line = Assert.Single(lines, static one => one.Contains("io_uring", StringComparison.Ordinal));
        Assert.Contains($"io_uring cannot be used ({reason}), epoll is", line, StringComparison.Ordinal);
    }

    private static CinnabarServer StartDenied(int call, int error, ConcurrentQueue<string> lines)
    {
        CinnabarServer? server = null;
        Exception? fault = null;
        var thread = new Thread(() =>
        {
            try
            {
                SystemCallFilter.Deny(call, error);
                server = CinnabarServer.Start(new CinnabarServerOptions
                {
                    LoopCount = 2,
                    IsMemoryChecked = true,
                    Log = lines.Enqueue,
                    Directives = [new("transport", "io_uring")],
                });
            }
            catch (Exception failure)
            {
                fault = failure;
            }
        });
        thread.Start();
        thread.Join();
        Assert.Null(fault);
        return server!;
    }
}
