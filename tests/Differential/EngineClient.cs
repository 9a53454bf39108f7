using System;
using System.IO;
using System.Threading;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Differential;

/// <summary>An engine of one loop with one session, without sockets.</summary>
internal sealed unsafe class EngineClient : LoopTransport, IDisposable
{
    private readonly ServerEngine _engine;
    private readonly Session _session;
    private readonly MemoryStream _output = new();

    public EngineClient(int protocol)
    {
        var options = new ServerOptions
        {
            Configuration = new ConfigurationRegistry(),
            Log = new SilentLog(),
            LoopCount = 1,
            IsMemoryChecked = true,
        };
        _engine = new ServerEngine(options);
        Loop.Attach(this);
        var endpoint = new SessionEndpoint("127.0.0.1:1", "127.0.0.1:2", -1, ConnectionKind.InProcess, true);
        _session = Loop.OpenSession(endpoint, out _) ?? throw new IOException("the session is refused");
        _session.Protocol = protocol;
    }

    private Loop Loop => _engine.Loops[0];

    /// <summary>Runs a command and gives its reply.</summary>
    public RespValue Call(params ReadOnlySpan<string> arguments)
    {
        _output.SetLength(0);
        ReadOnlySpan<byte> request = RespClient.Encode(arguments);
        while (!request.IsEmpty)
        {
            Loop.Receive(_session, out byte* place, out int room);
            int count = Math.Min(room, request.Length);
            // SAFETY: the loop says that there is room for this many bytes.
            request[..count].CopyTo(new Span<byte>(place, count));
            Loop.Received(_session, count);
            Loop.Turn();
            request = request[count..];
        }

        // What goes to the slow lane comes back through the loop's mailbox.
        for (long start = Environment.TickCount64; _output.Length == 0
            && Environment.TickCount64 - start < 10_000;)
        {
            Thread.Yield();
            Loop.Turn();
        }

        _output.Position = 0;
        return new RespReader(_output).Read();
    }

    /// <inheritdoc/>
    public override long Send(Session session, OutputSegment* segments, int count)
    {
        long total = 0;
        for (int i = 0; i < count; i++)
        {
            // SAFETY: a segment's bytes live until they are reported as sent.
            _output.Write(new ReadOnlySpan<byte>(segments[i].Data, checked((int)segments[i].Length)));
            total += segments[i].Length;
        }

        return total;
    }

    /// <inheritdoc/>
    public override void SetReading(Session session, bool isReading)
    {
    }

    /// <inheritdoc/>
    public override void Close(Session session)
    {
    }

    /// <inheritdoc/>
    public override void WakeUp()
    {
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Loop.Disconnected(_session);
        Loop.Turn();
        _engine.Dispose();
    }
}
