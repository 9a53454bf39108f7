using System;
using System.Collections.Generic;
using System.Threading;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential.Events;

/// <summary>A server whose events are read command by command.</summary>
internal sealed class ServerEvents : IDisposable
{
    private const string End = "__key__:end";

    private readonly OracleServer _server;
    private readonly RespClient _client;
    private readonly RespClient _publisher;
    private readonly RespClient _subscriber;
    private RespClient? _waiter;

    /// <summary>Empties a server and turns its events on.</summary>
    public ServerEvents(OracleServer server, string classes = "KEAmn")
    {
        _server = server;
        (_client, _publisher, _subscriber) = (server.Connect(), server.Connect(), server.Connect());
        _client.Call("FLUSHALL");
        _client.Call("CONFIG", "SET", "notify-keyspace-events", classes);
        _subscriber.Call("PSUBSCRIBE", "__key*__:*");
    }

    /// <summary>Runs a command whose events do not matter.</summary>
    public RespValue Ask(params string[] words) => _client.Call(words);

    /// <summary>Runs a command.</summary>
    /// <returns>Its reply and its events.</returns>
    public (string Reply, List<string> Events) Call(params string[] words)
    {
        string reply = words[0] == ">" ? Block(words[1..]) : $"{_client.Call(words)}";
        _publisher.Call("PUBLISH", End, "");
        List<string> events = [];
        while (true)
        {
            RespValue message = _subscriber.Read();
            if (message.Items[2].Text == End)
                return (reply, events);
            events.Add($"{message.Items[2].Text} {message.Items[3].Text}");
        }
    }

    private string Block(string[] words)
    {
        _waiter?.Dispose();
        _waiter = _server.Connect();
        _waiter.Send(words);
        while (!_client.Call("INFO", "clients").Text.Contains("blocked_clients:1", StringComparison.Ordinal))
            Thread.Yield();
        return "";
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _waiter?.Dispose();
        _client.Dispose();
        _publisher.Dispose();
        _subscriber.Dispose();
    }
}
