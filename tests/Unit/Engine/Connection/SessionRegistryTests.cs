using System.Linq;
using System.Threading;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

public sealed class SessionRegistryTests
{
    /// <summary>Whoever lists the sessions while one closes leaves nothing behind that holds it.</summary>
    [Fact]
    public void NoClosedSessionStaysListed()
    {
        const int OthersCount = 1_000;
        const int RoundCount = 1_000;
        using var server = new TestServer();
        SessionRegistry sessions = server.Engine.Sessions;
        Session[] others = [.. Enumerable.Range(0, OthersCount).Select(_ => Open(server))];
        using var mayList = new SemaphoreSlim(0);
        using var hasListed = new SemaphoreSlim(0);
        var lister = new Thread(() =>
        {
            for (int round = 0; round < RoundCount; round++)
            {
                mayList.Wait();
                Assert.InRange(sessions.Unordered.Length, OthersCount, OthersCount + 1);
                hasListed.Release();
            }
        });
        lister.Start();
        int listedCount = 0;
        for (int round = 0; round < RoundCount; round++)
        {
            Session session = Open(server);
            mayList.Release();
            Thread.SpinWait(round);
            sessions.Remove(session);
            hasListed.Wait();
            listedCount += sessions.IsListed(session) ? 1 : 0;
        }

        lister.Join();
        Assert.Equal(0, listedCount);
        foreach (Session session in others)
            sessions.Remove(session);
    }

    private static Session Open(TestServer server) => server.Engine.Sessions.Open(
        server.Engine.Loops[0],
        new SessionEndpoint("127.0.0.1:1", "127.0.0.1:2", -1, ConnectionKind.Tcp, true), out _)!;
}
