using System.Linq;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Sessions;
using Cinnabar.Keyspace;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

/// <summary>Sessions that one loop gives to another.</summary>
public sealed class SessionMovesTests
{
    private const long LongAgoMs = long.MaxValue / 2;

    [Fact]
    public void AnIdleSessionMovesWithItsState()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect(protocol: 3);
        string[] lines = ["SELECT 3", "CLIENT SETNAME name", "SET k v", "CLIENT NO-TOUCH ON"];
        foreach (string line in lines)
            Assert.Equal("+OK", client.Run(line));
        Give(server, 1);
        Assert.True(client.Session!.IsMoving);
        client.Send("GET", "k");
        server.Run();
        server.Run();
        Assert.Equal("$v", client.Shown());
        Assert.Same(server.Engine.Loops[1], client.Session.Loop);
        Assert.Equal((0, 1), (server.Engine.Loops[0].Sessions.Count, server.Engine.Loops[1].Sessions.Count));
        string description = client.Call("CLIENT", "INFO").Text;
        foreach (string part in (string[])[" name=name ", " db=3 ", " resp=3 ", " io-thread=1 "])
            Assert.Contains(part, description, System.StringComparison.Ordinal);
        client.Disconnect();
        Assert.Equal(0, server.Engine.Sessions.Count);
    }

    [Theory]
    [InlineData("MULTI")]
    [InlineData("WATCH k")]
    [InlineData("SUBSCRIBE c")]
    [InlineData("PSUBSCRIBE *")]
    [InlineData("MONITOR")]
    [InlineData("BLPOP k 0")]
    [InlineData("WAIT 1 0")]
    [InlineData("CLIENT PAUSE 1000", "PING")]
    public void OneThatHasSomethingUnderWayStays(params string[] lines)
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        foreach (string line in lines)
            client.Run(line);
        AssertStays(server, client);
    }

    [Fact]
    public void OneStaysThatWaitsForAStripe()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            Assert.True(stripe.Lock.TryEnter());
        client.Send("SET", "k", "v");
        server.Run();
        AssertStays(server, client);
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            stripe.Lock.Exit();
        server.Run();
        Assert.Equal("+OK", client.Shown());
    }

    [Fact]
    public void OneStaysThatHasSentHalfACommand()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        client.SendRaw("PI");
        server.Run();
        AssertStays(server, client);
        client.SendRaw("NG\r\n");
        server.Run();
        Assert.Equal("+PONG\r\n", client.TakeRaw());
        Give(server, 1);
        Assert.True(client.Session!.IsMoving);
        server.Run();
        Assert.Equal("+PONG", client.Run("PING"));
    }

    [Fact]
    public void OneStaysWhosePeerHasNotTakenItsReplies()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        client.OutputRoom = 3;
        client.Send("PING");
        server.Run();
        AssertStays(server, client);
    }

    [Fact]
    public void AShareOfTheActiveOnesGoes()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient[] clients = [.. Enumerable.Range(0, 11).Select(_ => server.Connect())];
        Give(server, 0.5);
        server.Run();
        Assert.Equal(5, clients.Count(client => client.Loop.Index == 1));
        Assert.Equal(6, server.Engine.Loops[0].Sessions.Count);
    }

    /// <summary>What was posted to the old loop follows the session; what comes to the new one before it
    /// waits for it.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void ClientKillFindsIt(int loop)
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        var kill = new MailboxMessage { Kind = MailboxMessageKind.Kill, Target = client.Session };
        if (loop == 1)
            server.Engine.Loops[1].Post(in kill);
        Give(server, 1);
        if (loop == 0)
            server.Engine.Loops[0].Post(in kill);
        server.Run();
        Assert.True(client.IsClosed);
        Assert.Equal(0, server.Engine.Sessions.Count);
    }

    [Fact]
    public void OneThatIsClosedOnItsWayIsForgotten()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        TestClient other = server.Connect(1);
        Give(server, 1);
        Assert.Equal(":1", other.Run($"CLIENT KILL ID {client.Session!.Id}"));
        Assert.True(client.IsClosed);
        Assert.Equal(1, server.Engine.Sessions.Count);
    }

    private static void Give(TestServer server, double share) =>
        server.Engine.Loops[0].GiveSessions(server.Engine.Loops[1], share, LongAgoMs);

    private static void AssertStays(TestServer server, TestClient client)
    {
        Session session = client.Session!;
        Assert.False(session.IsMovable);
        Give(server, 1);
        Assert.Same(server.Engine.Loops[0], session.Loop);
        Assert.False(session.IsMoving);
    }
}
