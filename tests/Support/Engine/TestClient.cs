using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Support.Engine;

/// <summary>The far end of a session of a <see cref="TestServer"/>.</summary>
public sealed unsafe class TestClient
{
    private readonly TestServer _server;
    private readonly Loop _firstLoop;
    private readonly List<byte> _input = [];
    private readonly MemoryStream _output = new();
    private OutputSegment[]? _held;

    internal TestClient(TestServer server, Loop loop)
    {
        _server = server;
        _firstLoop = loop;
    }

    /// <summary>Its session's loop.</summary>
    public Loop Loop => (Loop?)Session?.Loop ?? _firstLoop;

    /// <summary>The session; null where it was refused.</summary>
    public Session? Session { get; internal set; }

    /// <summary>Whether the server has closed the connection.</summary>
    public bool IsClosed { get; internal set; }

    /// <summary>Whether the server reads from it.</summary>
    public bool IsReading { get; internal set; } = true;

    /// <summary>How many more bytes it takes before its buffers are full.</summary>
    public long OutputRoom { get; set; } = long.MaxValue;

    /// <summary>Whether sends fail.</summary>
    public bool IsBroken { get; set; }

    /// <summary>Whether sends end only when <see cref="Complete"/> says so, as those of a completion
    /// transport do.</summary>
    public bool HoldsSends { get; set; }

    /// <summary>Whether a send has not ended.</summary>
    public bool IsSending => _held is not null;

    /// <summary>Ends a send that is held. Its bytes are read only now.</summary>
    /// <param name="byteCountMax">How many bytes of it were sent at most.</param>
    public void Complete(long byteCountMax = long.MaxValue)
    {
        OutputSegment[] segments = _held ?? throw new InvalidOperationException("no send is held");
        _held = null;
        long sent = 0;
        foreach (OutputSegment segment in segments)
        {
            int count = (int)Math.Min(segment.Length, byteCountMax - sent);
            // SAFETY: a segment's bytes live until they are reported as sent.
            _output.Write(new ReadOnlySpan<byte>(segment.Data, count));
            sent += count;
        }

        Loop.SendCompleted(Session!, sent);
    }

    /// <summary>Runs a command, given as words, and gives its reply.</summary>
    public RespValue Call(params ReadOnlySpan<string> words)
    {
        Send(words);
        _server.Run();
        List<RespValue> replies = Take();
        return replies.Count == 1
            ? replies[0]
            : throw new IOException($"{words[0]}: {replies.Count} replies: {string.Join(' ', replies)}");
    }

    /// <summary>Runs a command line (words between spaces) and gives everything that comes back on one
    /// line.</summary>
    public string Run(string line)
    {
        Send(line.Split(' '));
        _server.Run();
        return Shown();
    }

    /// <summary>Sends a command; the server sees it with the next run.</summary>
    public void Send(params ReadOnlySpan<string> words) => _input.AddRange(RespClient.Encode(words));

    /// <summary>Sends bytes, Latin-1.</summary>
    public void SendRaw(string bytes) => _input.AddRange(Encoding.Latin1.GetBytes(bytes));

    /// <summary>Everything that has come since the last look, as replies.</summary>
    public List<RespValue> Take()
    {
        List<RespValue> replies = [];
        _output.Position = 0;
        var reader = new RespReader(_output);
        while (_output.Position < _output.Length)
            replies.Add(reader.Read());
        _output.SetLength(0);
        return replies;
    }

    /// <summary>As <see cref="Take"/>, on one line.</summary>
    public string Shown() => string.Join(' ', Take().Select(reply => reply.ToString()));

    /// <summary>Everything that has come since the last look, Latin-1.</summary>
    public string TakeRaw()
    {
        string bytes = Encoding.Latin1.GetString(_output.ToArray());
        _output.SetLength(0);
        return bytes;
    }

    /// <summary>Makes room again for the bytes that did not fit.</summary>
    public void Drain()
    {
        OutputRoom = long.MaxValue;
        if (!IsClosed)
            Loop.Writable(Session!);
    }

    /// <summary>Disconnects without QUIT.</summary>
    public void Disconnect()
    {
        if (!IsClosed)
            Loop.Disconnected(Session!);
    }

    /// <summary>Ends its side of the connection; it still reads.</summary>
    public void EndInput()
    {
        if (!IsClosed)
            Loop.InputEnded(Session!);
    }

    internal void Hold(ReadOnlySpan<OutputSegment> segments)
    {
        if (_held is not null)
            throw new InvalidOperationException("one send at a time");
        _held = segments.ToArray();
    }

    internal int TakeOutput(ReadOnlySpan<byte> bytes)
    {
        int count = (int)Math.Min(bytes.Length, OutputRoom);
        _output.Write(bytes[..count]);
        if (OutputRoom != long.MaxValue)
            OutputRoom -= count;
        return count;
    }

    /// <summary>Passes to the loop as much input as it has room for.</summary>
    /// <returns>Whether there was any.</returns>
    internal bool Feed()
    {
        if (_input.Count == 0 || IsClosed || !IsReading || Session!.IsMoving || Loop.IsInputFull)
            return false;
        Loop.Receive(Session!, out byte* place, out int room);
        int count = Math.Min(room, _input.Count);
        // SAFETY: the loop says that there is room for this many bytes.
        CollectionsMarshal.AsSpan(_input)[..count].CopyTo(new Span<byte>(place, count));
        _input.RemoveRange(0, count);
        Loop.Received(Session!, count);
        return true;
    }
}
