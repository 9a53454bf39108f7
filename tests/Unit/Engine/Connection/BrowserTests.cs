using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

/// <summary>Commands that a browser sends in the body of a request are not executed.</summary>
public sealed class BrowserTests
{
    [Theory]
    [InlineData("POST / HTTP/1.1\r\n")]
    [InlineData("post\r\n")]
    [InlineData("Host: a.example:80\r\n")]
    [InlineData("*2\r\n$5\r\nhOSt:\r\n$1\r\na\r\n")]
    public void NothingAfterItsFirstLinesIsExecuted(string line)
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.SendRaw("PING\r\n" + line + "SET stolen 1\r\n");
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("+PONG\r\n", client.TakeRaw());
        Assert.Equal("_", server.Connect().Run("GET stolen"));
    }

    [Fact]
    public void ItIsClosedWhereItBeginsWithThem()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.SendRaw("POST / HTTP/1.1\r\nHost: a.example\r\n\r\n");
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("", client.TakeRaw());
    }

    [Fact]
    public void ItIsClosedBeforeItsPasswordMatters()
    {
        using var server = new TestServer(configuration: [("requirepass", "secret")]);
        TestClient client = server.Connect();
        client.SendRaw("POST / HTTP/1.1\r\n");
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal("", client.TakeRaw());
    }

    [Fact]
    public void CommandsOfLikeNamesAreUnknownAsAnyOther()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Assert.StartsWith("ERR unknown command 'HOST'", client.Call("HOST").Text);
        Assert.StartsWith("ERR unknown command 'POSTS'", client.Call("POSTS").Text);
        Assert.False(client.IsClosed);
    }
}
