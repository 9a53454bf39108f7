using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Engine.Sessions;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Loops;

/// <summary>The sessions of a loop: added, removed, walked in slices.</summary>
public sealed class LoopSessionsTests
{
    private readonly LoopSessions _sessions = new();
    private long _idLast;

    [Fact]
    public void ARoundVisitsEachOnce()
    {
        Session[] all = [.. Enumerable.Range(0, 100).Select(_ => Open())];
        Assert.Equal(100, _sessions.Count);
        for (int round = 0; round < 3; round++)
            Assert.Equal(all.ToHashSet(), Round(100).ToHashSet());
    }

    [Fact]
    public void RemainingSessionsAreVisitedThoughOthersCloseDuringARound()
    {
        var random = new Random(7);
        List<Session> all = [.. Enumerable.Range(0, 200).Select(_ => Open())];
        HashSet<Session> staying = [.. all.Where(static session => session.Id % 3 != 0)];
        var visited = new HashSet<Session>();
        List<Session> leaving = [.. all.Where(static session => session.Id % 3 == 0)];
        for (int step = 0; step < 200; step++)
        {
            visited.Add(_sessions.Next());
            if (step % 3 == 0 && leaving.Count > 0)
            {
                Session session = leaving[random.Next(leaving.Count)];
                leaving.Remove(session);
                _sessions.Remove(session);
            }
        }

        Assert.Empty(staying.Except(visited));
        Assert.Equal(staying.Count + leaving.Count, _sessions.Count);
    }

    [Fact]
    public void TheLastOneGoesAndAnotherComes()
    {
        Session first = Open();
        Assert.Same(first, _sessions.Next());
        _sessions.Remove(first);
        Assert.Equal(0, _sessions.Count);
        Session second = Open();
        Assert.Same(second, _sessions.Next());
        Assert.Same(second, _sessions.Next());
    }

    private Session Open()
    {
        var endpoint = new SessionEndpoint("127.0.0.1:1", "127.0.0.1:2", -1, ConnectionKind.Tcp, true);
        var session = new Session(++_idLast, null!, endpoint, 0);
        _sessions.Add(session);
        return session;
    }

    private IEnumerable<Session> Round(int count) => Enumerable.Range(0, count).Select(_ => _sessions.Next());
}
