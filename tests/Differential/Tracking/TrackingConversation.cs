using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using Cinnabar.Platform;
using Cinnabar.Tests.Differential.Resp;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Tracking;

/// <summary>The clients of one conversation, each connected to both servers, and what each side
/// gets.</summary>
internal sealed partial class TrackingConversation : IDisposable
{
    private const string Names = "rslw";

    private readonly ManualClock _clock = new();
    private readonly TestServer _server;
    private readonly RespClient _control;
    private readonly Dictionary<char, (RespClient Theirs, TestClient Ours)> _clients = [];
    private readonly Dictionary<string, char> _theirIds = [];
    private readonly Dictionary<string, char> _ourIds = [];

    // Those that wait or have a transaction: a PING would do the same.
    private readonly HashSet<char> _silent = [];

    /// <summary>Connects a reader r, another one s, a listener l and a writer w.</summary>
    /// <param name="oracle">The other server; it is emptied.</param>
    public TrackingConversation(OracleServer oracle)
    {
        _control = oracle.Connect();
        _server = new TestServer(loopCount: 2, _clock);
        foreach (char name in Names)
        {
            RespClient theirs = oracle.Connect();
            TestClient ours = _server.Connect();
            _clients[name] = (theirs, ours);
            _theirIds[theirs.Run("CLIENT ID")] = name;
            _ourIds[ours.Run("CLIENT ID")] = name;
        }

        _control.Run("FLUSHALL");
    }

    /// <summary>Has both servers do one line: a client's name and its command, <c>r? command</c> for one that
    /// waits, <c>r.</c> where that has ended, <c>r!</c> where the client leaves, <c>expire key</c>.</summary>
    /// <returns>What each client has got from each server; null where they agree.</returns>
    public string? Step(string line)
    {
        char name = line[0];
        string rest = line[(line.IndexOf(' ', StringComparison.Ordinal) + 1)..];
        (string theirs, string ours) = ("", "");
        if (line.StartsWith("expire ", StringComparison.Ordinal))
            Expire(rest);
        else if (line[1] == '!')
            Leave(name);
        else if (line[1] == '.')
            _silent.Remove(name);
        else
            (theirs, ours) = Send(name, rest, waits: line[1] == '?');
        // What it gets itself stands behind its reply, or before.
        foreach (char other in _clients.Keys.Except(_silent).OrderBy(other => other != name))
        {
            (string theirRest, string ourRest) = Rest(_clients[other]);
            string head = other == name ? "" : $" {other}:";
            (theirs, ours) = ($"{theirs}{head}{theirRest}", $"{ours}{head}{ourRest}");
        }

        (theirs, ours) = (Shown(line, theirs, _theirIds), Shown(line, ours, _ourIds));
        return theirs == ours ? null : $"{line}\n  redis {theirs}\n  ours  {ours}";
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach ((RespClient theirs, _) in _clients.Values)
            theirs.Dispose();
        _control.Dispose();
        _server.Dispose();
    }

    private (string Theirs, string Ours) Send(char name, string command, bool waits)
    {
        (RespClient theirs, TestClient ours) = _clients[name];
        theirs.Send(WordsOf(command, _theirIds));
        ours.Send(WordsOf(command, _ourIds));
        _server.Run();
        if (waits)
        {
            _silent.Add(name);
            while (!_control.Run("INFO clients").Contains("blocked_clients:1\r", StringComparison.Ordinal))
                Thread.Yield();
            return ("", "");
        }

        if (command == "MULTI")
            _silent.Add(name);
        else if (command is "EXEC" or "DISCARD")
            _silent.Remove(name);
        string all = "";
        string reply;
        do
            all += reply = theirs.ReadRaw();
        while (reply.StartsWith(">2", StringComparison.Ordinal));
        string own = ours.TakeRaw();
        // What a server says of itself is compared elsewhere.
        return command.StartsWith("HELLO", StringComparison.Ordinal) ? ("", "")
            : command.StartsWith("INFO", StringComparison.Ordinal) ? (Fields(all), Fields(own))
            : (all, own);
    }

    // What comes before the reply to a PING.
    private (string Theirs, string Ours) Rest((RespClient Theirs, TestClient Ours) client)
    {
        client.Theirs.Send("PING", "end");
        string all = "";
        while (!all.EndsWith("$3\r\nend\r\n", StringComparison.Ordinal))
            all += client.Theirs.ReadRaw();
        client.Ours.Send("PING", "end");
        _server.Run();
        return (all, client.Ours.TakeRaw());
    }

    private void Expire(string key)
    {
        while (_control.Run($"EXISTS {key}") != ":0")
            Thread.Yield();
        _clock.Advance(100_000);
        _server.Run();
    }

    private void Leave(char name)
    {
        (RespClient theirs, TestClient ours) = _clients[name];
        _clients.Remove(name);
        theirs.Run("QUIT");
        theirs.Dispose();
        ours.Disconnect();
        _server.Run();
    }

    private static string[] WordsOf(string line, Dictionary<string, char> ids)
    {
        foreach ((string id, char name) in ids)
            line = line.Replace($"{{{name}}}", id[1..], StringComparison.Ordinal);
        return RawReplyScripts.WordsOf(line);
    }

    private static string Shown(string line, string bytes, Dictionary<string, char> ids)
    {
        bool hasIds = $"{line} {bytes}".Contains("redir", StringComparison.OrdinalIgnoreCase);
        foreach ((string id, char name) in hasIds ? ids : [])
            bytes = bytes.Replace($"{id}\r\n", $":{{{name}}}\r\n", StringComparison.Ordinal);
        return bytes.Replace("\r\n", "|", StringComparison.Ordinal);
    }

    private static string Fields(string info) =>
        string.Concat(TrackingField().Matches(info).Select(static match => match.Value));

    [GeneratedRegex(@"tracking_\w+:\d+\r\n")]
    private static partial Regex TrackingField();
}
