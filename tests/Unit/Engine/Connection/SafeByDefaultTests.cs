using System;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>What a server allows nobody, or only clients of its machine, until its configuration says
/// so.</summary>
public sealed class SafeByDefaultTests
{
    private const int Megabyte = 1 << 20;

    private static readonly SessionEndpoint s_stranger =
        new("192.0.2.7:1", "192.0.2.1:6379", 9, ConnectionKind.Tcp, IsLoopback: false);

    private static readonly SessionEndpoint s_unixClient =
        new("/tmp/socket:0", "/tmp/socket:0", 8, ConnectionKind.Unix, IsLoopback: true);

    /// <summary>Without a password only clients of the machine are served.</summary>
    [Fact]
    public void ProtectedModeEndsWithAPassword()
    {
        using var server = new TestServer();
        TestClient admin = server.Connect();
        AssertRefused(server, isRefused: true);
        Assert.Equal("+PONG", server.Connect(0, s_unixClient).Run("PING"));
        Assert.Equal("+OK", admin.Run("CONFIG SET requirepass secret"));
        AssertRefused(server, isRefused: false);
        Assert.Equal("+OK", admin.Run("ACL SETUSER default nopass"));
        AssertRefused(server, isRefused: true);
        Assert.Equal("+OK", admin.Run("CONFIG SET protected-mode no"));
        AssertRefused(server, isRefused: false);
    }

    [Theory]
    [InlineData(null, false, false)]
    [InlineData("no", false, false)]
    [InlineData("local", true, false)]
    [InlineData("yes", true, true)]
    public void DangerousCommandsAreForThoseOfTheDirective(string? access, bool isForLocal, bool isForAll)
    {
        using TestServer server = access is null ? new TestServer() : new TestServer(configuration:
            [("enable-debug-command", access), ("enable-protected-configs", access)]);
        server.Connect().Run("CONFIG SET protected-mode no");
        foreach ((SessionEndpoint? endpoint, bool isAllowed) in ((SessionEndpoint?, bool)[])
            [(null, isForLocal), (s_unixClient, isForLocal), (s_stranger, isForAll)])
        {
            TestClient client = endpoint is null ? server.Connect() : server.Connect(0, endpoint);
            string debug = client.Run("DEBUG SLEEP 0");
            Assert.Equal(!isAllowed, debug.StartsWith("-ERR DEBUG command not allowed. If the "
                + "enable-debug-command option is set to \"local\"", StringComparison.Ordinal));
            Assert.Equal(isAllowed, debug == "+OK");
            Assert.Equal(isAllowed ? "+OK" : "-ERR CONFIG SET failed (possibly related to argument "
                + "'dbfilename') - can't set protected config",
                client.Run("CONFIG SET dbfilename other.rdb"));
            // What opens them cannot be set.
            Assert.Contains("can't set immutable config", client.Run("CONFIG SET enable-debug-command yes"),
                StringComparison.Ordinal);
            Assert.Contains("can't set immutable config",
                client.Run("CONFIG SET enable-protected-configs yes"), StringComparison.Ordinal);
            Assert.StartsWith("-ERR ", client.Run("MODULE LOAD /tmp/module.so"), StringComparison.Ordinal);
        }
    }

    /// <summary>What a client sends before it has logged in is bounded, its input that waits
    /// too.</summary>
    [Fact]
    public void AnUnauthenticatedClientMaySendLittle()
    {
        using var server = new TestServer(configuration: ("requirepass", "secret"));
        foreach ((string input, string error) in ((string, string)[])
            [("*11\r\n", "-ERR Protocol error: unauthenticated multibulk length\r\n"),
             ("*1\r\n$16385\r\n", "-ERR Protocol error: unauthenticated bulk length\r\n"),
             (new string('x', 65_537), "-ERR Protocol error: too big inline request\r\n")])
        {
            TestClient client = server.Connect();
            client.SendRaw(input);
            server.Run();
            Assert.True(client.IsClosed);
            Assert.Equal(error, client.TakeRaw());
            TestClient known = server.Connect();
            known.Run("AUTH secret");
            known.SendRaw(input);
            server.Run();
            Assert.Equal(input[0] == 'x', known.IsClosed);
        }
    }

    /// <summary>More than a megabyte of input that waits ends the client, also one that has begun to wait
    /// when there was no password.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void AnUnauthenticatedClientHasAShortQueryBuffer(bool isAuthenticated)
    {
        using var server = new TestServer();
        TestClient admin = server.Connect();
        admin.Run("CONFIG SET requirepass secret");
        TestClient client = server.Connect();
        if (isAuthenticated)
            client.Run("AUTH secret");
        admin.Call("CONFIG", "SET", "requirepass", "");
        Assert.Equal("", client.Run("BLPOP list 0"));
        admin.Run("CONFIG SET requirepass secret");
        foreach (bool isMore in (bool[])[false, true])
        {
            for (int sent = 0; sent < Megabyte * 2 / 3; sent += "PING\r\n".Length)
                client.SendRaw("PING\r\n");
            server.Run();
            Assert.Equal(isMore && !isAuthenticated, client.IsClosed);
        }
    }

    private static void AssertRefused(TestServer server, bool isRefused)
    {
        Assert.False(server.Connect().IsClosed);
        TestClient client = server.Connect(0, s_stranger);
        Assert.Equal(isRefused, client.IsClosed);
        Assert.Equal(isRefused, client.TakeRaw().StartsWith("-DENIED Redis is running in protected mode",
            StringComparison.Ordinal));
    }
}
