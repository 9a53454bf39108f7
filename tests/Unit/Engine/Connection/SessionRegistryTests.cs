using System.Diagnostics;
using System.Linq;
using System.Threading;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Connection;

public sealed class SessionRegistryTests
{
    /// <summary>Listing the sessions while one closes leaves no reference to it.</summary>
    [Fact]
    public void NoClosedSessionStaysListed()
    {
        const int OthersCount = 1_000;
        const int RoundCount = 2_000;
        const int DelayUsMax = 60;
        using var server = new TestServer();
        SessionRegistry sessions = server.Engine.Sessions;
        Session[] others = [.. Enumerable.Range(0, OthersCount).Select(_ => Open(server))];
        int asked = 0;
        int answered = 0;
        var lister = new Thread(() =>
        {
            for (int round = 1; round <= RoundCount; round++)
            {
                Await(ref asked, round);
                Assert.InRange(sessions.Unordered.Length, OthersCount, OthersCount + 1);
                Volatile.Write(ref answered, round);
            }
        });
        lister.Start();
        int listedCount = 0;
        for (int round = 1; round <= RoundCount; round++)
        {
            Session session = Open(server);
            Volatile.Write(ref asked, round);
            // At any instant of its look at them.
            for (long start = Stopwatch.GetTimestamp();
                Stopwatch.GetElapsedTime(start).TotalMicroseconds < round % DelayUsMax;)
                Thread.SpinWait(1);
            sessions.Remove(session);
            Await(ref answered, round);
            listedCount += sessions.IsListed(session) ? 1 : 0;
        }

        lister.Join();
        Assert.Equal(0, listedCount);
        foreach (Session session in others)
            sessions.Remove(session);
    }

    // Without sleep: the other thread must be in the middle of its work a microsecond later.
    private static void Await(ref int value, int expected)
    {
        var wait = new SpinWait();
        while (Volatile.Read(ref value) != expected)
            wait.SpinOnce(sleep1Threshold: -1);
    }

    private static Session Open(TestServer server) => server.Engine.Sessions.Open(
        server.Engine.Loops[0],
        new SessionEndpoint("127.0.0.1:1", "127.0.0.1:2", -1, ConnectionKind.Tcp, true), out _)!;
}
