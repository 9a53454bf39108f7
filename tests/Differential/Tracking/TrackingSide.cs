using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using Cinnabar.Tests.Differential.Resp;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Tracking;

/// <summary>The clients of one conversation that are connected to one server.</summary>
internal sealed partial class TrackingSide : IDisposable
{
    private const string Names = "rslw";

    private readonly RespClient _control;
    private readonly Dictionary<char, RespClient> _clients = [];
    private readonly Dictionary<string, char> _ids = [];

    // Those that wait or have a transaction: a PING would do the same.
    private readonly HashSet<char> _silent = [];

    /// <summary>Connects the clients, and empties the server.</summary>
    public TrackingSide(Func<RespClient> connect)
    {
        _control = connect();
        foreach (char name in Names)
        {
            RespClient client = _clients[name] = connect();
            _ids[client.Run("CLIENT ID")] = name;
        }

        _control.Run("FLUSHALL");
    }

    /// <summary>Does one line (<see cref="TrackingConversation.Step"/>).</summary>
    /// <returns>What each client has got.</returns>
    public string Step(string line)
    {
        char name = line[0];
        string rest = line[(line.IndexOf(' ', StringComparison.Ordinal) + 1)..];
        string got = "";
        if (line.StartsWith("expire ", StringComparison.Ordinal))
            Expire(rest);
        else if (line[1] == '!')
            Leave(name);
        else if (line[1] == '.')
            _silent.Remove(name);
        else
            got = Send(name, rest, waits: line[1] == '?');
        // What it gets itself stands behind its reply, or before.
        foreach (char other in _clients.Keys.Except(_silent).OrderBy(other => other != name))
            got += (other == name ? "" : $" {other}:") + Rest(_clients[other]);
        return Shown(line, got);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (RespClient client in _clients.Values)
            client.Dispose();
        _control.Dispose();
    }

    private string Send(char name, string command, bool waits)
    {
        RespClient client = _clients[name];
        client.Send(WordsOf(command));
        if (waits)
        {
            _silent.Add(name);
            while (!_control.Run("INFO clients").Contains("blocked_clients:1\r", StringComparison.Ordinal))
                Thread.Yield();
            return "";
        }

        if (command == "MULTI")
            _silent.Add(name);
        else if (command is "EXEC" or "DISCARD")
            _silent.Remove(name);
        string all = "";
        string reply;
        do
            all += reply = client.ReadRaw();
        while (reply.StartsWith(">2", StringComparison.Ordinal));
        // What a server says of itself is compared elsewhere.
        return command.StartsWith("HELLO", StringComparison.Ordinal) ? ""
            : command.StartsWith("INFO", StringComparison.Ordinal) ? Fields(all)
            : all;
    }

    // What comes before the reply to a PING.
    private static string Rest(RespClient client)
    {
        client.Send("PING", "end");
        string all = "";
        while (!all.EndsWith("$3\r\nend\r\n", StringComparison.Ordinal))
            all += client.ReadRaw();
        return all;
    }

    private void Expire(string key)
    {
        while (_control.Run($"EXISTS {key}") != ":0")
            Thread.Yield();
    }

    private void Leave(char name)
    {
        _clients.Remove(name, out RespClient? client);
        client!.Run("QUIT");
        client.Dispose();
    }

    private string[] WordsOf(string line)
    {
        foreach ((string id, char name) in _ids)
            line = line.Replace($"{{{name}}}", id[1..], StringComparison.Ordinal);
        return RawReplyScripts.WordsOf(line);
    }

    private string Shown(string line, string bytes)
    {
        bool hasIds = $"{line} {bytes}".Contains("redir", StringComparison.OrdinalIgnoreCase);
        foreach ((string id, char name) in hasIds ? _ids : [])
            bytes = bytes.Replace($"{id}\r\n", $":{{{name}}}\r\n", StringComparison.Ordinal);
        return bytes.Replace("\r\n", "|", StringComparison.Ordinal);
    }

    private static string Fields(string info) =>
        string.Concat(TrackingField().Matches(info).Select(static match => match.Value));

    [GeneratedRegex(@"tracking_\w+:\d+\r\n")]
    private static partial Regex TrackingField();
}
