using System;
using System.IO;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;
using Cinnabar.Tests.EndToEnd.Clients;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>unixsocket, unixsocketperm and unixsocketgroup.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class UnixSocketTests
{
    [Theory]
    [InlineData("700", "epoll")]
    [InlineData("700", "io_uring")]
    [InlineData("770", "portable")]
    [InlineData("777", "epoll")]
    [InlineData("777", "io_uring")]
    [InlineData("600", "portable")]
    public void TheSocketHasItsModeAndServes(string mode, string transport)
    {
        using ServerRun run = new(
            null, "--unixsocket", "own.sock", "--unixsocketperm", mode, "--transport", transport);
        run.WaitUntilReady();
        string path = Path.Combine(run.Home, "own.sock");
        Assert.Equal((UnixFileMode)Convert.ToInt32(mode, 8), File.GetUnixFileMode(path));
        run.WaitFor("* Ready to accept connections unix\n");
        Assert.Equal("PONG\n", ToolRun.Run("redis-cli", "", "-s", path, "PING"));
        Assert.Equal($"unixsocketperm\n{mode}\n",
            ToolRun.Run("redis-cli", "", "-s", path, "CONFIG", "GET", "unixsocketperm"));
        Assert.Contains("addr=own.sock:0 ", ToolRun.Run("redis-cli", "", "-s", path, "CLIENT", "LIST"),
            StringComparison.Ordinal);
        run.Signal("TERM");
        Assert.Equal(0, run.WaitForEnd());
        Assert.False(File.Exists(path), "the socket is still there");
    }

    [Fact]
    public void TheSocketHasItsGroup()
    {
        // Who may give files away has a group to give them to; others have their own one.
        string group = Environment.IsPrivilegedProcess ? "daemon" : ToolRun.Run("id", "", "-gn").Trim();
        using ServerRun run = new(null, "--unixsocket", "own.sock", "--unixsocketgroup", group);
        run.WaitFor("* Ready to accept connections unix\n");
        Assert.Equal($"{group}\n", ToolRun.Run("stat", "", "-c", "%G", Path.Combine(run.Home, "own.sock")));
    }

    [Fact]
    public void AGroupThatIsNotThereIsAnError()
    {
        using ServerRun run = new(null, "--unixsocket", "own.sock", "--unixsocketgroup", "no-such-group");
        Assert.Equal(1, run.WaitForEnd());
        Assert.Contains("Failed opening Unix socket: bind: there is no group 'no-such-group'", run.Output,
            StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(run.Home, "own.sock")), "the socket is still there");
    }

    [Fact]
    public void WithoutAPortTheSocketAloneServes()
    {
        using ServerRun run = new(null, "--port", "0", "--unixsocket", "own.sock");
        run.WaitFor("* Ready to accept connections unix\n");
        Assert.DoesNotContain("Ready to accept connections tcp", run.Output, StringComparison.Ordinal);
        using Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.ReceiveTimeout = 300_000;
        socket.Connect(new UnixDomainSocketEndPoint(Path.Combine(run.Home, "own.sock")));
        socket.Send("PING\r\n"u8);
        byte[] reply = new byte[7];
        for (int count = 0; count < reply.Length;)
            count += socket.Receive(reply, count, reply.Length - count, SocketFlags.None);
        Assert.Equal("+PONG\r\n", Encoding.ASCII.GetString(reply));
    }
}
