using System;
using System.Collections.Generic;
using System.IO;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>A server of one loop with one client, without sockets, under a clock that tests drive.</summary>
internal sealed unsafe class ObservedServer : LoopTransport, ILog, IDisposable
{
    private readonly Session _session;
    private readonly MemoryStream _output = new();

    public ObservedServer(params (string Directive, string Value)[] configuration)
    {
        var registry = new ConfigurationRegistry();
        foreach ((string directive, string value) in configuration)
            registry.Override(directive, value);
        Engine = new ServerEngine(new ServerOptions
        {
            Configuration = registry,
            Log = this,
            Clock = Clock,
            LoopCount = 1,
            IsMemoryChecked = true,
            SlowLaneScheduler = static item => item.Execute(),
        });
        Loop.Attach(this);
        var endpoint = new SessionEndpoint("127.0.0.1:1", "127.0.0.1:2", -1, ConnectionKind.InProcess, true);
        _session = Loop.OpenSession(endpoint, out _) ?? throw new IOException("the session is refused");
    }

    public SteppingClock Clock { get; } = new();

    public ServerEngine Engine { get; }

    public Loop Loop => Engine.Loops[0];

    public List<string> LogLines { get; } = [];

    /// <summary>Runs a command and gives its reply on one line.</summary>
    public string Call(params ReadOnlySpan<string> arguments) => CallAll(RespClient.Encode(arguments), 1)[0];

    /// <summary>Runs commands that come in one piece and gives their replies.</summary>
    public string[] CallAll(ReadOnlySpan<byte> requests, int count)
    {
        _output.SetLength(0);
        while (!requests.IsEmpty)
        {
            Loop.Receive(_session, out byte* place, out int room);
            int length = Math.Min(room, requests.Length);
            // SAFETY: the loop says that there is room for this many bytes.
            requests[..length].CopyTo(new Span<byte>(place, length));
            Loop.Received(_session, length);
            Loop.Turn();
            requests = requests[length..];
        }

        Loop.Turn();
        _output.Position = 0;
        var reader = new RespReader(_output);
        var replies = new string[count];
        for (int index = 0; index < count; index++)
            replies[index] = reader.Read().ToString();
        return replies;
    }

    public bool IsEnabled(LogLevel level) => true;

    public void Write(LogLevel level, string message) => LogLines.Add(message);

    public override long Send(Session session, OutputSegment* segments, int count)
    {
        long total = 0;
        for (int index = 0; index < count; index++)
        {
            // SAFETY: a segment's bytes live until they are reported as sent.
            _output.Write(new ReadOnlySpan<byte>(segments[index].Data, checked((int)segments[index].Length)));
            total += segments[index].Length;
        }

        return total;
    }

    public override void SetReading(Session session, bool isReading)
    {
    }

    public override void Close(Session session)
    {
    }

    public override void WakeUp()
    {
    }

    public void Dispose()
    {
        Clock.StepUs = 0;
        Loop.Disconnected(_session);
        Loop.Turn();
        Engine.Dispose();
    }
}
