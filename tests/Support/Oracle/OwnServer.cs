using System;
using System.Collections.Generic;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>Cinnabar as a process (<see cref="ServerProgram"/>), until disposed, with clients on
/// sockets.</summary>
public sealed class OwnServer : IDisposable
{
    private readonly OracleServer _server;
    private readonly List<RespClient> _clients = [];

    /// <summary>Starts it.</summary>
    /// <param name="loopCount">Number of loops.</param>
    /// <param name="configuration">Directives that are not at their defaults.</param>
    public OwnServer(int loopCount = 1, params ReadOnlySpan<(string Directive, string Value)> configuration)
        : this(OracleServer.StartOwn(OptionsOf(loopCount, configuration)))
    {
    }

    private OwnServer(OracleServer server) => _server = server;

    /// <summary>Its port on 127.0.0.1.</summary>
    public int Port => _server.Port;

    /// <summary>Starts it with one loop, which each command that can leaves.</summary>
    /// <param name="configuration">Directives that are not at their defaults.</param>
    public static OwnServer OffLoop(params ReadOnlySpan<(string Directive, string Value)> configuration) =>
        new(OracleServer.StartOwnOffLoop(OptionsOf(1, configuration)));

    /// <summary>A new connection.</summary>
    /// <param name="protocol">2 or 3.</param>
    public RespClient Connect(int protocol = 2)
    {
        RespClient client = _server.Connect();
        _clients.Add(client);
        if (protocol == 3)
            client.Call("HELLO", "3");
        return client;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (RespClient client in _clients)
            client.Dispose();
        _server.Dispose();
    }

    private static string[] OptionsOf(
        int loopCount, ReadOnlySpan<(string Directive, string Value)> configuration)
    {
        List<string> options = ["--io-threads", $"{loopCount}"];
        foreach ((string directive, string value) in configuration)
            options.AddRange(["--" + directive, value]);
        return [.. options];
    }
}
