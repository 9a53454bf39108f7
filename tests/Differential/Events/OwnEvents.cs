using System.Collections.Generic;
using Cinnabar.Tests.Support.Engine;

namespace Cinnabar.Tests.Differential.Events;

/// <summary>A server of ours whose events are read command by command.</summary>
internal sealed class OwnEvents
{
    private readonly TestClient _client;
    private readonly TestClient _subscriber;
    private readonly TestServer _server;

    /// <summary>Turns a server's events on.</summary>
    public OwnEvents(TestServer server, string classes = "KEAmn")
    {
        (_server, _client, _subscriber) = (server, server.Connect(), server.Connect());
        _client.Call("CONFIG", "SET", "notify-keyspace-events", classes);
        _subscriber.Call("PSUBSCRIBE", "__key*__:*");
    }

    /// <summary>Runs a command.</summary>
    /// <returns>Its reply and its events.</returns>
    public (string Reply, List<string> Events) Call(params string[] words)
    {
        string reply = words[0] == ">" ? Block(words[1..]) : $"{_client.Call(words)}";
        _server.Run();
        return (reply, _subscriber.Take().ConvertAll(RedisEvents.TextOf));
    }

    private string Block(string[] words)
    {
        _server.Connect().Send(words);
        return "";
    }
}
