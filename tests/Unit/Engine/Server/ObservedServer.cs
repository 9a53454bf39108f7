using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Engine;
using Cinnabar.Engine.Loops;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>
/// A <see cref="TestServer"/> with one client whose time passes while it looks at its clock. So its loop runs
/// only when there is work, and is never asked how long it can wait.
/// </summary>
internal sealed class ObservedServer : IDisposable
{
    private readonly TestServer _server;
    private readonly TestClient _client;

    public ObservedServer(params (string Directive, string Value)[] configuration)
    {
        _server = new TestServer(1, Clock, configuration);
        _client = _server.Connect();
    }

    public SteppingClock Clock { get; } = new();

    public ServerEngine Engine => _server.Engine;

    public Loop Loop => Engine.Loops[0];

    public IReadOnlyCollection<string> LogLines => _server.Log.Lines;

    /// <summary>Runs a command and gives its reply on one line.</summary>
    public string Call(params ReadOnlySpan<string> arguments)
    {
        _client.Send(arguments);
        return Replies().Single();
    }

    /// <summary>Runs commands that come in one piece and gives their replies.</summary>
    public string[] CallAll(params ReadOnlySpan<string[]> commands)
    {
        foreach (string[] command in commands)
            _client.Send(command);
        return [.. Replies()];
    }

    public void Dispose()
    {
        Clock.StepUs = 0;
        _server.Dispose();
    }

    private IEnumerable<string> Replies()
    {
        while (_server.Turn())
        {
        }

        return _client.Take().Select(static reply => reply.ToString());
    }
}
