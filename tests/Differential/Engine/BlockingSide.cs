using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Engine;

/// <summary>Clients of one server, of which each has at most one command that waits.</summary>
internal sealed partial class BlockingSide : IDisposable
{
    private const int WaitMsMax = 300_000;

    private readonly RespClient _admin;
    private readonly RespClient[] _clients;
    private readonly string[] _ids;
    private readonly List<string>[] _replies;
    private readonly bool[] _isWaiting;

    /// <summary>Connects a number of clients.</summary>
    public BlockingSide(Func<RespClient> connect, int clientCount)
    {
        _admin = connect();
        _clients = [.. Enumerable.Range(0, clientCount).Select(_ => connect())];
        _ids = [.. _clients.Select(static client => client.Call("CLIENT", "ID").Text)];
        _replies = [.. _clients.Select(static _ => new List<string>())];
        _isWaiting = new bool[clientCount];
    }

    private int WaitingCount => _isWaiting.Count(static isWaiting => isWaiting);

    /// <summary>Whether a client's reply has not come.</summary>
    public bool IsWaiting(int client) => _isWaiting[client];

    /// <summary>Sends commands of a client. Those that are not alone get their replies at once.</summary>
    public void Send(int client, ReadOnlySpan<string[]> commands)
    {
        foreach (string[] command in commands)
            _clients[client].Send(command);
        _isWaiting[client] = commands.Length == 1;
        for (int count = _isWaiting[client] ? 0 : commands.Length; count > 0; count--)
            _replies[client].Add($"{_clients[client].Read()}");
    }

    /// <summary>Ends a client's wait.</summary>
    public string Unblock(int client, string reason) =>
        $"{_admin.Call("CLIENT", "UNBLOCK", _ids[client], reason)}";

    /// <summary>Waits until the server has done everything.</summary>
    /// <param name="other">Another server, at rest, whose clients wait for the same in the end; null: this
    /// one has one thread.</param>
    /// <returns>False: that does not become so.</returns>
    public bool Settle(BlockingSide? other = null)
    {
        var time = Stopwatch.StartNew();
        // A client may be served between the server's answer and the look at what has come: at the second
        // answer it is not any more.
        for (int seen = 0; seen < 2;)
        {
            int blockedCount = BlockedCount();
            TakeInput();
            bool isReached = blockedCount == WaitingCount
                && (other is null || _isWaiting.SequenceEqual(other._isWaiting));
            seen = isReached ? seen + 1 : 0;
            // Nothing that has been served waits again.
            bool isOver = other is not null
                && _isWaiting.Zip(other._isWaiting).Any(static pair => !pair.First && pair.Second);
            if (isOver || time.ElapsedMilliseconds > WaitMsMax)
                return false;
            if (!isReached)
                Thread.Yield();
        }

        return true;
    }

    /// <summary>The replies of a client since the last look.</summary>
    public List<string> TakeReplies(int client)
    {
        List<string> replies = _replies[client];
        _replies[client] = [];
        return replies;
    }

    /// <summary>Which clients wait, and what the others have got.</summary>
    public override string ToString() => string.Join("; ", _replies.Select((replies, client) =>
        $"{client} {(_isWaiting[client] ? "waits" : "")} {string.Join(", ", replies)}"));

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (RespClient client in _clients)
            client.Dispose();
        _admin.Dispose();
    }

    private void TakeInput()
    {
        for (int client = 0; client < _clients.Length; client++)
        {
            if (!_isWaiting[client] || !_clients[client].HasInput)
                continue;
            _replies[client].Add($"{_clients[client].Read()}");
            _isWaiting[client] = false;
        }
    }

    private int BlockedCount() => int.Parse(
        Blocked().Match(_admin.Call("INFO", "clients").Text).Groups[1].Value, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"blocked_clients:(\d+)")]
    private static partial Regex Blocked();
}
