using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Engine;

/// <summary>The same clients of redis-server and of the program, which may wait.</summary>
internal sealed class BlockingPairs : IDisposable
{
    private const int RecentCountMax = 40;

    private readonly int _clientCount;
    private readonly BlockingSide _ours;
    private readonly BlockingSide _theirs;
    private readonly Queue<string> _recent = new();

    /// <summary>Connects a number of clients to both.</summary>
    public BlockingPairs(OwnServer server, OracleServer oracle, int clientCount)
    {
        _clientCount = clientCount;
        _ours = new BlockingSide(() => server.Connect(), clientCount);
        _theirs = new BlockingSide(oracle.Connect, clientCount);
    }

    /// <summary>Replies that another client's command brought.</summary>
    public int ServedCount { get; private set; }

    /// <summary>Whether a client waits.</summary>
    public bool IsBlocked(int client) => _theirs.IsWaiting(client);

    /// <summary>Has a client send commands; one that is alone may wait.</summary>
    public void Run(int client, params ReadOnlySpan<string[]> commands)
    {
        foreach (string[] command in commands)
            Note($"{client}: {string.Join(' ', command)}");
        _theirs.Send(client, commands);
        _ours.Send(client, commands);
        Compare(client);
    }

    /// <summary>Ends a client's wait.</summary>
    public void Unblock(int client, string reason)
    {
        Note($"CLIENT UNBLOCK {client} {reason}");
        Assert.Equal(_theirs.Unblock(client, reason), _ours.Unblock(client, reason));
        Compare(client);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _ours.Dispose();
        _theirs.Dispose();
    }

    private void Compare(int actor)
    {
        if (!_theirs.Settle())
            Fail("redis finds no rest");
        // The clients of the program are served on their own loops, each in its time.
        if (!_ours.Settle(_theirs))
            Fail($"ours: {_ours}\nredis: {_theirs}");
        for (int client = 0; client < _clientCount; client++)
        {
            List<string> ours = _ours.TakeReplies(client);
            List<string> theirs = _theirs.TakeReplies(client);
            ServedCount += client == actor ? 0 : ours.Count;
            if (ours.Count != theirs.Count || !ours.Zip(theirs).All(IsSame))
            {
                Fail($"{client} gets: {string.Join(", ", ours)}\n"
                    + $"of redis: {string.Join(", ", theirs)}");
            }
        }
    }

    // Since Redis 7.2 a client that waits in a group whose stream is deleted gets the error that the command
    // would get now.
    private static bool IsSame((string Ours, string Theirs) reply) => reply.Ours == reply.Theirs
        || (reply.Ours.StartsWith("-NOGROUP No such key", StringComparison.Ordinal)
            && reply.Theirs == "-UNBLOCKED the stream key no longer exists");

    private void Note(string line)
    {
        _recent.Enqueue(line);
        if (_recent.Count > RecentCountMax)
            _recent.Dequeue();
    }

    private void Fail(string message) => Assert.Fail($"{message}\n{string.Join('\n', _recent)}");
}
